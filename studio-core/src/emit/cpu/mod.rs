//! The form for processors: the graph as calls of kernels that travel in the module as LLVM bitcode.
//!
//! [`plan()`] says which kernel computes what (`plan/`), [`print()`] writes it down (`print/`). The functions have the names
//! and signatures of the graph's; weights are bound as the kernels' tiles.
//!
//! A dispatch runs many kernels. All workgroups of its grid run the same list of calls; each call is a *phase*, whose
//! work they share out among themselves by counters in memory (`studio_kernels::team`). A workgroup waits only for
//! work that another has begun, so that any number of threads, in any order, gives the same result.

mod plan;
mod print;

pub use plan::{
    Access, Address, Bounds, Buffer, Call, Dispatch, FunctionPlan, OwnCache, Place, PlannedCall, Pointer,
    Scalar, plan,
};
#[cfg(feature = "kernels")]
pub use print::objects;
pub use print::{Object, print};

use crate::graph::{Checked, CoverError};
use crate::options::CpuOptions;

/// Whether kernels can compute all of a graph; if not, what they can't and where. Nothing is printed and no weights are
/// read: a few milliseconds.
pub fn supports(graph: &Checked<'_>, options: &CpuOptions) -> Result<(), CpuError> {
    graph.functions().iter().try_for_each(|function| plan(graph, function, options).map(|_plan| ()))
}

/// Why a graph can't be computed by the kernels.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CpuError {
    /// Something in the graph that no role says what it is.
    #[error("{0}; choose the stablehlo form")]
    Cover(#[from] CoverError),
    /// A role that kernels don't know in this way.
    #[error("function {function}, scope {scope:?}: there is no kernel for {what}; choose the stablehlo form")]
    NoKernel {
        /// The function's name.
        function: String,
        /// The scope's path; empty for the root.
        scope: String,
        /// What is asked for.
        what: String,
    },
    /// A matrix that isn't stored as tiles.
    #[error("parameter {param}: kernels multiply with tiles only")]
    NotTiles {
        /// The parameter.
        param: String,
    },
    /// A vector that isn't stored as `f32`.
    #[error("parameter {param}: kernels read it as plain f32 only")]
    NotPlain {
        /// The parameter.
        param: String,
    },
    /// Kernels that whoever exports doesn't have.
    #[error(
        "the {kernels} kernels are not there: this program was built without them; `./dev setup arm64`, then `./dev \
         build`, make one that has all"
    )]
    NoBitcode {
        /// The set's name.
        kernels: &'static str,
    },
}
