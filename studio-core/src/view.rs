//! The graph as the explorer shows it: names, types, scopes and operands of the graph itself, with what each
//! parameter is made from and what each operation costs.

use crate::graph::{
    ElementType, Function, Graph, Handle, Op, ParamSource, ParamSpec, Scope, TensorType, Type, Value,
};
use gguf_file::Gguf;
use studio_graph::{FunctionBuilder, Module, NodeKind, NodeSpec, Operand, Parameter, ParameterId, ScopeId};

/// A graph for people to look at. `gguf` is the model that the graph was built from.
#[must_use]
pub fn module(graph: &Graph, gguf: &Gguf) -> Module {
    let mut module = Module::new(graph.name.as_str());
    let parameters: Vec<ParameterId> =
        graph.params().iter().map(|spec| module.add_parameter(parameter(spec, gguf))).collect();
    for function in graph.functions() {
        let shown = show(&mut module, graph, function, &parameters);
        module.add_function(shown);
    }
    module
}

fn parameter(spec: &ParamSpec, gguf: &Gguf) -> Parameter {
    let computed = || {
        let elements = spec.tensor_type().element_count().unwrap_or(u64::MAX);
        elements.saturating_mul(element_bytes(spec.element_type))
    };
    let (source, format, bytes) = match &spec.source {
        ParamSource::Tensor { name, .. } => match gguf.tensor(name) {
            Some(tensor) => (name.clone(), tensor.format().name().to_owned(), tensor.size_bytes()),
            None => (name.clone(), String::new(), 0),
        },
        ParamSource::Values(_) => {
            ("computed at export".to_owned(), spec.element_type.to_string(), computed())
        }
    };
    Parameter { name: spec.name.clone(), source, format, bytes }
}

fn element_bytes(element_type: ElementType) -> u64 {
    match element_type {
        ElementType::F32 | ElementType::I32 => 4,
        ElementType::Bf16 | ElementType::F16 => 2,
        ElementType::I8 | ElementType::I1 => 1,
    }
}

fn show(
    module: &mut Module,
    graph: &Graph,
    function: &Function,
    parameters: &[ParameterId],
) -> FunctionBuilder {
    let mut shown = FunctionBuilder::new(module, function.name.as_str());
    let scopes = scopes(module, graph, &mut shown);
    let mut nodes = Vec::with_capacity(function.values.len());
    for (_, value) in function.values.iter() {
        let (kind, name, parameter) = match &value.op {
            Op::Argument { index } => {
                let name = function.arguments.get(*index).map(|argument| argument.name.as_str());
                (NodeKind::Argument, name, None)
            }
            Op::Parameter { param } => {
                let name = graph.params.get(*param).map(|spec| spec.name.as_str());
                (NodeKind::Parameter, name, parameters.get(param.index()).copied())
            }
            Op::Constant { .. } => (NodeKind::Constant, value.name, None),
            _ => (NodeKind::Operation, value.name, None),
        };
        let operands: Vec<Operand> = value
            .op
            .operands()
            .iter()
            .filter_map(|operand| nodes.get(operand.index()).copied().map(Operand::first))
            .collect();
        nodes.push(shown.add(
            module,
            &NodeSpec {
                kind,
                op: value.op.name(),
                name,
                types: &[type_text(&value.ty)],
                operands: &operands,
                attributes: &value.op.attributes(),
                scope: scopes.get(value.scope.index()).copied().unwrap_or(ScopeId::ROOT),
                flops: flops(function, value),
                parameter,
            },
        ));
    }
    for result in &function.results {
        let Some(&node) = nodes.get(result.value.index()) else { continue };
        let types: Vec<String> =
            function.values.get(result.value).map(|value| type_text(&value.ty)).into_iter().collect();
        shown.add(
            module,
            &NodeSpec {
                kind: NodeKind::Result,
                op: "result",
                name: Some(&result.name),
                types: &types,
                operands: &[Operand::first(node)],
                attributes: &[],
                scope: ScopeId::ROOT,
                flops: 0,
                parameter: None,
            },
        );
    }
    shown
}

/// The function's scope for each of the graph's. A scope's parent comes before it.
fn scopes(module: &mut Module, graph: &Graph, shown: &mut FunctionBuilder) -> Vec<ScopeId> {
    let mut scopes: Vec<ScopeId> = Vec::with_capacity(graph.scopes.len());
    for (_, Scope { name, parent }) in graph.scopes.iter() {
        let parent = parent.and_then(|parent: Handle<Scope>| scopes.get(parent.index()).copied());
        scopes.push(parent.map_or(ScopeId::ROOT, |parent| shown.scope(module, parent, name)));
    }
    scopes
}

/// `4x576xf32`; of a scalar the element type alone.
fn type_text(ty: &Type) -> String {
    match ty {
        Type::Scalar(element_type) => element_type.to_string(),
        Type::Tensor(TensorType { shape, element_type }) => {
            let dims: String = shape.iter().map(|dim| format!("{dim}x")).collect();
            format!("{dims}{element_type}")
        }
    }
}

/// Multiplications, additions, comparisons and function values that an operation takes: one for each, two for a
/// product that is added up. What only moves values takes none.
fn flops(function: &Function, value: &Value) -> u64 {
    let count = |ty: &Type| ty.as_tensor().and_then(TensorType::element_count).unwrap_or(0);
    let of = |handle: &Handle<Value>| function.values.get(*handle).map_or(0, |value| count(&value.ty));
    match &value.op {
        Op::Dot { lhs, contract, .. } => {
            let lhs = function.values.get(*lhs).and_then(|value| value.ty.as_tensor());
            let summed = contract.iter().map(|&[dim, _]| lhs.and_then(|lhs| lhs.shape.get(dim)).copied());
            let summed = summed.fold(1_u64, |product, dim| product.saturating_mul(dim.unwrap_or(1)));
            count(&value.ty).saturating_mul(summed).saturating_mul(2)
        }
        Op::Unary { .. } | Op::Binary { .. } | Op::Compare { .. } | Op::Select { .. } => count(&value.ty),
        Op::Reduce { input, .. } | Op::ArgMax { input, .. } => of(input),
        _ => 0,
    }
}
