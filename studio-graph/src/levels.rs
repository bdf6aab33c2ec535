//! The open containers of a view: what each shows, and which edges run in it. An edge between boxes of different
//! containers is cut at each container's frame: there it has a port.

use crate::analysis::Analysis;
use crate::drawing::Item;
use crate::module::{Function, NodeId, NodeKind, Operand, ScopeId};
use crate::view::View;
use std::collections::{HashMap, HashSet};

/// An open container.
#[derive(Debug, Default)]
pub(crate) struct Level {
    /// In the order in which their first nodes come.
    pub(crate) items: Vec<Item>,
    pub(crate) edges: Vec<Edge>,
    /// Values that come in, by the order in which they are first read.
    pub(crate) inputs: Vec<Operand>,
    /// Values that leave.
    pub(crate) outputs: Vec<Operand>,
}

/// An edge within a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Edge {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) value: Operand,
}

/// Where an edge of a container begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum End {
    /// At an item, by its place.
    Item(usize),
    /// At the frame: the place among the inputs, or the outputs.
    Port(usize),
}

/// All open containers of a view.
#[derive(Debug)]
pub(crate) struct Levels {
    levels: Vec<Level>,
    by_item: HashMap<Item, usize>,
}

impl Levels {
    pub(crate) fn root(&self) -> &Level {
        &self.levels[0]
    }

    /// What an item shows; `None` if it is closed.
    pub(crate) fn of(&self, item: Item) -> Option<&Level> {
        self.by_item.get(&item).map(|&index| &self.levels[index])
    }
}

/// Finds out what a view shows.
pub(crate) fn build(function: &Function, analysis: &Analysis, view: &View) -> Levels {
    let mut builder = Builder {
        function,
        analysis,
        view,
        levels: Levels { levels: vec![Level::default()], by_item: HashMap::new() },
        places: HashMap::new(),
        seen: HashSet::new(),
        ports: HashMap::new(),
    };
    for (id, _) in function.ids() {
        let drawn = analysis.home(id) == id && builder.shown(id) == id;
        if drawn {
            let path = builder.path(id);
            builder.list(&path);
        }
    }
    for (user, node) in function.ids() {
        for &operand in &node.operands {
            builder.connect(operand, user);
        }
    }
    builder.levels
}

struct Builder<'a> {
    function: &'a Function,
    analysis: &'a Analysis,
    view: &'a View,
    levels: Levels,
    /// By level and item, the item's place in the level.
    places: HashMap<(usize, Item), usize>,
    seen: HashSet<(usize, Edge)>,
    /// By level, value and whether it leaves, the port's place.
    ports: HashMap<(usize, Operand, bool), usize>,
}

impl Builder<'_> {
    /// The node that is drawn for a node of a folded group: the one at its place in the member that stands for all.
    fn shown(&self, id: NodeId) -> NodeId {
        shown(self.function, self.analysis, self.view, id)
    }

    /// The containers that a node is drawn in, outermost first, and the item that it is drawn as or within.
    fn path(&self, id: NodeId) -> Vec<Item> {
        path(self.function, self.analysis, self.view, id)
    }

    fn level(&mut self, item: Item) -> usize {
        let next = self.levels.levels.len();
        let index = *self.levels.by_item.entry(item).or_insert(next);
        if index == next {
            self.levels.levels.push(Level::default());
        }
        index
    }

    /// Lists a path's items in their containers.
    fn list(&mut self, path: &[Item]) {
        let mut level = 0;
        for (at, &item) in path.iter().enumerate() {
            self.place(level, item);
            if at + 1 < path.len() {
                level = self.level(item);
            }
        }
    }

    fn place(&mut self, level: usize, item: Item) -> usize {
        let items = &mut self.levels.levels[level].items;
        *self.places.entry((level, item)).or_insert_with(|| {
            items.push(item);
            items.len() - 1
        })
    }

    fn port(&mut self, level: usize, value: Operand, leaves: bool) -> usize {
        let held = &mut self.levels.levels[level];
        let ports = if leaves { &mut held.outputs } else { &mut held.inputs };
        *self.ports.entry((level, value, leaves)).or_insert_with(|| {
            ports.push(value);
            ports.len() - 1
        })
    }

    fn add(&mut self, level: usize, edge: Edge) {
        if self.seen.insert((level, edge)) {
            self.levels.levels[level].edges.push(edge);
        }
    }

    /// Draws that a node reads a value, unless the value stands on the node's box or is named there.
    fn connect(&mut self, operand: Operand, user: NodeId) {
        let analysis = self.analysis;
        let is_result = self.function.node(user).kind == NodeKind::Result;
        if analysis.is_inline(operand.node) || (analysis.is_shared(operand.node) && !is_result) {
            return;
        }
        if self.between_members(operand.node, user) {
            return;
        }
        let value = Operand { node: self.shown(operand.node), ..operand };
        let from = self.path(value.node);
        let to = self.path(self.shown(analysis.home(user)));
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        if common == from.len() || common == to.len() {
            return;
        }
        let mut level = 0;
        for &container in &from[..common] {
            level = self.level(container);
        }
        let ends = (self.place(level, from[common]), self.place(level, to[common]));
        self.add(level, Edge { from: End::Item(ends.0), to: End::Item(ends.1), value });
        for inner in common + 1..from.len() {
            let level = self.level(from[inner - 1]);
            let (item, port) = (self.place(level, from[inner]), self.port(level, value, true));
            self.add(level, Edge { from: End::Item(item), to: End::Port(port), value });
        }
        for inner in common + 1..to.len() {
            let level = self.level(to[inner - 1]);
            let (item, port) = (self.place(level, to[inner]), self.port(level, value, false));
            self.add(level, Edge { from: End::Port(port), to: End::Item(item), value });
        }
    }

    /// Whether two nodes lie in different members of one folded group: what runs there runs from a box to itself.
    fn between_members(&self, a: NodeId, b: NodeId) -> bool {
        let members = |id: NodeId| {
            let scope = self.function.node(self.analysis.home(id)).scope;
            self.analysis.tree.upwards(scope).filter_map(|scope| self.analysis.group_of(scope))
        };
        members(a).any(|(group, member)| {
            !self.view.group(group).unfolded
                && members(b).any(|(other_group, other)| other_group == group && other != member)
        })
    }
}

/// See [`Builder::shown`].
pub(crate) fn shown(function: &Function, analysis: &Analysis, view: &View, id: NodeId) -> NodeId {
    let mut id = id;
    // Groups nest: each turn settles the outermost that isn't yet.
    for _ in 0..function.scopes().len() {
        let scopes: Vec<ScopeId> = analysis.tree.upwards(function.node(id).scope).collect();
        let other = scopes.into_iter().rev().find_map(|scope| {
            let (group, member) = analysis.group_of(scope)?;
            let group_view = view.group(group);
            (!group_view.unfolded && group_view.member != member).then_some((
                group,
                member,
                group_view.member,
            ))
        });
        let Some((group, from, to)) = other else { return id };
        let nodes = &analysis.group(group).nodes;
        let place = nodes[from].binary_search(&id);
        let Some(&counterpart) = place.ok().and_then(|place| nodes.get(to)?.get(place)) else { return id };
        id = counterpart;
    }
    id
}

/// See [`Builder::path`].
pub(crate) fn path(function: &Function, analysis: &Analysis, view: &View, id: NodeId) -> Vec<Item> {
    let scopes: Vec<ScopeId> = analysis.tree.upwards(function.node(id).scope).collect();
    let mut path = Vec::with_capacity(scopes.len());
    for scope in scopes.into_iter().rev().skip(1) {
        if analysis.solo(scope).is_some() {
            break;
        }
        let item = match analysis.group_of(scope) {
            Some((group, _)) if !view.group(group).unfolded => Item::Group(group),
            _ => Item::Scope(scope),
        };
        path.push(item);
        if !view.is_open(item) {
            return path;
        }
    }
    path.push(Item::Node(id));
    path
}
