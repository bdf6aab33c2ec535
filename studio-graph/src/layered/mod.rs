//! A layered layout of a small graph: boxes in rows, edges from row to row, downwards.
//!
//! The way of Sugiyama, Tagawa and Toda: rows by the longest path, the order within a row by barycentres, places by
//! least squares. An edge that passes rows runs through an empty place in each, so that no edge crosses a box. Scopes
//! are laid out one by one, inner ones first, so graphs here are small, but one without scopes may have thousands of
//! boxes: all steps are near linear.

mod coordinates;
mod order;
mod routes;
mod rows;

use crate::geometry::Point;
use routes::Frame;

/// A box to be placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spec {
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) pin: Pin,
}

/// Where a box has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pin {
    /// Wherever is best.
    Free,
    /// In the first row.
    Top,
    /// In the last row.
    Bottom,
}

/// An edge between two boxes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Link {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Where it leaves, from the box's left edge; `None` for wherever is best.
    pub(crate) from_x: Option<f32>,
    /// Where it arrives, from the box's left edge; `None` for wherever is best.
    pub(crate) to_x: Option<f32>,
    /// Links of one box with equal numbers leave at one place.
    pub(crate) bundle: usize,
}

/// What was made of the boxes and links.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Placed {
    /// The boxes' top left corners.
    pub(crate) boxes: Vec<Point>,
    /// The links' ways, in the links' order.
    pub(crate) routes: Vec<Vec<Point>>,
    /// The whole's width.
    pub(crate) width: f32,
    /// The whole's height.
    pub(crate) height: f32,
}

/// Space between two boxes of a row.
const BOX_GAP: f32 = 28.0;
/// Space on both sides of an edge that passes a row.
const LANE_GAP: f32 = 16.0;
/// Space between two rows.
const ROW_GAP: f32 = 34.0;
/// Space between the frame's edge, where ports are, and a row.
const PORT_GAP: f32 = 22.0;
/// Space between the ends of edges that arrive at a box.
const END_GAP: f32 = 12.0;
/// Places that edges may be given in rows which they pass. Where a graph asks for more, its longest edges go straight.
const MAX_LANES: usize = 60_000;

/// A box or a place where an edge passes a row.
#[derive(Debug, Clone, Copy)]
struct Cell {
    width: f32,
    height: f32,
    row: usize,
    lane: bool,
}

/// A piece of a link from one row to the next.
#[derive(Debug, Clone, Copy)]
struct Step {
    from: usize,
    to: usize,
    /// From the middle of the cells.
    from_dx: f32,
    to_dx: f32,
    link: usize,
}

/// Cells in rows, with steps between neighbouring rows.
struct Grid {
    cells: Vec<Cell>,
    steps: Vec<Step>,
    rows: Vec<Vec<usize>>,
    /// By link: its cells from its upper end to its lower end; only the ends of one that goes straight.
    chains: Vec<Vec<usize>>,
    /// By link: whether it runs upwards, because the graph has a cycle.
    upward: Vec<bool>,
}

/// Places boxes. Links whose ends are equal are not drawn.
pub(crate) fn place(specs: &[Spec], links: &[Link]) -> Placed {
    if specs.is_empty() {
        return Placed { routes: vec![Vec::new(); links.len()], ..Placed::default() };
    }
    let (rows, upward) = rows::assign(specs, links);
    let mut grid = build(specs, links, &rows, upward);
    order::improve(&mut grid);
    let leaves = routes::leaves(specs, links, &grid);
    for step in &mut grid.steps {
        if step.from == links[step.link].from && !grid.upward[step.link] {
            step.from_dx = leaves[step.link] - specs[step.from].width / 2.0;
        }
    }
    let middles = coordinates::middles(&grid);
    finish(specs, links, &grid, &middles, &leaves)
}

fn build(specs: &[Spec], links: &[Link], rows: &[usize], upward: Vec<bool>) -> Grid {
    let mut cells: Vec<Cell> = specs
        .iter()
        .zip(rows)
        .map(|(spec, &row)| Cell { width: spec.width, height: spec.height, row, lane: false })
        .collect();
    let spans: usize = links.iter().map(|link| rows[link.to].abs_diff(rows[link.from])).sum();
    let longest = if spans <= MAX_LANES { usize::MAX } else { MAX_LANES / links.len().max(1) };
    let (mut steps, mut chains): (Vec<Step>, _) = (Vec::new(), Vec::with_capacity(links.len()));
    for (index, (link, &upward)) in links.iter().zip(&upward).enumerate() {
        let end_dx = |index: usize, x: Option<f32>| x.map_or(0.0, |x| x - specs[index].width / 2.0);
        let mut ends = [(link.from, end_dx(link.from, link.from_x)), (link.to, end_dx(link.to, link.to_x))];
        if upward {
            ends.reverse();
        }
        let [(top, top_dx), (bottom, bottom_dx)] = ends;
        let mut chain = vec![top];
        if rows[bottom] > rows[top] && rows[bottom] - rows[top] <= longest {
            for row in rows[top] + 1..rows[bottom] {
                chain.push(cells.len());
                cells.push(Cell { width: 0.0, height: 0.0, row, lane: true });
            }
            chain.push(bottom);
            for pair in chain.windows(2) {
                let from_dx = if pair[0] == top { top_dx } else { 0.0 };
                let to_dx = if pair[1] == bottom { bottom_dx } else { 0.0 };
                steps.push(Step { from: pair[0], to: pair[1], from_dx, to_dx, link: index });
            }
        } else {
            chain.push(bottom);
        }
        chains.push(chain);
    }
    let count = cells.iter().map(|cell| cell.row + 1).max().unwrap_or(0);
    let mut in_rows = vec![Vec::new(); count];
    // What has no links stands behind what has: no edge runs around it.
    let mut linked = vec![false; cells.len()];
    for step in &steps {
        (linked[step.from], linked[step.to]) = (true, true);
    }
    for pass in [true, false] {
        for (index, cell) in cells.iter().enumerate().filter(|&(index, _)| linked[index] == pass) {
            in_rows[cell.row].push(index);
        }
    }
    Grid { cells, steps, rows: in_rows, chains, upward }
}

/// Space between the middles of two neighbours.
fn apart(left: &Cell, right: &Cell) -> f32 {
    let gap = match (left.lane, right.lane) {
        (false, false) => BOX_GAP,
        (true, true) => LANE_GAP * 0.75,
        _ => LANE_GAP,
    };
    left.width / 2.0 + right.width / 2.0 + gap
}

fn finish(specs: &[Spec], links: &[Link], grid: &Grid, middles: &[f32], leaves: &[f32]) -> Placed {
    let heights: Vec<f32> = grid
        .rows
        .iter()
        .map(|row| row.iter().map(|&cell| grid.cells[cell].height).fold(0.0, f32::max))
        .collect();
    let mut tops = Vec::with_capacity(heights.len());
    let mut y = 0.0;
    for (row, height) in heights.iter().enumerate() {
        tops.push(y);
        let ports = |row: usize| heights.get(row).is_some_and(|&height| height == 0.0);
        let last = row + 1 == heights.len();
        y += height
            + if last {
                0.0
            } else if ports(row) || ports(row + 1) {
                PORT_GAP
            } else {
                ROW_GAP
            };
    }
    let edges = |index: usize| {
        let (cell, middle) = (&grid.cells[index], middles[index]);
        (middle - cell.width / 2.0, middle + cell.width / 2.0)
    };
    let left = (0..grid.cells.len()).map(|index| edges(index).0).fold(f32::MAX, f32::min);
    let right = (0..grid.cells.len()).map(|index| edges(index).1).fold(f32::MIN, f32::max);
    let boxes: Vec<Point> = specs
        .iter()
        .enumerate()
        .map(|(index, spec)| {
            let row = grid.cells[index].row;
            let x = (edges(index).0 - left).round();
            Point::new(x, (tops[row] + (heights[row] - spec.height) / 2.0).round())
        })
        .collect();
    let middles: Vec<f32> = middles.iter().map(|middle| middle - left).collect();
    let frame = Frame {
        specs,
        links,
        grid,
        tops: &tops,
        heights: &heights,
        boxes: &boxes,
        middles: &middles,
        leaves,
    };
    let routes = frame.routes();
    Placed { routes, boxes, width: (right - left).ceil(), height: y }
}

#[cfg(test)]
mod tests;
