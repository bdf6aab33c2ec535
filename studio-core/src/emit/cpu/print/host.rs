//! The function that makes the dispatches.

use super::super::{Bounds, Buffer, Place};
use super::binding::{Binding, Bindings};
use super::{EXECUTABLE, Printed};
use crate::emit::mlir::{List, Names, Quoted, Symbol, Writer, argument};
use crate::graph::{Handle, ParamSpec, TensorType};
use std::collections::{BTreeMap, HashSet};

pub(super) fn print(out: &mut Writer, function: &Printed<'_>) {
    let graph_function = function.function;
    let arguments = List(graph_function.arguments.iter().map(argument));
    let result_types: Vec<String> = graph_function
        .results
        .iter()
        .map(|result| graph_function.values[result.value].ty.to_string())
        .collect();
    let result_types = List(&result_types);
    let head = format!("func.func public {}({arguments}) -> ({result_types})", Symbol(&graph_function.name));
    out.block(head, "", |out| {
        let mut host = Host { function, current: BTreeMap::new() };
        host.print_scalars(out);
        host.print_own_memory(out);
        for (dispatch, bindings) in function.bindings.iter().enumerate() {
            host.print_dispatch(out, dispatch, bindings);
        }
        let results =
            List((0..graph_function.results.len()).map(|index| host.result(index)).collect::<Vec<_>>());
        out.line(format_args!("return {results} : {result_types}"));
    });
}

struct Host<'a> {
    function: &'a Printed<'a>,
    /// The latest value of each place that was given or made.
    current: BTreeMap<Place, String>,
}

impl Host<'_> {
    /// Arguments that are numbers, within their bounds.
    fn print_scalars(&self, out: &mut Writer) {
        for &(index, Bounds { low, high }) in &self.function.plan.scalars {
            let name = Names::argument(&self.function.function.arguments[index]);
            out.line(format_args!("{name}.low = arith.constant {low} : i32"));
            out.line(format_args!("{name}.high = arith.constant {high} : i32"));
            out.line(format_args!("{name}.least = arith.maxsi {name}, {name}.low : i32"));
            out.line(format_args!("{name}.bound = arith.minsi {name}.least, {name}.high : i32"));
            out.line(format_args!("{name}.index = arith.index_cast {name}.bound : i32 to index"));
        }
    }

    /// The counters of the phases, all zero, and the function's own cache, which must be finite.
    fn print_own_memory(&mut self, out: &mut Writer) {
        let counters = self.function.bindings.iter().flat_map(|bindings| &bindings.list);
        let mut splat = |place: Place, name: &str, zero: &str| {
            let Some(binding) = counters.clone().find(|binding| binding.place == place) else { return };
            let (ty, element_type) = (&binding.ty, binding.ty.element_type);
            out.line(format_args!("%{name}.zero = arith.constant {zero} : {element_type}"));
            out.line(format_args!("%{name}.0 = tensor.splat %{name}.zero : {ty}"));
            self.current.insert(place, format!("%{name}.0"));
        };
        splat(Place::Team, "team", "0");
        splat(Place::Whole(Buffer::OwnCache), "memory", "0.0");
    }

    fn print_dispatch(&mut self, out: &mut Writer, dispatch: usize, bindings: &Bindings) {
        let (made, given): (Vec<&Binding>, Vec<&Binding>) =
            bindings.list.iter().partition(|binding| binding.new);
        let mut operands: Vec<(String, String)> = given
            .iter()
            .map(|binding| (self.value(out, dispatch, binding), binding.ty.to_string()))
            .collect();
        let tied = given.iter().zip(&operands).filter(|(binding, _)| binding.written);
        let mut results: Vec<(Place, String)> =
            tied.map(|(binding, (name, _))| (binding.place, name.clone())).collect();
        results.extend(made.iter().map(|binding| (binding.place, binding.ty.to_string())));
        for &index in &bindings.scalars {
            let name = Names::argument(&self.function.function.arguments[index]);
            operands.push((format!("{name}.index"), "index".to_owned()));
        }
        let shim = self.function.shim(dispatch);
        out.line(format_args!(
            "%{shim}:{} = flow.dispatch {}::{}({}) : ({}) -> ({}) loc(fused[{}])",
            results.len(),
            Symbol(EXECUTABLE),
            Symbol(&shim),
            List(operands.iter().map(|(name, _)| name)),
            List(operands.iter().map(|(_, ty)| ty)),
            List(results.iter().map(|(_, result)| result)),
            List(self.scopes(dispatch)),
        ));
        for (index, (place, _)) in results.into_iter().enumerate() {
            self.current.insert(place, format!("%{shim}#{index}"));
        }
    }

    /// The parts of the model that a dispatch computes, in the order in which it begins with them: the names of their
    /// locations, as those of operations in the portable form.
    fn scopes(&self, dispatch: usize) -> Vec<String> {
        let mut seen = HashSet::new();
        let calls = &self.function.plan.dispatches[dispatch].calls;
        let scopes = calls.iter().map(|planned| planned.call.scope).filter(|scope| seen.insert(*scope));
        let paths = scopes.map(|scope| self.function.graph.scopes.path(scope));
        paths.map(|path| Quoted(if path.is_empty() { "model" } else { &path }).to_string()).collect()
    }

    /// The value that a dispatch is given for a place. A parameter is loaded where it is used.
    fn value(&self, out: &mut Writer, dispatch: usize, binding: &Binding) -> String {
        if let Some(value) = self.current.get(&binding.place) {
            return value.clone();
        }
        match binding.place {
            Place::Whole(Buffer::Param(param)) => self.print_load(out, dispatch, param, &binding.ty),
            Place::Whole(Buffer::Argument(index)) => {
                Names::argument(&self.function.function.arguments[index])
            }
            Place::Team | Place::Scratch | Place::Whole(_) => String::new(),
        }
    }

    fn print_load(
        &self,
        out: &mut Writer,
        dispatch: usize,
        param: Handle<ParamSpec>,
        ty: &TensorType,
    ) -> String {
        let value = format!("%param{}.{dispatch}", param.index());
        let symbol = &self.function.graph.params[param].name;
        out.line(format_args!("{value} = util.global.load {} : {ty}", Symbol(symbol)));
        value
    }

    /// The value of a result.
    fn result(&self, index: usize) -> String {
        if let Some(value) = self.current.get(&Place::Whole(Buffer::Result(index))) {
            return value.clone();
        }
        // Not made by a kernel: an argument that is given back.
        let name = &self.function.function.results[index].name;
        let arguments = &self.function.function.arguments;
        let argument = arguments.iter().position(|argument| argument.consumed && argument.name == *name);
        let place = argument.map(|argument| Place::Whole(Buffer::Argument(argument)));
        place.and_then(|place| self.current.get(&place)).cloned().unwrap_or_default()
    }
}
