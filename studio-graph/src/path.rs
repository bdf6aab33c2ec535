//! Names of nodes and scopes that hold from one visit to the next: `layer 3/attention/q_proj`, and for a node behind it
//! its operation, numbered where a scope has several: `…/q_proj/dot_general.2`.

use crate::analysis::Analysis;
use crate::drawing::Item;
use crate::labels::op_words;
use crate::module::{Function, Module, NodeId, ScopeId};

/// The names of the scopes that a scope lies in, and its own.
pub(crate) fn of_scope(module: &Module, function: &Function, scope: ScopeId) -> String {
    let mut names = Vec::new();
    let mut next = Some(scope);
    while let Some(scope) = next.and_then(|id| function.scopes().get(id.index())) {
        names.push(module.text(scope.name));
        next = scope.parent;
    }
    names.pop();
    names.reverse();
    names.join("/")
}

/// The path of an item within its function. Of a group, that of its first member.
#[must_use]
pub fn path_of(module: &Module, function: &Function, analysis: &Analysis, item: Item) -> String {
    match item {
        Item::Scope(scope) => of_scope(module, function, scope),
        Item::Group(group) => analysis
            .group(group)
            .members
            .first()
            .map(|&first| of_scope(module, function, first))
            .unwrap_or_default(),
        Item::Node(id) => {
            let node = function.node(id);
            let scope = of_scope(module, function, node.scope);
            let slash = if scope.is_empty() { "" } else { "/" };
            format!("{scope}{slash}{}", node_word(module, function, analysis, id))
        }
    }
}

/// A node's operation, with a number from the second such node of its scope on.
fn node_word(module: &Module, function: &Function, analysis: &Analysis, id: NodeId) -> String {
    let node = function.node(id);
    let word = word_of(module, function, id);
    let own = analysis.tree.own(node.scope);
    let before = own.iter().take_while(|&&other| other != id);
    match before.filter(|&&other| word_of(module, function, other) == word).count() {
        0 => word.to_owned(),
        earlier => format!("{word}.{}", earlier + 1),
    }
}

/// Arguments and results go by their names, the rest by their operations.
fn word_of<'m>(module: &'m Module, function: &Function, id: NodeId) -> &'m str {
    use crate::module::NodeKind::{Argument, Result};
    let node = function.node(id);
    match (node.kind, node.name) {
        (Argument | Result, Some(name)) => module.text(name),
        _ => op_words(module.text(node.op)),
    }
}

/// The item of a path: the scope of that name, or the node.
#[must_use]
pub fn find(module: &Module, function: &Function, analysis: &Analysis, path: &str) -> Option<Item> {
    let mut scope = ScopeId::ROOT;
    let mut rest = path.trim().trim_matches('/');
    // Names of scopes may hold slashes: the longest name that fits is taken.
    while !rest.is_empty() {
        let fitting = analysis.tree.children(scope).iter().filter_map(|&child| {
            let name = module.text(function.scopes()[child.index()].name);
            let after = rest.strip_prefix(name)?;
            (after.is_empty() || after.starts_with('/'))
                .then(|| (name.len(), child, after.trim_start_matches('/')))
        });
        let Some((_, child, after)) = fitting.max_by_key(|(length, ..)| *length) else {
            let mut own = analysis.tree.own(scope).iter();
            let found = own.find(|&&id| node_word(module, function, analysis, id) == rest);
            return found.map(|&id| Item::Node(id));
        };
        (scope, rest) = (child, after);
    }
    (scope != ScopeId::ROOT).then_some(Item::Scope(scope))
}
