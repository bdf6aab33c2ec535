//! Measured times, laid on the nodes that they were spent on.

use crate::module::{Function, Module, NodeKind, ScopeId};
use std::collections::HashMap;

/// What stands for the scope that all others are in, where scopes are named by paths.
const ROOT: &str = "model";

/// Spreads the times of a function's dispatches over its nodes: each over the operations that stand in the scopes of the
/// given paths (`layer 3 / mlp`), by their floating-point operations, or evenly where they have none. Nanoseconds in the
/// order of the nodes, and how many belong to no node.
pub fn spread<'a>(
    module: &Module,
    function: &Function,
    dispatches: impl IntoIterator<Item = (Vec<&'a str>, u64)>,
) -> (Vec<u64>, u64) {
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); function.scopes().len()];
    for (id, node) in function.ids().filter(|(_, node)| node.kind == NodeKind::Operation) {
        own[node.scope.index()].push(id.index());
    }
    let scopes = paths(module, function);
    let mut times = vec![0_u64; function.nodes().len()];
    let mut lost = 0_u64;
    for (paths, nanos) in dispatches {
        let known = paths.iter().filter_map(|path| scopes.get(*path));
        let nodes: Vec<usize> = known.flat_map(|scope| &own[scope.index()]).copied().collect();
        let weights: Vec<u64> = nodes.iter().map(|&node| function.nodes()[node].flops).collect();
        let all: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        if nodes.is_empty() {
            lost = lost.saturating_add(nanos);
        }
        let (mut before, mut given) = (0_u128, 0_u64);
        for (&node, weight) in nodes.iter().zip(weights) {
            before += if all == 0 { 1 } else { u128::from(weight) };
            let all = if all == 0 { nodes.len() as u128 } else { all };
            // What was given so far is exact, so that the parts add up to the whole.
            let until = (u128::from(nanos) * before / all) as u64;
            times[node] = times[node].saturating_add(until - given);
            given = until;
        }
    }
    (times, lost)
}

/// Every scope by its path.
fn paths(module: &Module, function: &Function) -> HashMap<String, ScopeId> {
    let mut paths: Vec<String> = Vec::with_capacity(function.scopes().len());
    for scope in function.scopes() {
        let parent = scope.parent.and_then(|parent| paths.get(parent.index()));
        let name = module.text(scope.name);
        paths.push(match (scope.parent, parent) {
            (None, _) => String::new(),
            (Some(_), Some(parent)) if !parent.is_empty() => format!("{parent} / {name}"),
            (Some(_), _) => name.to_owned(),
        });
    }
    let named = paths
        .into_iter()
        .enumerate()
        .map(|(index, path)| (if path.is_empty() { ROOT.to_owned() } else { path }, ScopeId(index as u32)));
    named.collect()
}
