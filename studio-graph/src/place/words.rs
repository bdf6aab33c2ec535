//! What each box says.

use crate::analysis::Analysis;
use crate::drawing::{Chip, ChipKind, DrawnBox, Item, Look};
use crate::geometry::Rect;
use crate::labels::{
    bytes, constant_words, is_quiet, op_words, shortened, tensor_words, type_words, value_name,
};
use crate::module::{Function, Module, NodeId, NodeKind, ScopeId};
use crate::repeats::GroupId;
use crate::tree::Sums;
use crate::view::View;

/// The longest title, in characters.
const MAX_TITLE: usize = 40;
/// The longest name of a value, in characters.
const MAX_NAME: usize = 28;
/// The most names of values on a closed scope.
const MAX_NAMED: usize = 4;

pub(super) struct Words<'a> {
    pub(super) module: &'a Module,
    pub(super) function: &'a Function,
    pub(super) analysis: &'a Analysis,
    pub(super) view: &'a View,
}

impl Words<'_> {
    pub(super) fn look(&self, item: Item) -> Look {
        match item {
            Item::Scope(_) => Look::Closed,
            Item::Group(_) => Look::Stack,
            Item::Node(id) => match self.function.node(id).kind {
                NodeKind::Argument | NodeKind::Result if self.function.node(id).scope == ScopeId::ROOT => {
                    Look::End
                }
                _ if is_quiet(self.module, self.function.node(id)) && self.solo_name(id).is_none() => {
                    Look::Quiet
                }
                _ => Look::Operation,
            },
        }
    }

    pub(super) fn is_result(&self, item: Item) -> bool {
        matches!(item, Item::Node(id) if self.function.node(id).kind == NodeKind::Result)
    }

    /// A closed box: sizes and places come later.
    pub(super) fn closed(&self, item: Item, depth: u32) -> DrawnBox {
        let (title, detail, note) = match item {
            Item::Node(id) => self.node_words(id),
            Item::Scope(scope) => {
                (self.scope_name(scope), String::new(), sums_words(self.analysis.tree.sums(scope)))
            }
            Item::Group(group) => (self.group_name(group), self.times(group), self.group_sums(group)),
        };
        let mut chips = match item {
            Item::Node(id) => self.node_chips(id),
            Item::Scope(scope) => self.named_within(scope),
            Item::Group(group) => self.named_within(self.member(group)),
        };
        chips.extend(self.named_by(item));
        DrawnBox {
            item,
            parent: None,
            depth,
            rect: Rect::default(),
            look: self.look(item),
            title: shortened(&title, MAX_TITLE),
            detail,
            note,
            chips,
        }
    }

    /// The title of an open container.
    pub(super) fn open(&self, item: Item, depth: u32) -> DrawnBox {
        let mut drawn = DrawnBox { chips: Vec::new(), ..self.closed(item, depth) };
        drawn.look = Look::Open;
        drawn.detail = std::mem::take(&mut drawn.note);
        if let Item::Group(group) = item {
            drawn.look = Look::OpenStack;
            drawn.title = shortened(&self.scope_name(self.member(group)), MAX_TITLE);
            drawn.detail = format!("one of {} that are equal", self.analysis.group(group).members.len());
        }
        drawn
    }

    fn member(&self, group: GroupId) -> ScopeId {
        let members = &self.analysis.group(group).members;
        members[self.view.member(group).min(members.len() - 1)]
    }

    fn scope_name(&self, scope: ScopeId) -> String {
        self.module.text(self.function.scopes()[scope.index()].name).to_owned()
    }

    /// `layer 0 … 29`
    fn group_name(&self, group: GroupId) -> String {
        let members = &self.analysis.group(group).members;
        let name = |scope: ScopeId| self.module.text(self.function.scopes()[scope.index()].name);
        let (Some(&first), Some(&last)) = (members.first(), members.last()) else { return String::new() };
        let (first, last) = (name(first), name(last));
        let common =
            first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b && !a.is_ascii_digit()).count();
        let number: String =
            last.get(common..).unwrap_or(last).chars().take_while(char::is_ascii_digit).collect();
        if number.is_empty() { format!("{first} … {last}") } else { format!("{first} … {number}") }
    }

    fn times(&self, group: GroupId) -> String {
        format!("× {}", self.analysis.group(group).members.len())
    }

    fn group_sums(&self, group: GroupId) -> String {
        let mut whole = Sums::default();
        for &member in &self.analysis.group(group).members {
            let sums = self.analysis.tree.sums(member);
            whole.operations += sums.operations;
            whole.bytes = whole.bytes.saturating_add(sums.bytes);
        }
        sums_words(whole)
    }

    /// The name of the outermost scope that holds this box and no other.
    fn solo_name(&self, id: NodeId) -> Option<ScopeId> {
        let scopes = self.analysis.tree.upwards(self.function.node(id).scope);
        scopes.take_while(|&scope| self.analysis.solo(scope) == Some(id)).last()
    }

    fn node_words(&self, id: NodeId) -> (String, String, String) {
        let node = self.function.node(id);
        let op = op_words(self.module.text(node.op));
        let name = node.name.map(|name| shortened(self.module.text(name), MAX_NAME));
        match (node.kind, self.solo_name(id)) {
            (NodeKind::Argument | NodeKind::Result, _) => {
                let ty = node.types.first().map(|&ty| type_words(self.module.text(ty)));
                (name.unwrap_or_else(|| op.to_owned()), ty.unwrap_or_default(), String::new())
            }
            (NodeKind::Parameter, None) => {
                let name =
                    self.module.parameter_of(node).map(|parameter| shortened(&parameter.name, MAX_TITLE));
                (
                    name.or_else(|| name_of(self.module, node)).unwrap_or_else(|| op.to_owned()),
                    String::new(),
                    String::new(),
                )
            }
            (_, Some(scope)) => (self.scope_name(scope), op.to_owned(), String::new()),
            (_, None) => (op.to_owned(), name.unwrap_or_default(), String::new()),
        }
    }

    fn node_chips(&self, id: NodeId) -> Vec<Chip> {
        let (mut chips, mut constants) = (Vec::new(), Vec::new());
        for operand in &self.function.node(id).operands {
            self.chips_of(operand.node, id, &mut chips, &mut constants);
        }
        if let Some(&(first, _)) = constants.first() {
            let words: Vec<&str> = constants.iter().map(|(_, words)| words.as_str()).collect();
            chips.push(chip(
                ChipKind::Constant,
                shortened(&words.join(", "), MAX_NAME),
                String::new(),
                first,
            ));
        }
        chips.dedup_by(|a, b| a.node == b.node && a.kind == b.kind);
        chips.sort_by_key(|chip| chip.kind);
        chips
    }

    /// What an operand shows on its reader's box.
    fn chips_of(
        &self,
        id: NodeId,
        reader: NodeId,
        chips: &mut Vec<Chip>,
        constants: &mut Vec<(NodeId, String)>,
    ) {
        let node = self.function.node(id);
        if self.analysis.is_shared(id) {
            if self.function.node(reader).kind != NodeKind::Result {
                let name = shortened(value_name(self.module, self.function, id), MAX_NAME);
                chips.push(chip(ChipKind::Shared, name, String::new(), id));
            }
            return;
        }
        if !self.analysis.is_inline(id) {
            return;
        }
        let ty = || node.types.first().map(|&ty| type_words(self.module.text(ty))).unwrap_or_default();
        match node.kind {
            NodeKind::Parameter => {
                let (name, detail) = match self.module.parameter_of(node) {
                    Some(parameter) => (tensor_words(&parameter.name), with_format(&ty(), &parameter.format)),
                    None => (value_name(self.module, self.function, id), ty()),
                };
                chips.push(chip(ChipKind::Weight, shortened(name, MAX_TITLE), detail, id));
            }
            NodeKind::Argument => {
                let name = shortened(value_name(self.module, self.function, id), MAX_NAME);
                chips.push(chip(ChipKind::Weight, name, ty(), id));
            }
            NodeKind::Constant => constants.push((id, constant_words(self.module, node))),
            NodeKind::Operation | NodeKind::Result if node.operands.is_empty() => {
                constants.push((id, op_words(self.module.text(node.op)).to_owned()));
            }
            NodeKind::Operation | NodeKind::Result => {
                for operand in &node.operands {
                    self.chips_of(operand.node, reader, chips, constants);
                }
            }
        }
    }

    /// The names that an item's shared values have elsewhere.
    fn named_by(&self, item: Item) -> Option<Chip> {
        let nodes = match item {
            Item::Node(id) => vec![id],
            Item::Scope(scope) => self.analysis.tree.all(scope),
            Item::Group(_) => return None,
        };
        let mut shared =
            nodes.into_iter().filter(|&id| self.analysis.is_shared(id)).filter(|&id| match item {
                // Within a scope there are values that only it reads.
                Item::Scope(scope) => self.analysis.users(id).iter().any(|&user| !self.lies_in(user, scope)),
                _ => true,
            });
        let first = shared.next()?;
        let mut words = value_name(self.module, self.function, first).to_owned();
        for id in shared {
            words.push_str(", ");
            words.push_str(value_name(self.module, self.function, id));
        }
        Some(chip(ChipKind::Named, shortened(&words, MAX_TITLE), String::new(), first))
    }

    fn lies_in(&self, id: NodeId, scope: ScopeId) -> bool {
        self.analysis.tree.upwards(self.function.node(id).scope).any(|above| above == scope)
    }

    /// The shared values that a closed scope reads.
    fn named_within(&self, scope: ScopeId) -> Vec<Chip> {
        let mut found: Vec<NodeId> = Vec::new();
        for id in self.analysis.tree.all(scope) {
            for operand in &self.function.node(id).operands {
                let id = operand.node;
                if self.analysis.is_shared(id) && !found.contains(&id) && !self.lies_in(id, scope) {
                    found.push(id);
                }
            }
        }
        let names: Vec<&str> =
            found.iter().take(MAX_NAMED).map(|&id| value_name(self.module, self.function, id)).collect();
        let more = if found.len() > MAX_NAMED { ", …" } else { "" };
        let words = format!("{}{more}", names.join(", "));
        found
            .first()
            .map(|&id| chip(ChipKind::Shared, shortened(&words, MAX_TITLE), String::new(), id))
            .into_iter()
            .collect()
    }
}

fn name_of(module: &Module, node: &crate::module::Node) -> Option<String> {
    node.name.map(|name| module.text(name).to_owned())
}

fn chip(kind: ChipKind, text: String, detail: String, node: NodeId) -> Chip {
    Chip { rect: Rect::default(), kind, text, detail, node }
}

/// A type's dimensions with the format that the source has.
fn with_format(ty: &str, format: &str) -> String {
    match ty.split_once(' ') {
        Some((shape, _)) if !format.is_empty() => format!("{shape} {format}"),
        _ => ty.to_owned(),
    }
}

/// `140 ops · 3.1 MB`
fn sums_words(sums: Sums) -> String {
    let ops = match sums.operations {
        1 => "1 op".to_owned(),
        many => format!("{many} ops"),
    };
    if sums.bytes > 0 { format!("{ops} · {}", bytes(sums.bytes)) } else { ops }
}
