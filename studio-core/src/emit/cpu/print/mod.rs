//! Writes a plan down as MLIR: globals for the parameters, an executable with the kernels and a shim for each dispatch,
//! and for each function of the graph one that makes the dispatches.

mod binding;
mod executable;
mod host;
mod object;
mod shim;

pub use object::Object;
#[cfg(feature = "kernels")]
pub use object::objects;

use super::{CpuError, FunctionPlan, plan};
use crate::emit::globals;
use crate::emit::mlir::{Symbol, Writer};
use crate::graph::{Checked, ElementType, Function};
use crate::options::CpuOptions;
use binding::Bindings;

/// The name of the executable.
const EXECUTABLE: &str = "kernels";

/// Workgroups of a dispatch's grid: more than there are threads on any machine that this is for. Those that find
/// nothing left to do end at once.
const WORKGROUPS: usize = 64;

/// Prints a graph as an MLIR module that brings its kernels along in `objects`. Equal arguments give equal text.
pub fn print(graph: &Checked<'_>, options: &CpuOptions, objects: &[Object<'_>]) -> Result<String, CpuError> {
    if objects.is_empty() {
        return Err(CpuError::NoBitcode { kernels: options.kernels.name() });
    }
    let planned = |function| Ok((function, plan(graph, function, options)?));
    let plans = graph.functions().iter().map(planned).collect::<Result<Vec<_>, CpuError>>()?;
    let functions: Vec<_> =
        plans.iter().map(|(function, plan)| Printed::new(graph, function, plan)).collect();
    let mut out = Writer::default();
    out.block(format_args!("module {}", Symbol(&graph.name)), "", |out| {
        globals::print(out, graph.params());
        out.blank();
        executable::print(out, &functions, objects);
        for function in &functions {
            out.blank();
            host::print(out, function);
        }
    });
    Ok(out.finish())
}

/// A function that is being printed.
struct Printed<'a> {
    graph: &'a Checked<'a>,
    function: &'a Function,
    plan: &'a FunctionPlan,
    /// Of each dispatch.
    bindings: Vec<Bindings>,
}

impl<'a> Printed<'a> {
    fn new(graph: &'a Checked<'a>, function: &'a Function, plan: &'a FunctionPlan) -> Self {
        let bindings = binding::of_dispatches(graph, function, plan);
        Self { graph, function, plan, bindings }
    }

    /// The name of the shim of a dispatch.
    fn shim(&self, dispatch: usize) -> String {
        format!("{}_{dispatch}", self.plan.name)
    }
}

/// The flat type that kernels see memory as.
fn memref(length: u64, element_type: ElementType) -> String {
    format!("memref<{length}x{element_type}>")
}
