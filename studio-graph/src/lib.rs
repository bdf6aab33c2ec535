//! Graphs for people to look at.
//!
//! Data flows one way. A [`Module`] is plain data: functions of nodes in the order in which they are computed, each in
//! a nested scope. [`Analysis`] finds what a reader wants said once: weights that belong to an operation, layers that are
//! equal, values that every layer takes. [`View`] says what is open. [`Drawing::new`] lays the open part out, and
//! [`paint`] paints it on any [`Surface`]: [`svg`] is one, the page's canvas another. [`mlir`] reads modules from text.
//!
//! No screen, file, thread or clock here: equal modules and views give equal drawings.

mod analysis;
mod color;
mod drawing;
mod geometry;
mod labels;
mod layered;
mod legend;
mod levels;
pub mod mlir;
mod module;
mod nearby;
mod overlay;
mod paint;
mod path;
mod place;
mod repeats;
mod search;
pub mod svg;
mod times;
mod tree;
mod view;

pub use analysis::Analysis;
pub use color::{Color, Palette};
pub use drawing::{Chip, ChipKind, Drawing, DrawnBox, DrawnEdge, Item, Look};
pub use geometry::{Point, Rect};
pub use labels::{bytes, count, time};
pub use legend::{LEGEND, legend};
pub use module::{
    Function, FunctionBuilder, Module, Node, NodeId, NodeKind, NodeSpec, Operand, Parameter, ParameterId,
    Scope, ScopeId, Symbol,
};
pub use nearby::{Direction, nearby};
pub use overlay::{Measure, Overlay};
pub use paint::{Highlight, Scene, Surface, TextStyle, Weight, paint};
pub use path::{find, path_of};
pub use repeats::{Group, GroupId};
pub use search::{Match, search};
pub use times::spread;
pub use tree::Tree;
pub use view::View;
