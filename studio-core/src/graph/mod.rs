//! The typed graph: SSA values in arenas, with named scopes.

mod param;

pub use param::{ElementType, ParamSource, ParamSpec, RowOrder};
