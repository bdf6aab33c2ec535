//! One value each: the operation's text.

use super::location;
use crate::emit::mlir::{List, Literal, Names, SECOND_RESULT, Symbol, Writer};
use crate::graph::{Constant, ElementType, Function, Graph, Handle, Op, Reduction, TensorType, Value};

/// Prints a value that is not an argument.
pub(super) fn print(
    out: &mut Writer,
    graph: &Graph,
    function: &Function,
    names: &Names,
    handle: Handle<Value>,
) {
    let value = &function.values[handle];
    let printer = Printer { graph, function, names, name: names.of(handle), value };
    match &value.op {
        Op::Reduce { function, input, dimensions } => printer.reduce(out, *function, *input, dimensions),
        Op::ArgMax { input, dimension } => printer.arg_max(out, *input, *dimension),
        op => printer.line(out, printer.name, printer.text(op)),
    }
}

struct Printer<'a> {
    graph: &'a Graph,
    function: &'a Function,
    names: &'a Names,
    /// The name of `value`.
    name: &'a str,
    value: &'a Value,
}

impl Printer<'_> {
    fn line(&self, out: &mut Writer, name: &str, text: String) {
        out.line(format_args!("{name} = {text} loc({})", location(self.value.scope)));
    }

    /// The type of an operand.
    fn ty(&self, operand: Handle<Value>) -> String {
        self.function.values[operand].ty.to_string()
    }

    fn shape(&self, operand: Handle<Value>) -> &[u64] {
        self.function.values[operand].ty.as_tensor().map_or(&[], |ty| &ty.shape)
    }

    /// The types of the operands, in parentheses, an arrow and the type of the result.
    fn signature(&self) -> String {
        let operands = self.value.op.operands();
        format!("({}) -> {}", List(operands.iter().map(|&operand| self.ty(operand))), self.value.ty)
    }

    /// The names of the operands.
    fn operands(&self) -> String {
        let operands = self.value.op.operands();
        List(operands.iter().map(|&operand| self.names.of(operand))).to_string()
    }

    fn text(&self, op: &Op) -> String {
        let (name, operands, ty) = (op.name(), self.operands(), &self.value.ty);
        match op {
            // Both are printed by others: an argument in its function's head, reductions in lines of their own.
            Op::Argument { .. } | Op::Reduce { .. } | Op::ArgMax { .. } => String::new(),
            Op::Parameter { param } => {
                format!("util.global.load {} : {ty}", Symbol(&self.graph.params[*param].name))
            }
            Op::ScalarToTensor { .. } => format!("tensor.from_elements {operands} : {ty}"),
            Op::Constant { value, .. } => constant(*value, ty),
            Op::Iota { dimension, .. } => format!("stablehlo.iota dim = {dimension} : {ty}"),
            Op::Barrier { .. } | Op::Unary { .. } | Op::Binary { .. } => {
                format!("stablehlo.{name} {operands} : {ty}")
            }
            Op::Convert { .. } | Op::Reshape { .. } => {
                format!("stablehlo.{name} {operands} : {}", self.signature())
            }
            Op::Compare { relation, lhs, .. } => {
                let kind = if self.is_float(*lhs) { "FLOAT" } else { "SIGNED" };
                format!("stablehlo.compare {}, {operands}, {kind} : {}", relation.name(), self.signature())
            }
            Op::Select { predicate, .. } => {
                format!("stablehlo.select {operands} : {}, {ty}", self.ty(*predicate))
            }
            Op::Broadcast { dimensions, .. } => {
                format!("stablehlo.{name} {operands}, dims = {dimensions:?} : {}", self.signature())
            }
            Op::Transpose { permutation, .. } => {
                format!("stablehlo.transpose {operands}, dims = {permutation:?} : {}", self.signature())
            }
            Op::Slice { start, limit, .. } => {
                let ranges = List(start.iter().zip(limit).map(|(start, limit)| format!("{start}:{limit}")));
                format!("stablehlo.slice {operands} [{ranges}] : {}", self.signature())
            }
            Op::Concatenate { dimension, .. } => {
                format!("stablehlo.concatenate {operands}, dim = {dimension} : {}", self.signature())
            }
            Op::DynamicSlice { sizes, .. } => {
                format!("stablehlo.{name} {operands}, sizes = {sizes:?} : {}", self.signature())
            }
            Op::DynamicUpdate { .. } => format!("stablehlo.{name} {operands} : {}", self.signature()),
            Op::Take { table, dimension, .. } => self.gather(*table, *dimension),
            Op::Dot { batch, contract, .. } => {
                let batch = match batch.is_empty() {
                    true => String::new(),
                    false => format!("batching_dims = {}, ", dimension_pairs(batch)),
                };
                let contract = dimension_pairs(contract);
                let signature = self.signature();
                format!("stablehlo.{name} {operands}, {batch}contracting_dims = {contract} : {signature}")
            }
        }
    }

    fn is_float(&self, operand: Handle<Value>) -> bool {
        self.function.values[operand].ty.as_tensor().is_some_and(|ty| ty.element_type.is_float())
    }

    /// A gather of whole rows (or columns).
    fn gather(&self, table: Handle<Value>, dimension: usize) -> String {
        let mut slice_sizes = self.shape(table).to_vec();
        slice_sizes[dimension] = 1;
        let numbers = format!(
            "offset_dims = [{}], collapsed_slice_dims = [{dimension}], start_index_map = [{dimension}], \
             index_vector_dim = 1",
            1 - dimension
        );
        format!(
            "\"stablehlo.gather\"({}) <{{dimension_numbers = #stablehlo.gather<{numbers}>, \
             slice_sizes = array<i64: {}>, indices_are_sorted = false}}> : {}",
            self.operands(),
            List(&slice_sizes),
            self.signature()
        )
    }

    fn reduce(&self, out: &mut Writer, reduction: Reduction, input: Handle<Value>, dimensions: &[usize]) {
        let element_type = self.value.ty.as_tensor().map_or(ElementType::F32, |ty| ty.element_type);
        let (init, init_type) = (format!("{}.init", self.name), TensorType::new([], element_type));
        let neutral = match reduction {
            Reduction::Sum => 0.0,
            Reduction::Maximum => f32::NEG_INFINITY,
        };
        self.line(out, &init, constant(Constant::F32(neutral), &init_type));
        let (input_name, input_type) = (self.names.of(input), self.ty(input));
        let text = format!(
            "stablehlo.reduce({input_name} init: {init}) applies stablehlo.{} across dimensions = {dimensions:?} : \
             ({input_type}, {init_type}) -> {}",
            reduction.name(),
            self.value.ty
        );
        self.line(out, self.name, text);
    }

    /// Carries the greatest element and its index along; of equals, the lower index wins in whatever order elements
    /// are met.
    fn arg_max(&self, out: &mut Writer, input: Handle<Value>, dimension: usize) {
        let name = self.name.trim_end_matches(SECOND_RESULT);
        let shape = self.shape(input);
        let [values, indices] = [ElementType::F32, ElementType::I32].map(|ty| TensorType::new(shape, ty));
        let [value, index] = [ElementType::F32, ElementType::I32].map(|ty| TensorType::new([], ty));
        let least = constant(Constant::F32(f32::NEG_INFINITY), &value);
        self.line(out, &format!("{name}.least"), least);
        // Greater than any index, so that the initial element loses against an equal one.
        self.line(out, &format!("{name}.none"), constant(Constant::I32(i32::MAX), &index));
        let iota = format!("stablehlo.iota dim = {dimension} : {indices}");
        self.line(out, &format!("{name}.index"), iota);
        let result = self.value.ty.as_tensor().map_or(&[][..], |ty| &ty.shape);
        let greatest = TensorType::new(result, ElementType::F32);
        out.line(format_args!(
            "{name}:2 = stablehlo.reduce({} init: {name}.least), ({name}.index init: {name}.none) across \
             dimensions = [{dimension}] : ({values}, {indices}, {value}, {index}) -> ({greatest}, {})",
            self.names.of(input),
            self.value.ty
        ));
        let head = format!("  reducer(%a: {value}, %b: {value}) (%ai: {index}, %bi: {index})");
        let tail = format!(" loc({})", location(self.value.scope));
        let compare = |relation: &str, [l, r]: [&str; 2], kind: &str, ty: &TensorType| {
            format!("stablehlo.compare {relation}, {l}, {r}, {kind} : ({ty}, {ty}) -> tensor<i1>")
        };
        out.block(head, tail, |out| {
            out.line(format_args!("%greater = {}", compare("GT", ["%a", "%b"], "FLOAT", &value)));
            out.line(format_args!("%equal = {}", compare("EQ", ["%a", "%b"], "FLOAT", &value)));
            out.line(format_args!("%earlier = {}", compare("LT", ["%ai", "%bi"], "SIGNED", &index)));
            out.line("%first = stablehlo.and %equal, %earlier : tensor<i1>");
            out.line("%wins = stablehlo.or %greater, %first : tensor<i1>");
            out.line(format_args!("%value = stablehlo.select %wins, %a, %b : tensor<i1>, {value}"));
            out.line(format_args!("%at = stablehlo.select %wins, %ai, %bi : tensor<i1>, {index}"));
            out.line(format_args!("stablehlo.return %value, %at : {value}, {index}"));
        });
    }
}

fn constant(value: Constant, ty: &impl std::fmt::Display) -> String {
    format!("stablehlo.constant dense<{}> : {ty}", Literal(value))
}

/// `[1] x [0]`
fn dimension_pairs(pairs: &[[usize; 2]]) -> String {
    let [lhs, rhs] = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).collect::<Vec<_>>());
    format!("{lhs:?} x {rhs:?}")
}
