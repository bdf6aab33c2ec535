//! The ways of edges: where each leaves its box, where it arrives, and through which lanes it runs.

use super::{END_GAP, Grid, Link, Spec};
use crate::geometry::Point;

/// What routes are made from.
pub(super) struct Frame<'a> {
    pub(super) specs: &'a [Spec],
    pub(super) links: &'a [Link],
    pub(super) grid: &'a Grid,
    pub(super) tops: &'a [f32],
    pub(super) heights: &'a [f32],
    pub(super) boxes: &'a [Point],
    pub(super) middles: &'a [f32],
    /// See [`leaves`].
    pub(super) leaves: &'a [f32],
}

/// Where an end of a link is pulled to.
#[derive(Clone, Copy)]
struct Pulled {
    towards: f32,
    link: usize,
}

impl Frame<'_> {
    /// By link, its way.
    pub(super) fn routes(&self) -> Vec<Vec<Point>> {
        let leaves: Vec<f32> =
            self.links.iter().zip(self.leaves).map(|(link, x)| self.boxes[link.from].x + x).collect();
        let arrivals = self.arrivals(&leaves);
        let route = |(index, link): (usize, &Link)| {
            if link.from == link.to {
                return Vec::new();
            }
            let start = Point::new(leaves[index], self.boxes[link.from].y + self.specs[link.from].height);
            let end = Point::new(arrivals[index], self.boxes[link.to].y);
            let mut points = vec![start];
            let from_row = self.grid.cells[link.from].row;
            if !self.grid.upward[index] {
                points.push(Point::new(start.x, self.tops[from_row] + self.heights[from_row]));
                for &cell in &self.grid.chains[index][1..self.grid.chains[index].len() - 1] {
                    let (row, x) = (self.grid.cells[cell].row, self.middles[cell]);
                    points.push(Point::new(x, self.tops[row]));
                    points.push(Point::new(x, self.tops[row] + self.heights[row]));
                }
                points.push(Point::new(end.x, self.tops[self.grid.cells[link.to].row]));
            }
            points.push(end);
            points.dedup_by(|a, b| (a.x - b.x).abs() < 0.25 && (a.y - b.y).abs() < 0.25);
            points
        };
        self.links.iter().enumerate().map(route).collect()
    }

    /// Where each link arrives: straight below where it comes from if the box is there, apart from the others.
    fn arrivals(&self, leaves: &[f32]) -> Vec<f32> {
        let mut arrivals = vec![0.0; self.links.len()];
        let mut open: Vec<Vec<Pulled>> = vec![Vec::new(); self.specs.len()];
        for (index, link) in self.links.iter().enumerate() {
            match link.to_x {
                Some(x) => arrivals[index] = self.boxes[link.to].x + x,
                None => {
                    let chain = &self.grid.chains[index];
                    let before = chain[chain.len() - 2];
                    let lane = self.grid.cells[before].lane;
                    let towards = if lane { self.middles[before] } else { leaves[index] };
                    open[link.to].push(Pulled { towards, link: index });
                }
            }
        }
        for (to, mut ends) in open.into_iter().enumerate() {
            ends.sort_by(|a, b| a.towards.total_cmp(&b.towards).then(a.link.cmp(&b.link)));
            let wanted: Vec<f32> = ends.iter().map(|end| end.towards).collect();
            let places = spread(&wanted, self.boxes[to].x, self.specs[to].width);
            for (end, place) in ends.iter().zip(places) {
                arrivals[end.link] = place;
            }
        }
        arrivals
    }
}

/// By link, where it leaves its box, from the left edge: bundles side by side, in the order of where they go.
pub(super) fn leaves(specs: &[Spec], links: &[Link], grid: &Grid) -> Vec<f32> {
    let mut places = vec![0.0; grid.cells.len()];
    for row in &grid.rows {
        for (place, &cell) in row.iter().enumerate() {
            places[cell] = place as f32;
        }
    }
    // Links to one box leave in the order in which they arrive.
    let mut shares = vec![0.0; links.len()];
    for step in &grid.steps {
        shares[step.link] = step.to_dx / (grid.cells[step.to].width + 1.0);
    }
    let mut leaves: Vec<f32> = links.iter().map(|link| link.from_x.unwrap_or(0.0)).collect();
    let mut open: Vec<Vec<(usize, f32, usize)>> = vec![Vec::new(); specs.len()];
    for (index, link) in links.iter().enumerate().filter(|(_, link)| link.from_x.is_none()) {
        let next = if grid.upward[index] { link.to } else { grid.chains[index][1] };
        open[link.from].push((link.bundle, places[next] + shares[index], index));
    }
    for (from, mut ends) in open.into_iter().enumerate() {
        ends.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut bundles: Vec<&[(usize, f32, usize)]> = ends.chunk_by(|a, b| a.0 == b.0).collect();
        let target = |bundle: &[(usize, f32, usize)]| {
            bundle.iter().map(|end| end.1).sum::<f32>() / bundle.len().max(1) as f32
        };
        bundles.sort_by(|a, b| target(a).total_cmp(&target(b)));
        let count = bundles.len() as f32;
        for (at, bundle) in bundles.into_iter().enumerate() {
            for &(_, _, link) in bundle {
                leaves[link] = specs[from].width * (at as f32 + 0.5) / count;
            }
        }
    }
    leaves
}

/// Places along a box's edge, near those that are wanted, which increase; equal ones share a place.
fn spread(wanted: &[f32], x: f32, width: f32) -> Vec<f32> {
    let mut places: Vec<f32> = wanted.to_vec();
    places.dedup_by(|a, b| (*a - *b).abs() < 0.5);
    let gap = END_GAP.min(width / (places.len() + 1) as f32);
    let (low, high) = (x + gap, x + width - gap);
    let mut last = f32::MIN;
    for place in &mut places {
        *place = place.max(low).max(last + gap);
        last = *place;
    }
    // From the right again: what was pushed past the edge comes back.
    let mut next = f32::MAX;
    for place in places.iter_mut().rev() {
        *place = place.min(high).min(next - gap);
        next = *place;
    }
    let mut at = 0;
    let mut spread = Vec::with_capacity(wanted.len());
    for (order, &place) in wanted.iter().enumerate() {
        if order > 0 && (place - wanted[order - 1]).abs() >= 0.5 {
            at += 1;
        }
        spread.push(places[at.min(places.len() - 1)]);
    }
    spread
}
