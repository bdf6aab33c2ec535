//! What the page knows, as plain structs: no browser here, all of it tested natively.

pub mod compare;
pub mod export;
pub mod format;
pub mod graph;
pub mod job;
pub mod lab;
pub mod latency;
pub mod link;
pub mod metadata;
pub mod model;
pub mod module;
pub mod options;
pub mod profile;
pub mod prompt;
pub mod rate;
pub mod room;
pub mod session;
pub mod survey;
pub mod target;
pub mod tensors;
pub mod tokens;
pub mod vector;
