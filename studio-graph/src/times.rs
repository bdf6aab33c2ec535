//! Measured times, laid on the nodes that they were spent on.

use crate::module::{Function, Module, NodeKind, ScopeId};
use std::collections::{BTreeSet, HashMap};

/// What stands for the scope that all others are in, where scopes are named by paths.
const ROOT: &str = "model";

/// Spreads the times of a function's dispatches over its nodes: each over the operations in the scopes of the given paths
/// (`layer 3 / mlp`) and in theirs, as far as these aren't named by any dispatch themselves, by their floating-point
/// operations, or evenly where they have none. The outermost scope stands for its own operations alone. Nanoseconds in the
/// order of the nodes, and how many belong to no node.
pub fn spread<'a>(
    module: &Module,
    function: &Function,
    dispatches: impl IntoIterator<Item = (Vec<&'a str>, u64)>,
) -> (Vec<u64>, u64) {
    let scopes = paths(module, function);
    let dispatches: Vec<(Vec<&str>, u64)> = dispatches.into_iter().collect();
    let mut named = vec![false; function.scopes().len()];
    for scope in dispatches.iter().flat_map(|(paths, _)| paths).filter_map(|path| scopes.get(*path)) {
        named[scope.index()] = true;
    }
    let own = owners(function, &named);
    let mut times = vec![0_u64; function.nodes().len()];
    let mut lost = 0_u64;
    for (paths, nanos) in dispatches {
        let known: BTreeSet<ScopeId> = paths.iter().filter_map(|path| scopes.get(*path)).copied().collect();
        let nodes: Vec<usize> = known.iter().flat_map(|scope| &own[scope.index()]).copied().collect();
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

/// The operations of each named scope: its own, and those of the scopes within that aren't named.
fn owners(function: &Function, named: &[bool]) -> Vec<Vec<usize>> {
    // The nearest named scope around each; a scope's parent comes before it.
    let mut nearest: Vec<Option<usize>> = Vec::with_capacity(named.len());
    for (index, scope) in function.scopes().iter().enumerate() {
        let around = scope.parent.filter(|parent| *parent != ScopeId::ROOT);
        let around = around.and_then(|parent| nearest.get(parent.index()).copied().flatten());
        nearest.push(if named[index] { Some(index) } else { around });
    }
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); named.len()];
    for (id, node) in function.ids().filter(|(_, node)| node.kind == NodeKind::Operation) {
        if let Some(owner) = nearest[node.scope.index()] {
            own[owner].push(id.index());
        }
    }
    own
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
