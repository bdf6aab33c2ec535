//! Finds nodes and scopes by words: names, operations, shapes, element types, tensors, formats.

use crate::analysis::Analysis;
use crate::drawing::Item;
use crate::labels::{op_words, shortened, type_words};
use crate::module::{Function, Module, NodeId, NodeKind, ScopeId};
use crate::path;

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// A scope, or a node.
    pub item: Item,
    /// What it is called.
    pub title: String,
    /// Where it is, and its type.
    pub detail: String,
}

/// The scopes and nodes that hold every word of a query, scopes first, in order; at most so many, and how many there
/// are.
#[must_use]
pub fn search(
    module: &Module,
    function: &Function,
    analysis: &Analysis,
    query: &str,
    most: usize,
) -> (Vec<Match>, usize) {
    let words: Vec<String> =
        query.split_whitespace().map(|word| word.to_lowercase().replace('×', "x")).collect();
    if words.is_empty() {
        return (Vec::new(), 0);
    }
    let (mut matches, mut count) = (Vec::new(), 0);
    let mut take = |found: bool, make: &dyn Fn() -> Match| {
        if found {
            count += 1;
            if matches.len() < most {
                matches.push(make());
            }
        }
    };
    let mut text = String::new();
    for index in 1..function.scopes().len() {
        let scope = ScopeId(index as u32);
        if analysis.tree.sums(scope).nodes == 0 {
            continue;
        }
        // A scope is found by its own name, together with those around it.
        let name = module.text(function.scopes()[index].name).to_lowercase();
        let own = words.iter().any(|word| name.contains(word.as_str()));
        text.clear();
        text.push_str(&path::of_scope(module, function, scope).to_lowercase());
        take(own && words.iter().all(|word| text.contains(word.as_str())), &|| Match {
            item: Item::Scope(scope),
            title: path::of_scope(module, function, scope).replace('/', " / "),
            detail: format!("scope, {} ops", analysis.tree.sums(scope).operations),
        });
    }
    for (id, node) in function.ids() {
        if node.kind == NodeKind::Result {
            continue;
        }
        text.clear();
        describe(module, function, id, &mut text);
        let found = words.iter().all(|word| text.contains(word.as_str()));
        take(found, &|| {
            let ty = node.types.first().map(|&ty| type_words(module.text(ty))).unwrap_or_default();
            let scope = path::of_scope(module, function, node.scope).replace('/', " / ");
            let separator = if scope.is_empty() { "" } else { " · " };
            Match {
                item: Item::Node(id),
                title: title(module, function, id),
                detail: format!("{scope}{separator}{ty}"),
            }
        });
    }
    (matches, count)
}

fn title(module: &Module, function: &Function, id: NodeId) -> String {
    let node = function.node(id);
    match (module.parameter_of(node), node.name) {
        (Some(parameter), _) => shortened(&parameter.name, 60),
        (None, Some(name)) => {
            format!("{} {}", op_words(module.text(node.op)), shortened(module.text(name), 40))
        }
        (None, None) => op_words(module.text(node.op)).to_owned(),
    }
}

/// All that a node is found by.
fn describe(module: &Module, function: &Function, id: NodeId, text: &mut String) {
    let node = function.node(id);
    let mut add = |part: &str| {
        text.push_str(&part.to_lowercase());
        text.push(' ');
    };
    add(module.text(node.op));
    if let Some(name) = node.name {
        add(module.text(name));
    }
    for &ty in &node.types {
        add(module.text(ty));
    }
    if let Some(parameter) = module.parameter_of(node) {
        add(&parameter.name);
        add(&parameter.format);
    }
    add(&path::of_scope(module, function, node.scope));
}
