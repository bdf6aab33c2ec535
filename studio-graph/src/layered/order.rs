//! The order within each row: fewer crossings.

use super::Grid;

/// Rounds of sweeps, for graphs of so many cells.
fn rounds(cells: usize) -> usize {
    match cells {
        0..=2_000 => 12,
        2_001..=20_000 => 6,
        _ => 3,
    }
}

/// A neighbour in the next row, and where on it an edge ends: a share of its width from its middle.
#[derive(Clone, Copy)]
struct Near {
    cell: usize,
    share: f32,
}

/// The neighbours of each cell in one direction, and for each where the edge ends on the cell itself.
struct Sides {
    near: Vec<Vec<(f32, Near)>>,
}

impl Sides {
    fn new(grid: &Grid, down: bool) -> Self {
        let mut near = vec![Vec::new(); grid.cells.len()];
        for step in &grid.steps {
            let share = |cell: usize, dx: f32| dx / (grid.cells[cell].width + 1.0);
            let ends = [(step.from, share(step.from, step.from_dx)), (step.to, share(step.to, step.to_dx))];
            let [(here, here_share), (there, share)] = if down { ends } else { [ends[1], ends[0]] };
            near[here].push((here_share, Near { cell: there, share }));
        }
        Self { near }
    }

    fn of(&self, cell: usize) -> &[(f32, Near)] {
        &self.near[cell]
    }
}

/// Sorts rows by the barycentre of their neighbours, downwards and upwards in turn, swaps neighbours where that helps,
/// and keeps the best order found.
pub(super) fn improve(grid: &mut Grid) {
    let (lower, upper) = (Sides::new(grid, true), Sides::new(grid, false));
    let mut places = vec![0.0; grid.cells.len()];
    number(&grid.rows, &mut places);
    let mut best = grid.rows.clone();
    let mut fewest = crossings(grid, &lower, &places);
    let mut since = 0;
    for round in 0..rounds(grid.cells.len()) * 2 {
        if fewest == 0 || since > 3 {
            break;
        }
        let down = round % 2 == 0;
        let sides = if down { &upper } else { &lower };
        let row_count = grid.rows.len();
        for at in 1..row_count {
            let row = if down { at } else { row_count - 1 - at };
            sort(&mut grid.rows[row], sides, &places);
            number(std::slice::from_ref(&grid.rows[row]), &mut places);
        }
        for row in &mut grid.rows {
            swap(row, &upper, &lower, &mut places);
        }
        let now = crossings(grid, &lower, &places);
        since += 1;
        if now < fewest {
            (fewest, since) = (now, 0);
            best.clone_from(&grid.rows);
        }
    }
    grid.rows = best;
}

fn number(rows: &[Vec<usize>], places: &mut [f32]) {
    for row in rows {
        for (place, &cell) in row.iter().enumerate() {
            places[cell] = place as f32;
        }
    }
}

fn end(near: Near, places: &[f32]) -> f32 {
    places[near.cell] + near.share
}

/// Cells with neighbours are sorted; those without keep their places.
fn sort(row: &mut [usize], sides: &Sides, places: &[f32]) {
    let center = |cell: usize| {
        let near = sides.of(cell);
        let sum = near.iter().map(|&(_, near)| end(near, places)).sum::<f32>();
        (!near.is_empty()).then(|| sum / near.len() as f32)
    };
    let mut held: Vec<(f32, usize)> =
        row.iter().filter_map(|&cell| center(cell).map(|center| (center, cell))).collect();
    held.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut held = held.into_iter();
    for cell in row {
        if !sides.of(*cell).is_empty()
            && let Some((_, next)) = held.next()
        {
            *cell = next;
        }
    }
}

/// Cells with more neighbours than this are not swapped: comparing them takes too long.
const MAX_COMPARED: usize = 64;

/// Swaps neighbours of a row where fewer edges cross then.
fn swap(row: &mut [usize], upper: &Sides, lower: &Sides, places: &mut [f32]) {
    for at in 1..row.len() {
        let (left, right) = (row[at - 1], row[at]);
        let (mut as_is, mut swapped) = (0, 0);
        for sides in [upper, lower] {
            if sides.of(left).len().max(sides.of(right).len()) > MAX_COMPARED {
                continue;
            }
            for &(_, a) in sides.of(left) {
                for &(_, b) in sides.of(right) {
                    let (a, b) = (end(a, places), end(b, places));
                    as_is += u32::from(a > b);
                    swapped += u32::from(a < b);
                }
            }
        }
        if swapped < as_is {
            row.swap(at - 1, at);
            places.swap(left, right);
        }
    }
}

/// How often steps cross.
fn crossings(grid: &Grid, lower: &Sides, places: &[f32]) -> u64 {
    let mut total = 0;
    let (mut ends, mut room): (Vec<(f32, f32)>, _) = (Vec::new(), Vec::new());
    for row in &grid.rows {
        ends.clear();
        for &cell in row {
            ends.extend(
                lower.of(cell).iter().map(|&(share, near)| (places[cell] + share, end(near, places))),
            );
        }
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut targets: Vec<f32> = ends.iter().map(|end| end.1).collect();
        total += inversions(&mut targets, &mut room);
    }
    total
}

/// Pairs in the wrong order, counted by sorting them.
fn inversions(list: &mut [f32], room: &mut Vec<f32>) -> u64 {
    if list.len() < 2 {
        return 0;
    }
    let middle = list.len() / 2;
    let (left, right) = list.split_at_mut(middle);
    let mut total = inversions(left, room) + inversions(right, room);
    room.clear();
    let (mut l, mut r) = (0, 0);
    while l < left.len() || r < right.len() {
        if r == right.len() || (l < left.len() && left[l] <= right[r]) {
            room.push(left[l]);
            l += 1;
        } else {
            total += (left.len() - l) as u64;
            room.push(right[r]);
            r += 1;
        }
    }
    list.copy_from_slice(room);
    total
}
