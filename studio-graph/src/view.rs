//! What is open.

use crate::analysis::Analysis;
use crate::drawing::Item;
use crate::module::{Function, NodeId, ScopeId};
use crate::repeats::GroupId;
use std::collections::{HashMap, HashSet};

/// Which scopes of a function are open. The default is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    open: HashSet<ScopeId>,
    groups: HashMap<GroupId, GroupView>,
}

/// How a group is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct GroupView {
    /// Whether one member's content is shown.
    pub(crate) open: bool,
    /// Which.
    pub(crate) member: usize,
    /// Whether all members are shown, each for itself.
    pub(crate) unfolded: bool,
}

impl View {
    /// Whether what an item holds is shown.
    #[must_use]
    pub fn is_open(&self, item: Item) -> bool {
        match item {
            Item::Node(_) => false,
            Item::Scope(scope) => self.open.contains(&scope),
            Item::Group(group) => self.group(group).open,
        }
    }

    /// Opens what is closed, closes what is open.
    pub fn toggle(&mut self, item: Item) {
        self.set_open(item, !self.is_open(item));
    }

    /// Opens or closes an item.
    pub fn set_open(&mut self, item: Item, open: bool) {
        match item {
            Item::Node(_) => {}
            Item::Scope(scope) if open => {
                self.open.insert(scope);
            }
            Item::Scope(scope) => {
                self.open.remove(&scope);
            }
            Item::Group(group) => self.groups.entry(group).or_default().open = open,
        }
    }

    /// The member of a group that stands for all.
    #[must_use]
    pub fn member(&self, group: GroupId) -> usize {
        self.group(group).member
    }

    /// Lets another member of a group stand for all.
    pub fn show_member(&mut self, group: GroupId, member: usize) {
        let view = self.groups.entry(group).or_default();
        *view = GroupView { open: true, member, unfolded: false };
    }

    /// Whether all members of a group are shown.
    #[must_use]
    pub fn is_unfolded(&self, group: GroupId) -> bool {
        self.group(group).unfolded
    }

    /// Shows all members of a group, or one for all.
    pub fn set_unfolded(&mut self, group: GroupId, unfolded: bool) {
        self.groups.entry(group).or_default().unfolded = unfolded;
    }

    /// Opens all that a node lies in.
    pub fn reveal(&mut self, analysis: &Analysis, function: &Function, node: NodeId) {
        let home = analysis.home(node);
        let scopes: Vec<ScopeId> = analysis.tree.upwards(function.node(home).scope).collect();
        for scope in scopes.into_iter().rev() {
            self.reveal_scope(analysis, scope);
        }
    }

    /// Opens all that a scope lies in, and the scope.
    pub fn reveal_whole(&mut self, analysis: &Analysis, scope: ScopeId) {
        let scopes: Vec<ScopeId> = analysis.tree.upwards(scope).collect();
        for scope in scopes.into_iter().rev() {
            self.reveal_scope(analysis, scope);
        }
    }

    fn reveal_scope(&mut self, analysis: &Analysis, scope: ScopeId) {
        match analysis.group_of(scope) {
            Some((group, member)) if !self.group(group).unfolded => self.show_member(group, member),
            _ if scope == ScopeId::ROOT || analysis.solo(scope).is_some() => {}
            _ => {
                self.open.insert(scope);
            }
        }
    }

    /// Opens everything; of equal scopes one.
    pub fn open_all(&mut self, analysis: &Analysis, function: &Function) {
        for index in 1..function.scopes().len() {
            let scope = ScopeId(index as u32);
            match analysis.group_of(scope) {
                Some((group, _)) if !self.group(group).unfolded => {
                    self.groups.entry(group).or_default().open = true;
                }
                _ if analysis.solo(scope).is_some() => {}
                _ => {
                    self.open.insert(scope);
                }
            }
        }
    }

    /// Shows every member of every group, and opens everything.
    pub fn unfold_all(&mut self, analysis: &Analysis, function: &Function) {
        for index in 0..analysis.groups.len() {
            self.set_unfolded(GroupId(index as u32), true);
        }
        self.open_all(analysis, function);
    }

    /// Closes everything.
    pub fn close_all(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn group(&self, group: GroupId) -> GroupView {
        self.groups.get(&group).copied().unwrap_or_default()
    }
}
