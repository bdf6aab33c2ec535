//! Equal scopes: neighbours that do the same with other weights, such as a model's layers.

use crate::module::{Function, Module, NodeId, NodeKind, ScopeId};
use crate::tree::Tree;
use std::collections::HashMap;

/// A run of equal neighbours, by its place in the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub u32);

/// A run of neighbouring scopes that do the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// At least two, in order.
    pub members: Vec<ScopeId>,
    /// For each member, all of its nodes in order: what stands at one place in all of them is the same.
    pub nodes: Vec<Vec<NodeId>>,
}

/// All groups, the outer ones before those within their members.
pub(crate) fn find(module: &Module, function: &Function, tree: &Tree) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut left = vec![ScopeId::ROOT];
    while let Some(scope) = left.pop() {
        let children = tree.children(scope);
        left.extend(children.iter().rev());
        let mut run: Vec<ScopeId> = Vec::new();
        let mut shape = None;
        for &child in children {
            let candidate = outline(module, function, tree, child);
            if shape.as_ref() == Some(&candidate) && same(function, tree, run[0], child) {
                run.push(child);
            } else {
                close(&mut groups, tree, &mut run);
                run.push(child);
                shape = Some(candidate);
            }
        }
        close(&mut groups, tree, &mut run);
    }
    groups
}

fn close(groups: &mut Vec<Group>, tree: &Tree, run: &mut Vec<ScopeId>) {
    let members = std::mem::take(run);
    if members.len() > 1 {
        let nodes = members.iter().map(|&member| tree.all(member)).collect();
        groups.push(Group { members, nodes });
    }
}

/// What must be equal before it is worth to look closely: the name without its digits, and how much there is.
fn outline(module: &Module, function: &Function, tree: &Tree, scope: ScopeId) -> (String, u32) {
    let name = module.text(function.scopes()[scope.index()].name);
    (name.chars().filter(|c| !c.is_ascii_digit()).collect(), tree.sums(scope).nodes)
}

/// Whether two scopes compute the same from what they are given, whatever they load and whatever number they have.
fn same(function: &Function, tree: &Tree, a: ScopeId, b: ScopeId) -> bool {
    let (nodes_a, nodes_b) = (tree.all(a), tree.all(b));
    if nodes_a.len() != nodes_b.len() {
        return false;
    }
    let mut scopes: HashMap<ScopeId, ScopeId> = HashMap::from([(a, b)]);
    let mut outside: HashMap<NodeId, NodeId> = HashMap::new();
    nodes_a.iter().zip(&nodes_b).all(|(&id_a, &id_b)| {
        let (node_a, node_b) = (function.node(id_a), function.node(id_b));
        let alike = node_a.kind == node_b.kind
            && node_a.op == node_b.op
            && node_a.types == node_b.types
            && node_a.operands.len() == node_b.operands.len()
            && (node_a.kind == NodeKind::Constant || node_a.attributes == node_b.attributes);
        if !alike || !same_scope(function, tree, &mut scopes, (node_a.scope, a), node_b.scope) {
            return false;
        }
        node_a.operands.iter().zip(&node_b.operands).all(|(from_a, from_b)| {
            let places = (nodes_a.binary_search(&from_a.node), nodes_b.binary_search(&from_b.node));
            from_a.result == from_b.result
                && match places {
                    (Ok(place_a), Ok(place_b)) => place_a == place_b,
                    (Err(_), Err(_)) => *outside.entry(from_a.node).or_insert(from_b.node) == from_b.node,
                    _ => false,
                }
        })
    })
}

/// Whether two scopes within the compared ones have the same place and name there.
fn same_scope(
    function: &Function,
    tree: &Tree,
    known: &mut HashMap<ScopeId, ScopeId>,
    (scope_a, top): (ScopeId, ScopeId),
    scope_b: ScopeId,
) -> bool {
    let (mut a, mut b, mut new) = (scope_a, scope_b, Vec::new());
    loop {
        if let Some(&partner) = known.get(&a) {
            if partner != b {
                return false;
            }
            break;
        }
        if a == top || function.scopes()[a.index()].name != function.scopes()[b.index()].name {
            return false;
        }
        new.push((a, b));
        let (Some(parent_a), Some(parent_b)) = (tree.parent(a), tree.parent(b)) else { return false };
        (a, b) = (parent_a, parent_b);
    }
    known.extend(new);
    true
}
