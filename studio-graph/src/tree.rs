//! The nested scopes of a function, with what each holds.

use crate::module::{Function, Module, NodeId, NodeKind, ScopeId};

/// A function's scopes as a tree.
#[derive(Debug, Clone)]
pub struct Tree {
    /// By scope: the scopes in it, in the order in which their first nodes come.
    children: Vec<Vec<ScopeId>>,
    /// By scope: the nodes that lie in it and in no smaller scope.
    own: Vec<Vec<NodeId>>,
    /// By scope: how many scopes it lies in.
    depth: Vec<u32>,
    /// By scope: its parent; the root's is the root.
    parent: Vec<ScopeId>,
    /// By scope: what all nodes in it and in smaller scopes add up to.
    sums: Vec<Sums>,
}

/// What the nodes of a scope add up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// Nodes of all sorts.
    pub nodes: u32,
    /// Nodes that compute.
    pub operations: u32,
    /// Nodes that load a parameter.
    pub parameters: u32,
    /// Bytes of these parameters.
    pub bytes: u64,
    /// Floating-point operations of a call.
    pub flops: u64,
}

impl Tree {
    pub(crate) fn new(module: &Module, function: &Function) -> Self {
        let count = function.scopes().len();
        let mut tree = Self {
            children: vec![Vec::new(); count],
            own: vec![Vec::new(); count],
            depth: vec![0; count],
            parent: vec![ScopeId::ROOT; count],
            sums: vec![Sums::default(); count],
        };
        for (index, scope) in function.scopes().iter().enumerate().skip(1) {
            let parent = scope.parent.unwrap_or(ScopeId::ROOT);
            tree.parent[index] = parent;
            tree.depth[index] = tree.depth[parent.index()] + 1;
        }
        let mut listed = vec![false; count];
        for (id, node) in function.ids() {
            tree.own[node.scope.index()].push(id);
            let sums = &mut tree.sums[node.scope.index()];
            sums.nodes += 1;
            sums.operations += u32::from(node.kind == NodeKind::Operation);
            sums.flops = sums.flops.saturating_add(node.flops);
            if let Some(parameter) = module.parameter_of(node) {
                sums.parameters += 1;
                sums.bytes = sums.bytes.saturating_add(parameter.bytes);
            }
            let mut scope = node.scope;
            while scope != ScopeId::ROOT && !listed[scope.index()] {
                listed[scope.index()] = true;
                tree.children[tree.parent[scope.index()].index()].push(scope);
                scope = tree.parent[scope.index()];
            }
        }
        for index in (1..count).rev() {
            let (sums, parent) = (tree.sums[index], tree.parent[index].index());
            let above = &mut tree.sums[parent];
            above.nodes += sums.nodes;
            above.operations += sums.operations;
            above.parameters += sums.parameters;
            above.bytes = above.bytes.saturating_add(sums.bytes);
            above.flops = above.flops.saturating_add(sums.flops);
        }
        tree
    }

    /// The scopes in a scope that have nodes.
    #[must_use]
    pub fn children(&self, scope: ScopeId) -> &[ScopeId] {
        &self.children[scope.index()]
    }

    /// The nodes that lie in a scope and in no smaller one.
    #[must_use]
    pub fn own(&self, scope: ScopeId) -> &[NodeId] {
        &self.own[scope.index()]
    }

    /// How many scopes a scope lies in.
    #[must_use]
    pub fn depth(&self, scope: ScopeId) -> u32 {
        self.depth[scope.index()]
    }

    /// What a scope lies in; `None` for the root.
    #[must_use]
    pub fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        (scope != ScopeId::ROOT).then(|| self.parent[scope.index()])
    }

    /// What the nodes of a scope add up to.
    #[must_use]
    pub fn sums(&self, scope: ScopeId) -> Sums {
        self.sums[scope.index()]
    }

    /// The scopes that a scope lies in, itself first, the root last.
    pub fn upwards(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(scope), |&scope| self.parent(scope))
    }

    /// All nodes in a scope and in smaller ones, in order.
    #[must_use]
    pub fn all(&self, scope: ScopeId) -> Vec<NodeId> {
        let mut nodes = Vec::with_capacity(self.sums[scope.index()].nodes as usize);
        let mut left = vec![scope];
        while let Some(next) = left.pop() {
            nodes.extend_from_slice(self.own(next));
            left.extend_from_slice(self.children(next));
        }
        nodes.sort_unstable();
        nodes
    }

    /// The smallest scope that both lie in.
    #[must_use]
    pub fn common(&self, a: ScopeId, b: ScopeId) -> ScopeId {
        let (mut a, mut b) = (a, b);
        while a != b {
            if self.depth(a) >= self.depth(b) {
                a = self.parent[a.index()];
            } else {
                b = self.parent[b.index()];
            }
        }
        a
    }

    /// The scope in `container` that `scope` is or lies in; `None` if it is `container` or lies outside.
    #[must_use]
    pub fn child_towards(&self, container: ScopeId, scope: ScopeId) -> Option<ScopeId> {
        let mut scope = scope;
        while self.depth(scope) > self.depth(container) + 1 {
            scope = self.parent[scope.index()];
        }
        (scope != container && self.parent(scope) == Some(container)).then_some(scope)
    }
}
