//! The portable form: StableHLO operations, `util` globals for the parameters, and nothing else but
//! `tensor.from_elements` for scalar arguments.
//!
//! A comment names the scope where it changes, and each operation's location is its scope, so that a compiler's
//! message says which part of the model it means.

mod ops;

use super::globals;
use super::mlir::{List, Names, Quoted, Symbol, Writer, argument};
use crate::graph::{Checked, Function, Handle, Op, Scope};

/// Prints a graph as an MLIR module. Equal graphs give equal text.
pub fn print(graph: &Checked<'_>) -> String {
    let mut out = Writer::default();
    out.block(format_args!("module {}", Symbol(&graph.name)), "", |out| {
        globals::print(out, graph.params());
        for function in graph.functions() {
            out.blank();
            print_function(out, graph, function);
        }
    });
    print_locations(&mut out, graph);
    out.finish()
}

fn print_function(out: &mut Writer, graph: &Checked<'_>, function: &Function) {
    let names = Names::new(function);
    let arguments = List(function.arguments.iter().map(argument));
    let results = function.results.iter().map(|result| (&function.values[result.value], result));
    let result_types = List(results.clone().map(|(value, _)| value.ty.to_string()));
    let head = format!("func.func public {}({arguments}) -> ({result_types})", Symbol(&function.name));
    out.block(head, "", |out| {
        let mut scope = None;
        for (handle, value) in function.values.iter() {
            if let Op::Argument { .. } = value.op {
                continue;
            }
            if scope != Some(value.scope) {
                scope = Some(value.scope);
                let path = graph.scopes.path(value.scope);
                out.line(format_args!("// {}", if path.is_empty() { "model" } else { &path }.escape_debug()));
            }
            ops::print(out, graph, function, &names, handle);
        }
        let values = List(function.results.iter().map(|result| names.of(result.value)));
        out.line(format_args!("return {values} : {result_types}"));
    });
}

/// The alias of a scope's location.
fn location(scope: Handle<Scope>) -> String {
    format!("#scope{}", scope.index())
}

fn print_locations(out: &mut Writer, graph: &Checked<'_>) {
    out.blank();
    for (handle, _) in graph.scopes.iter() {
        let path = graph.scopes.path(handle);
        let path = if path.is_empty() { "model" } else { &path };
        out.line(format_args!("{} = loc({})", location(handle), Quoted(path)));
    }
}
