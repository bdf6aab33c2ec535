//! A small decoder of three layers, as a model's exporter would describe it.

use studio_graph::{
    Function, FunctionBuilder, Module, NodeId, NodeKind, NodeSpec, Operand, Parameter, ParameterId, ScopeId,
};

/// Makes a function, node by node.
pub(crate) struct Maker {
    pub(crate) module: Module,
    pub(crate) function: FunctionBuilder,
}

impl Maker {
    pub(crate) fn new(name: &str) -> Self {
        let mut module = Module::new("tiny");
        let function = FunctionBuilder::new(&mut module, name);
        Self { module, function }
    }

    pub(crate) fn scope(&mut self, parent: ScopeId, name: &str) -> ScopeId {
        self.function.scope(&mut self.module, parent, name)
    }

    pub(crate) fn add(
        &mut self,
        kind: NodeKind,
        op: &str,
        ty: &str,
        operands: &[NodeId],
        scope: ScopeId,
    ) -> NodeId {
        self.named(kind, op, None, ty, operands, scope, None)
    }

    #[expect(clippy::too_many_arguments, reason = "a node has as many parts")]
    pub(crate) fn named(
        &mut self,
        kind: NodeKind,
        op: &str,
        name: Option<&str>,
        ty: &str,
        operands: &[NodeId],
        scope: ScopeId,
        parameter: Option<ParameterId>,
    ) -> NodeId {
        let operands: Vec<Operand> = operands.iter().copied().map(Operand::first).collect();
        let spec = NodeSpec {
            kind,
            op,
            name,
            types: &[ty.to_owned()],
            operands: &operands,
            attributes: &[],
            scope,
            flops: if op == "dot_general" { 1000 } else { 0 },
            parameter,
        };
        self.function.add(&mut self.module, &spec)
    }

    fn weight(&mut self, name: &str, ty: &str, scope: ScopeId) -> NodeId {
        let parameter =
            Parameter { name: name.into(), source: name.into(), format: "Q4_1".into(), bytes: 320 };
        let parameter = self.module.add_parameter(parameter);
        self.named(NodeKind::Parameter, "parameter", Some(name), ty, &[], scope, Some(parameter))
    }

    /// A product with converted weights, in a scope of its own.
    fn linear(&mut self, parent: ScopeId, scope: &str, weight: &str, input: NodeId) -> NodeId {
        let scope = self.scope(parent, scope);
        let weight = self.weight(weight, "8x8xf16", scope);
        let weight = self.add(NodeKind::Operation, "convert", "8x8xf32", &[weight], scope);
        self.add(NodeKind::Operation, "dot_general", "4x8xf32", &[input, weight], scope)
    }

    pub(crate) fn finish(mut self) -> Module {
        self.module.add_function(self.function);
        self.module
    }
}

/// `layers` equal layers over an embedding, with a mask that all take.
pub(crate) fn decoder(layers: usize) -> Module {
    use NodeKind::{Argument, Constant, Operation, Result};
    let mut m = Maker::new("main");
    let root = ScopeId::ROOT;
    let tokens = m.named(Argument, "argument", Some("tokens"), "4xi32", &[], root, None);
    let position = m.named(Argument, "argument", Some("position"), "i32", &[], root, None);
    let mask_scope = m.scope(root, "mask");
    let iota = m.add(Operation, "iota", "4x4xi32", &[], mask_scope);
    let mask = m.named(Operation, "compare", Some("visible"), "4x4xi1", &[iota, position], mask_scope, None);
    let embedding = m.scope(root, "embedding");
    let table = m.weight("token_embd.weight", "32x8xf16", embedding);
    let mut hidden = m.add(Operation, "gather", "4x8xf32", &[table, tokens], embedding);
    for index in 0..layers {
        let layer = m.scope(root, &format!("layer {index}"));
        let attention = m.scope(layer, "attention");
        let query = m.linear(attention, "q_proj", &format!("blk.{index}.attn_q.weight"), hidden);
        let key = m.linear(attention, "k_proj", &format!("blk.{index}.attn_k.weight"), hidden);
        let mix = m.scope(attention, "mix");
        let scores = m.add(Operation, "dot_general", "4x4xf32", &[query, key], mix);
        let scale = m.add(Constant, "constant", "4x4xf32", &[], mix);
        let scores = m.add(Operation, "multiply", "4x4xf32", &[scores, scale], mix);
        let scores = m.add(Operation, "select", "4x4xf32", &[mask, scores, scores], mix);
        let mixed = m.linear(attention, "o_proj", &format!("blk.{index}.attn_output.weight"), scores);
        hidden = m.named(Operation, "add", Some("hidden"), "4x8xf32", &[hidden, mixed], layer, None);
    }
    let next = m.add(Operation, "argmax", "4xi32", &[hidden], root);
    m.named(Result, "result", Some("next"), "4xi32", &[next], root, None);
    m.finish()
}

/// The module's only function.
pub(crate) fn only(module: &Module) -> &Function {
    &module.functions()[0]
}
