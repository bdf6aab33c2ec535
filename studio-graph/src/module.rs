//! What is drawn: functions of nodes, in scopes. Texts are kept once, for a model's graph says the same few thousands
//! of times.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A text of a [`Module`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Symbol(u32);

/// A node, by its place in its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

/// A scope, by its place in its function. The first is the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeId(pub u32);

/// A parameter, by its place in the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParameterId(pub u32);

impl NodeId {
    /// Its place in the function's list.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ScopeId {
    /// The scope that all others are in.
    pub const ROOT: ScopeId = ScopeId(0);

    /// Its place in the function's list.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// What its functions load.
    pub parameters: Vec<Parameter>,
    texts: Vec<String>,
    #[serde(skip)]
    known: HashMap<String, Symbol>,
    functions: Vec<Function>,
}

/// Weights, or other values that are loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name in the archive.
    pub name: String,
    /// What it is made from: a tensor of the GGUF, or in words.
    pub source: String,
    /// How the source stores it: `Q4_1`, `f32`.
    pub format: String,
    /// Bytes at the source.
    pub bytes: u64,
}

/// A function: nodes in an order in which each comes after what it reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Function {
    name: String,
    scopes: Vec<Scope>,
    nodes: Vec<Node>,
}

/// A part of a function, within another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Its name within its parent.
    pub name: Symbol,
    /// What it is part of: an earlier scope; `None` for the root.
    pub parent: Option<ScopeId>,
}

/// What sort of thing a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodeKind {
    /// What the function is given.
    Argument,
    /// Loaded from the archive.
    Parameter,
    /// The same at every call, and small.
    Constant,
    /// Computed.
    Operation,
    /// What the function gives.
    Result,
}

/// A node: computed once from earlier ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its sort.
    pub kind: NodeKind,
    /// What computes it: `dot_general`.
    pub op: Symbol,
    /// What it is called, if anything.
    pub name: Option<Symbol>,
    /// The types of what it gives: `4x576xf32`.
    pub types: Vec<Symbol>,
    /// What it reads, in order. Earlier nodes.
    pub operands: Vec<Operand>,
    /// What else it is given, by name.
    pub attributes: Vec<(Symbol, Symbol)>,
    /// Where it belongs.
    pub scope: ScopeId,
    /// Multiplications, additions and the like in one call.
    pub flops: u64,
    /// What it loads.
    pub parameter: Option<ParameterId>,
}

/// One of the things that a node gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Operand {
    /// Whose.
    pub node: NodeId,
    /// Which.
    pub result: u32,
}

impl Operand {
    /// The first thing that a node gives.
    #[must_use]
    pub fn first(node: NodeId) -> Self {
        Self { node, result: 0 }
    }
}

impl Module {
    /// A module without functions.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The symbol of a text.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(&known) = self.known.get(text) {
            return known;
        }
        let symbol = Symbol(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.to_owned());
        self.known.insert(text.to_owned(), symbol);
        symbol
    }

    /// The text of a symbol.
    #[must_use]
    pub fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.0 as usize).map_or("", String::as_str)
    }

    /// The functions.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The parameter that a node loads.
    #[must_use]
    pub fn parameter_of(&self, node: &Node) -> Option<&Parameter> {
        self.parameters.get(node.parameter?.0 as usize)
    }

    /// Adds a parameter.
    pub fn add_parameter(&mut self, parameter: Parameter) -> ParameterId {
        self.parameters.push(parameter);
        ParameterId(u32::try_from(self.parameters.len() - 1).unwrap_or(u32::MAX))
    }

    /// Adds a function.
    pub fn add_function(&mut self, function: FunctionBuilder) {
        self.functions.push(function.function);
    }

    /// The function of a name and its place.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<(usize, &Function)> {
        self.functions.iter().enumerate().find(|(_, function)| function.name == name)
    }
}

impl Function {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All scopes. A scope's parent comes before it.
    #[must_use]
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// All nodes. What a node reads comes before it.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    ///
    /// # Panics
    /// For a node of another function that reaches past this one's end.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All nodes with what names them.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// The nodes that read each node, in order, each once.
    #[must_use]
    pub fn users(&self) -> Vec<Vec<NodeId>> {
        let mut users = vec![Vec::new(); self.nodes.len()];
        for (id, node) in self.ids() {
            for operand in &node.operands {
                let list: &mut Vec<NodeId> = &mut users[operand.node.index()];
                if list.last() != Some(&id) {
                    list.push(id);
                }
            }
        }
        users
    }
}

/// What a node is made of, texts as texts.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSpec<'a> {
    /// See [`Node::kind`].
    pub kind: NodeKind,
    /// See [`Node::op`].
    pub op: &'a str,
    /// See [`Node::name`].
    pub name: Option<&'a str>,
    /// See [`Node::types`].
    pub types: &'a [String],
    /// See [`Node::operands`].
    pub operands: &'a [Operand],
    /// See [`Node::attributes`].
    pub attributes: &'a [(&'a str, String)],
    /// See [`Node::scope`].
    pub scope: ScopeId,
    /// See [`Node::flops`].
    pub flops: u64,
    /// See [`Node::parameter`].
    pub parameter: Option<ParameterId>,
}

/// Makes a [`Function`] whose nodes read earlier ones and whose scopes lie in earlier ones.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
    scopes: HashMap<(ScopeId, Symbol), ScopeId>,
    depths: Vec<usize>,
}

/// Scopes deeper than this are taken for the one they are in: hostile text has thousands.
const MAX_DEPTH: usize = 48;

impl FunctionBuilder {
    /// A function without nodes.
    pub fn new(module: &mut Module, name: impl Into<String>) -> Self {
        let root = Scope { name: module.symbol(""), parent: None };
        let function = Function { name: name.into(), scopes: vec![root], nodes: Vec::new() };
        Self { function, scopes: HashMap::new(), depths: vec![0] }
    }

    /// The scope of a name within another: the one that is there, or a new one.
    pub fn scope(&mut self, module: &mut Module, parent: ScopeId, name: &str) -> ScopeId {
        let depth = self.depths.get(parent.index()).copied().unwrap_or(0) + 1;
        if depth > MAX_DEPTH || name.is_empty() {
            return parent;
        }
        let name = module.symbol(name);
        *self.scopes.entry((parent, name)).or_insert_with(|| {
            let id = ScopeId(u32::try_from(self.function.scopes.len()).unwrap_or(u32::MAX));
            self.function.scopes.push(Scope { name, parent: Some(parent) });
            self.depths.push(depth);
            id
        })
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.function.nodes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.function.nodes.is_empty()
    }

    /// A node that was added.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.function.nodes.get(id.index())
    }

    /// Moves each constant to the smallest scope that all who read it lie in: who writes a constant once writes it where
    /// it is first read, and it belongs to that place no more than to the others.
    pub(crate) fn settle_constants(&mut self) {
        let mut homes: Vec<Option<ScopeId>> = vec![None; self.function.nodes.len()];
        for node in &self.function.nodes {
            for operand in &node.operands {
                let home = &mut homes[operand.node.index()];
                *home = Some(home.map_or(node.scope, |home| self.common(home, node.scope)));
            }
        }
        for (node, home) in self.function.nodes.iter_mut().zip(homes) {
            if node.kind == NodeKind::Constant
                && let Some(home) = home
            {
                node.scope = home;
            }
        }
    }

    /// The smallest scope that both lie in.
    fn common(&self, a: ScopeId, b: ScopeId) -> ScopeId {
        let parent = |scope: ScopeId| self.function.scopes[scope.index()].parent.unwrap_or(ScopeId::ROOT);
        let (mut a, mut b) = (a, b);
        while a != b {
            if self.depths[a.index()] >= self.depths[b.index()] {
                a = parent(a);
            } else {
                b = parent(b);
            }
        }
        a
    }

    /// Adds a node. Operands that are not earlier nodes are left out, a scope that isn't there is the root.
    pub fn add(&mut self, module: &mut Module, spec: &NodeSpec<'_>) -> NodeId {
        let id = NodeId(u32::try_from(self.function.nodes.len()).unwrap_or(u32::MAX));
        let known = spec.scope.index() < self.function.scopes.len();
        self.function.nodes.push(Node {
            kind: spec.kind,
            op: module.symbol(spec.op),
            name: spec.name.map(|name| module.symbol(name)),
            types: spec.types.iter().map(|ty| module.symbol(ty)).collect(),
            operands: spec.operands.iter().copied().filter(|operand| operand.node < id).collect(),
            attributes: spec
                .attributes
                .iter()
                .map(|(name, value)| (module.symbol(name), module.symbol(value)))
                .collect(),
            scope: if known { spec.scope } else { ScopeId::ROOT },
            flops: spec.flops,
            parameter: spec.parameter,
        });
        id
    }
}
