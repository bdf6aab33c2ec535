//! Which row each box stands in.

use super::{Link, Pin, Spec};

/// By box its row, from 0; by link whether it has to run upwards.
pub(super) fn assign(specs: &[Spec], links: &[Link]) -> (Vec<usize>, Vec<bool>) {
    let upward = upward(specs.len(), links);
    let downward: Vec<[usize; 2]> = links
        .iter()
        .zip(&upward)
        .filter(|(link, _)| link.from != link.to)
        .map(|(link, &upward)| if upward { [link.to, link.from] } else { [link.from, link.to] })
        .collect();
    let lower = Neighbours::new(specs.len(), downward.iter().copied());
    let upper = Neighbours::new(specs.len(), downward.iter().map(|&[from, to]| [to, from]));
    let order = topological(specs.len(), &lower, &upper);

    let first = usize::from(specs.iter().any(|spec| spec.pin == Pin::Top));
    let mut rows = vec![0; specs.len()];
    for &index in &order {
        let below = upper.of(index).iter().map(|&above| rows[above] + 1).max().unwrap_or(0);
        rows[index] = if specs[index].pin == Pin::Top { 0 } else { below.max(first) };
    }
    // What nothing above holds moves down to where it is used.
    let mut loose = vec![false; specs.len()];
    for &index in &order {
        loose[index] = specs[index].pin == Pin::Free && upper.of(index).iter().all(|&above| loose[above]);
    }
    for &index in order.iter().rev() {
        if loose[index]
            && let Some(below) = lower.of(index).iter().map(|&below| rows[below]).min()
        {
            rows[index] = rows[index].max(below.saturating_sub(1));
        }
    }
    let bottom = |pin: Pin| pin == Pin::Bottom;
    let last = specs.iter().zip(&rows).filter(|(spec, _)| !bottom(spec.pin)).map(|(_, row)| row + 1).max();
    for (spec, row) in specs.iter().zip(&mut rows) {
        if bottom(spec.pin) {
            *row = last.unwrap_or(0);
        }
    }
    (rows, upward)
}

/// Lists of neighbours, one after the other.
pub(super) struct Neighbours {
    starts: Vec<usize>,
    items: Vec<usize>,
}

impl Neighbours {
    pub(super) fn new(count: usize, edges: impl Iterator<Item = [usize; 2]> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for [from, _] in edges.clone() {
            starts[from + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count]];
        for [from, to] in edges {
            items[next[from]] = to;
            next[from] += 1;
        }
        Self { starts, items }
    }

    pub(super) fn of(&self, index: usize) -> &[usize] {
        &self.items[self.starts[index]..self.starts[index + 1]]
    }
}

/// Links that close a cycle, seen from the boxes in their order.
fn upward(count: usize, links: &[Link]) -> Vec<bool> {
    // Boxes come in the order of what is computed first: only a link against it can close a cycle.
    if links.iter().all(|link| link.from <= link.to) {
        return vec![false; links.len()];
    }
    let by_source = Neighbours::new(count, links.iter().enumerate().map(|(index, link)| [link.from, index]));
    let mut upward = vec![false; links.len()];
    let (mut entered, mut left) = (vec![false; count], vec![false; count]);
    for start in 0..count {
        if entered[start] {
            continue;
        }
        entered[start] = true;
        let mut stack = vec![(start, 0)];
        while let Some((index, at)) = stack.pop() {
            let Some(&link) = by_source.of(index).get(at) else {
                left[index] = true;
                continue;
            };
            stack.push((index, at + 1));
            let to = links[link].to;
            if !entered[to] {
                entered[to] = true;
                stack.push((to, 0));
            } else if !left[to] && to != index {
                upward[link] = true;
            }
        }
    }
    upward
}

fn topological(count: usize, lower: &Neighbours, upper: &Neighbours) -> Vec<usize> {
    let mut missing: Vec<usize> = (0..count).map(|index| upper.of(index).len()).collect();
    let mut order: Vec<usize> = (0..count).filter(|&index| missing[index] == 0).collect();
    let mut at = 0;
    while at < order.len() {
        for &below in lower.of(order[at]) {
            missing[below] -= 1;
            if missing[below] == 0 {
                order.push(below);
            }
        }
        at += 1;
    }
    order
}
