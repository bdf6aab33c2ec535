//! The lab as the page knows it: machines, jobs that were, and what was measured.

pub mod chart;
pub mod history;
pub mod measure;
pub mod place;
pub mod route;
pub mod shown;
pub mod sweep;
pub mod urgency;
