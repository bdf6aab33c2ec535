//! What lies within some steps of a node.

use crate::analysis::Analysis;
use crate::module::{Function, NodeId};

/// Which way to go from a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To what it reads.
    Inputs,
    /// To what reads it.
    Outputs,
    /// Both.
    Both,
}

/// The nodes within `hops` steps of some, themselves included, in order. What stands on another's box is no step away
/// from it.
#[must_use]
pub fn nearby(
    function: &Function,
    analysis: &Analysis,
    from: &[NodeId],
    direction: Direction,
    hops: usize,
) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = from.to_vec();
    for way in [Direction::Inputs, Direction::Outputs] {
        if direction == way || direction == Direction::Both {
            found.extend(walk(function, analysis, from, way, hops));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn walk(
    function: &Function,
    analysis: &Analysis,
    from: &[NodeId],
    way: Direction,
    hops: usize,
) -> Vec<NodeId> {
    let mut seen = vec![false; function.nodes().len()];
    let mut edge: Vec<NodeId> = from.to_vec();
    let mut found = Vec::new();
    for &id in from {
        seen[id.index()] = true;
    }
    for _ in 0..hops {
        let mut next = Vec::new();
        while let Some(id) = edge.pop() {
            let near: Vec<NodeId> = match way {
                Direction::Outputs => analysis.users(id).to_vec(),
                _ => function.node(id).operands.iter().map(|operand| operand.node).collect(),
            };
            for other in near {
                if std::mem::replace(&mut seen[other.index()], true) {
                    continue;
                }
                found.push(other);
                if analysis.home(other) == analysis.home(id) { edge.push(other) } else { next.push(other) }
            }
        }
        if next.is_empty() {
            break;
        }
        edge = next;
    }
    found
}
