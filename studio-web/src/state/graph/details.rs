//! What the panel says about a node or a scope.

use super::explorer::Explorer;
use crate::state::format;
use std::collections::BTreeMap;
use studio_graph::{Item, NodeId, NodeKind, ScopeId, bytes, count};

/// All that the panel says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Details {
    /// What it is.
    pub title: String,
    /// What sort of thing.
    pub kind: &'static str,
    /// The scopes around it, outermost first.
    pub path: Vec<(String, Item)>,
    /// Labelled values.
    pub facts: Vec<(String, String)>,
    /// What it is given beside its operands.
    pub attributes: Vec<(String, String)>,
    /// What it reads.
    pub operands: Vec<Link>,
    /// What reads it.
    pub users: Vec<Link>,
    /// How many more read it than are listed.
    pub more_users: usize,
}

/// Another node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Which.
    pub node: NodeId,
    /// What it is called.
    pub text: String,
    /// Its type.
    pub detail: String,
}

/// The most users that are listed.
const MOST_USERS: usize = 40;

/// What there is to say about an item.
#[must_use]
pub fn details(explorer: &Explorer, item: Item) -> Details {
    let mut details = what(explorer, item);
    if let Some(nanos) = explorer.time_of(item).filter(|nanos| *nanos > 0) {
        let label = if matches!(item, Item::Group(_)) { "Time of a call, all" } else { "Time of a call" };
        details.facts.push((label.to_owned(), format::millis(nanos as f64 / 1e6)));
    }
    details
}

fn what(explorer: &Explorer, item: Item) -> Details {
    match item {
        Item::Node(node) => node_details(explorer, node),
        Item::Scope(scope) => scope_details(explorer, scope),
        Item::Group(group) => {
            let scope = explorer.scope_of(item);
            let mut details = scope_details(explorer, scope);
            let members = &explorer.analysis().group(group).members;
            details.kind = "equal scopes";
            details.facts.insert(0, ("Equal scopes".to_owned(), members.len().to_string()));
            let formats = formats(explorer, members);
            if !formats.is_empty() {
                details.facts.push(("Formats, all".to_owned(), formats));
            }
            details
        }
    }
}

/// `Q4_1 × 210, F32 × 60`
fn formats(explorer: &Explorer, scopes: &[ScopeId]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in scopes.iter().flat_map(|&scope| explorer.analysis().tree.all(scope)) {
        if let Some(parameter) = explorer.module().parameter_of(explorer.function().node(node)) {
            *counts.entry(parameter.format.as_str()).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().filter(|(format, _)| !format.is_empty()).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.iter().map(|(format, count)| format!("{format} × {count}")).collect::<Vec<_>>().join(", ")
}

fn path(explorer: &Explorer, scope: ScopeId) -> Vec<(String, Item)> {
    let scopes: Vec<ScopeId> =
        explorer.analysis().tree.upwards(scope).filter(|&scope| scope != ScopeId::ROOT).collect();
    let name = |scope: ScopeId| {
        let scopes = explorer.function().scopes();
        explorer.module().text(scopes[scope.index()].name).to_owned()
    };
    scopes.into_iter().rev().map(|scope| (name(scope), Item::Scope(scope))).collect()
}

fn scope_details(explorer: &Explorer, scope: ScopeId) -> Details {
    let mut path = path(explorer, scope);
    let title = path.pop().map_or_else(|| explorer.function().name().to_owned(), |(name, _)| name);
    let sums = explorer.analysis().tree.sums(scope);
    let mut facts = vec![("Operations".to_owned(), format::grouped(u64::from(sums.operations)))];
    if sums.parameters > 0 {
        facts.push(("Parameters".to_owned(), format!("{}, {}", sums.parameters, bytes(sums.bytes))));
        facts.push(("Formats".to_owned(), formats(explorer, &[scope])));
    }
    if sums.flops > 0 {
        facts.push(("FLOPs of a call".to_owned(), count(sums.flops)));
    }
    Details { title, kind: "scope", path, facts, ..Details::default() }
}

fn node_details(explorer: &Explorer, id: NodeId) -> Details {
    let (module, function) = (explorer.module(), explorer.function());
    let node = function.node(id);
    let mut facts = Vec::new();
    if let Some(name) = node.name {
        facts.push(("Name".to_owned(), module.text(name).to_owned()));
    }
    for (index, &ty) in node.types.iter().enumerate() {
        let label = if node.types.len() > 1 { format!("Type {index}") } else { "Type".to_owned() };
        facts.push((label, module.text(ty).to_owned()));
    }
    if let Some(parameter) = module.parameter_of(node) {
        facts.push(("Source".to_owned(), parameter.source.clone()));
        if !parameter.format.is_empty() {
            facts.push(("Stored as".to_owned(), parameter.format.clone()));
        }
        if parameter.bytes > 0 {
            let exact = format::grouped(parameter.bytes);
            facts.push(("Bytes".to_owned(), format!("{} ({exact})", bytes(parameter.bytes))));
        }
    }
    if node.flops > 0 {
        facts.push((
            "FLOPs of a call".to_owned(),
            format!("{} ({})", count(node.flops), format::grouped(node.flops)),
        ));
    }
    let text = |symbol| module.text(symbol).to_owned();
    let users = explorer.analysis().users(id);
    Details {
        title: text(node.op),
        kind: match node.kind {
            NodeKind::Argument => "argument",
            NodeKind::Parameter => "parameter",
            NodeKind::Constant => "constant",
            NodeKind::Operation => "operation",
            NodeKind::Result => "result",
        },
        path: path(explorer, node.scope),
        facts,
        attributes: node.attributes.iter().map(|&(name, value)| (text(name), text(value))).collect(),
        operands: node.operands.iter().map(|operand| link(explorer, operand.node, operand.result)).collect(),
        users: users.iter().take(MOST_USERS).map(|&user| link(explorer, user, 0)).collect(),
        more_users: users.len().saturating_sub(MOST_USERS),
    }
}

fn link(explorer: &Explorer, id: NodeId, result: u32) -> Link {
    let (module, node) = (explorer.module(), explorer.function().node(id));
    let name = node.name.map(|name| module.text(name));
    let op = module.text(node.op);
    let scope = explorer.path(Item::Scope(node.scope));
    let text = match (node.kind, name) {
        (NodeKind::Argument | NodeKind::Parameter | NodeKind::Result, Some(name)) => name.to_owned(),
        (_, Some(name)) => format!("{op} {name}"),
        (NodeKind::Constant, None) => {
            let value = node.attributes.first().map(|&(_, value)| module.text(value)).unwrap_or_default();
            format!("{op} {}", value.chars().take(24).collect::<String>())
        }
        (_, None) => op.to_owned(),
    };
    let ty = node.types.get(result as usize).map(|&ty| module.text(ty)).unwrap_or_default();
    let detail =
        if scope.is_empty() { ty.to_owned() } else { format!("{ty} · {}", scope.replace('/', " / ")) };
    Link { node: id, text, detail }
}
