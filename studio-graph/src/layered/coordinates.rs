//! Where in its row each cell stands: near its neighbours in the rows above and below, in the row's order, apart.
//!
//! A row at a time, the places are found that lie nearest to what all cells want while they keep their distance: a
//! least-squares problem with an order, which pooling neighbours solves exactly.

use super::{Grid, Step, apart};

const ROUNDS: usize = 32;

/// A cell's neighbour in the row above or below.
#[derive(Clone, Copy)]
struct Pull {
    other: usize,
    /// What has to be added to the neighbour's middle to have the edge between them vertical.
    dx: f32,
    weight: f32,
}

/// By cell, the x of its middle.
pub(super) fn middles(grid: &Grid) -> Vec<f32> {
    let mut x = packed(grid);
    let pulls = Pulls::new(grid);
    let rounds = if grid.cells.len() > 30_000 { ROUNDS / 3 } else { ROUNDS };
    let rows = grid.rows.len();
    for round in 0..rounds {
        let last = round + 4 >= rounds;
        for at in 0..rows {
            let down = round % 2 == 0;
            let row = if down { at } else { rows - 1 - at };
            let sides: &[Side] = match (last, down) {
                (true, _) => &[Side::Above, Side::Below],
                (false, true) => &[Side::Above],
                (false, false) => &[Side::Below],
            };
            settle(grid, &pulls, row, sides, &mut x);
        }
    }
    x
}

#[derive(Clone, Copy)]
enum Side {
    Above,
    Below,
}

struct Pulls {
    above: Vec<Vec<Pull>>,
    below: Vec<Vec<Pull>>,
}

impl Pulls {
    fn new(grid: &Grid) -> Self {
        let count = grid.cells.len();
        let mut pulls = Self { above: vec![Vec::new(); count], below: vec![Vec::new(); count] };
        let spine = spine(grid);
        for (step, &spine) in grid.steps.iter().zip(&spine) {
            let (from, to) = (&grid.cells[step.from], &grid.cells[step.to]);
            let weight = match (from.lane, to.lane) {
                (true, true) => 40.0,
                (false, false) if spine => 40.0,
                (false, false) => 2.0,
                _ => 1.0,
            };
            let dx = step.from_dx - step.to_dx;
            pulls.above[step.to].push(Pull { other: step.from, dx, weight });
            pulls.below[step.from].push(Pull { other: step.to, dx: -dx, weight });
        }
        pulls
    }

    fn of(&self, side: Side, cell: usize) -> &[Pull] {
        match side {
            Side::Above => &self.above[cell],
            Side::Below => &self.below[cell],
        }
    }
}

/// By step, whether it joins boxes that are each other's nearest: they make a column, as straight as can be.
fn spine(grid: &Grid) -> Vec<bool> {
    let mut places = vec![0; grid.cells.len()];
    for row in &grid.rows {
        for (place, &cell) in row.iter().enumerate() {
            places[cell] = place;
        }
    }
    let boxes = |step: &Step| !grid.cells[step.from].lane && !grid.cells[step.to].lane;
    let (mut below, mut above) = (vec![Vec::new(); grid.cells.len()], vec![Vec::new(); grid.cells.len()]);
    for (index, step) in grid.steps.iter().enumerate().filter(|(_, step)| boxes(step)) {
        below[step.from].push((places[step.to], index));
        above[step.to].push((places[step.from], index));
    }
    let middle = |list: &mut Vec<(usize, usize)>| {
        list.sort_unstable();
        list.get(list.len().saturating_sub(1) / 2).map(|&(_, index)| index)
    };
    let below: Vec<Option<usize>> = below.iter_mut().map(middle).collect();
    let above: Vec<Option<usize>> = above.iter_mut().map(middle).collect();
    grid.steps
        .iter()
        .enumerate()
        .map(|(index, step)| below[step.from] == Some(index) && above[step.to] == Some(index))
        .collect()
}

/// All rows packed, each around 0.
fn packed(grid: &Grid) -> Vec<f32> {
    let mut x = vec![0.0; grid.cells.len()];
    for row in &grid.rows {
        let mut at = 0.0;
        for (place, &cell) in row.iter().enumerate() {
            if place > 0 {
                at += apart(&grid.cells[row[place - 1]], &grid.cells[cell]);
            }
            x[cell] = at;
        }
        for &cell in row {
            x[cell] -= at / 2.0;
        }
    }
    x
}

/// Neighbours that stand as close as they may: they move as one.
#[derive(Clone, Copy)]
struct Block {
    weight: f32,
    sum: f32,
    cells: usize,
}

/// Moves the cells of a row to where the sides pull them.
fn settle(grid: &Grid, pulls: &Pulls, row: usize, sides: &[Side], x: &mut [f32]) {
    let cells = &grid.rows[row];
    let mut blocks: Vec<Block> = Vec::with_capacity(cells.len());
    let mut offsets = Vec::with_capacity(cells.len());
    let mut offset = 0.0;
    for (place, &cell) in cells.iter().enumerate() {
        if place > 0 {
            offset += apart(&grid.cells[cells[place - 1]], &grid.cells[cell]);
        }
        offsets.push(offset);
        let (mut weight, mut sum) = (0.0, 0.0);
        for pull in sides.iter().flat_map(|&side| pulls.of(side, cell)) {
            weight += pull.weight;
            sum += pull.weight * (x[pull.other] + pull.dx);
        }
        if weight == 0.0 {
            // What has no edges at all follows its neighbour.
            let linked = !pulls.above[cell].is_empty() || !pulls.below[cell].is_empty();
            let (share, towards) = match place.checked_sub(1) {
                Some(before) if !linked => (0.001, x[cells[before]]),
                _ => (0.05, x[cell]),
            };
            (weight, sum) = (share, share * towards);
        }
        blocks.push(Block { weight, sum: sum - weight * offset, cells: 1 });
        while let [.., before, last] = blocks[..]
            && before.sum / before.weight > last.sum / last.weight
        {
            blocks.pop();
            if let Some(joined) = blocks.last_mut() {
                joined.weight += last.weight;
                joined.sum += last.sum;
                joined.cells += last.cells;
            }
        }
    }
    let mut place = 0;
    for block in blocks {
        for _ in 0..block.cells {
            x[cells[place]] = block.sum / block.weight + offsets[place];
            place += 1;
        }
    }
}
