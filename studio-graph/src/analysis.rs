//! What a reader wants said once: which nodes stand on another's box, which values are named instead of drawn as edges,
//! which scopes are equal, which hold a single operation.

use crate::module::{Function, Module, Node, NodeId, NodeKind, ScopeId};
use crate::repeats::{self, Group, GroupId};
use crate::tree::Tree;
use std::collections::{HashMap, HashSet};

/// What is known of a function, whatever is open of it.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// Its scopes.
    pub tree: Tree,
    /// Its repeated scopes.
    pub groups: Vec<Group>,
    member_of: HashMap<ScopeId, (GroupId, usize)>,
    inline: Vec<bool>,
    home: Vec<NodeId>,
    shared: Vec<bool>,
    solo: Vec<Option<NodeId>>,
    users: Vec<Vec<NodeId>>,
}

/// Functions with more arguments than this have their weights among them.
const MANY_ARGUMENTS: usize = 12;
/// A value that is read in more parts of the function than this is named where it is read.
const MANY_PARTS: usize = 5;
/// Operations that change how values lie and not what they are.
const SHAPES: [&str; 6] = ["convert", "reshape", "transpose", "broadcast_in_dim", "broadcast", "iota"];

/// Whether an operation only changes how values lie.
pub(crate) fn is_shape(op: &str) -> bool {
    SHAPES.contains(&op.rsplit('.').next().unwrap_or(op))
}

impl Analysis {
    /// Looks at a function.
    #[must_use]
    pub fn new(module: &Module, function: &Function) -> Self {
        let tree = Tree::new(module, function);
        let groups = repeats::find(module, function, &tree);
        let mut member_of = HashMap::new();
        for (index, group) in groups.iter().enumerate() {
            let id = GroupId(index as u32);
            member_of.extend(group.members.iter().enumerate().map(|(at, &scope)| (scope, (id, at))));
        }
        let users = function.users();
        let inline = inline(module, function, &users);
        let home = homes(function, &users, &inline);
        let mut analysis =
            Self { tree, groups, member_of, inline, home, shared: Vec::new(), solo: Vec::new(), users };
        analysis.shared = function.ids().map(|(id, node)| analysis.find_shared(function, id, node)).collect();
        analysis.solo = analysis.find_solo(function);
        analysis
    }

    /// The nodes that read a node, in order, each once.
    #[must_use]
    pub fn users(&self, node: NodeId) -> &[NodeId] {
        &self.users[node.index()]
    }

    /// The node in whose box a node stands: itself, unless it is a weight, a constant, or made of these alone.
    #[must_use]
    pub fn home(&self, node: NodeId) -> NodeId {
        self.home[node.index()]
    }

    /// Whether a node stands in the boxes of those that read it.
    #[must_use]
    pub fn is_inline(&self, node: NodeId) -> bool {
        self.inline[node.index()]
    }

    /// Whether a value is named where it is read.
    #[must_use]
    pub fn is_shared(&self, node: NodeId) -> bool {
        self.shared[node.index()]
    }

    /// The only box of a scope that has one.
    #[must_use]
    pub fn solo(&self, scope: ScopeId) -> Option<NodeId> {
        self.solo[scope.index()]
    }

    /// The group that a scope is a member of, and its place there.
    #[must_use]
    pub fn group_of(&self, scope: ScopeId) -> Option<(GroupId, usize)> {
        self.member_of.get(&scope).copied()
    }

    /// A group.
    ///
    /// # Panics
    /// For a group of another analysis that reaches past this one's end.
    #[must_use]
    pub fn group(&self, id: GroupId) -> &Group {
        &self.groups[id.0 as usize]
    }

    /// A value is shared where several members of a group read it from outside of it, or very many parts of the
    /// function do.
    fn find_shared(&self, function: &Function, id: NodeId, node: &Node) -> bool {
        let users = self.users(id);
        if self.is_inline(id) || users.len() < 2 {
            return false;
        }
        let mut members: HashMap<GroupId, usize> = HashMap::new();
        let mut container = node.scope;
        for &user in users {
            let scope = function.node(user).scope;
            container = self.tree.common(container, scope);
            for scope in self.tree.upwards(scope) {
                let Some((group, member)) = self.group_of(scope) else { continue };
                let inside = self.tree.upwards(node.scope).any(|own| own == scope);
                if !inside && *members.entry(group).or_insert(member) != member {
                    return true;
                }
            }
        }
        let parts: HashSet<(Option<ScopeId>, Option<NodeId>)> = users
            .iter()
            .map(|&user| {
                let child = self.tree.child_towards(container, function.node(user).scope);
                (child, child.is_none().then_some(self.home(user)))
            })
            .collect();
        parts.len() > MANY_PARTS
    }

    fn find_solo(&self, function: &Function) -> Vec<Option<NodeId>> {
        let mut boxes: Vec<(u32, Option<NodeId>)> = vec![(0, None); function.scopes().len()];
        for (id, node) in function.ids() {
            if self.home(id) == id && (!self.is_inline(id) || self.users(id).is_empty()) {
                for scope in self.tree.upwards(node.scope) {
                    let (count, first) = &mut boxes[scope.index()];
                    *count += 1;
                    first.get_or_insert(id);
                }
            }
        }
        boxes
            .into_iter()
            .enumerate()
            .map(|(index, (count, first))| {
                let scope = ScopeId(index as u32);
                let plain = scope != ScopeId::ROOT && self.group_of(scope).is_none();
                first.filter(|_| count == 1 && plain)
            })
            .collect()
    }
}

/// Weights, constants, and what is made of these alone for a single reader.
fn inline(module: &Module, function: &Function, users: &[Vec<NodeId>]) -> Vec<bool> {
    let arguments = function.nodes().iter().filter(|node| node.kind == NodeKind::Argument).count();
    let mut inline = vec![false; function.nodes().len()];
    for (id, node) in function.ids() {
        let used = !users[id.index()].is_empty();
        let returned = users[id.index()].iter().any(|&user| function.node(user).kind == NodeKind::Result);
        let single = users[id.index()].len() == 1;
        inline[id.index()] = used
            && !returned
            && match node.kind {
                NodeKind::Parameter | NodeKind::Constant => true,
                NodeKind::Argument => arguments > MANY_ARGUMENTS && single,
                NodeKind::Operation => {
                    single
                        && is_shape(module.text(node.op))
                        && node.operands.iter().all(|operand| inline[operand.node.index()])
                }
                NodeKind::Result => false,
            };
    }
    inline
}

fn homes(function: &Function, users: &[Vec<NodeId>], inline: &[bool]) -> Vec<NodeId> {
    let mut homes: Vec<NodeId> = function.ids().map(|(id, _)| id).collect();
    for (id, _) in function.ids().rev() {
        if inline[id.index()]
            && let Some(&user) = users[id.index()].first()
        {
            homes[id.index()] = homes[user.index()];
        }
    }
    homes
}
