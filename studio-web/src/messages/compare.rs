//! What the worker says about a second model beside the first.

use super::SourceFile;
use serde::{Deserialize, Serialize};
use studio_core::compare::{Difference, HeaderComparison};

/// The second model, and what its header says differently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedModel {
    /// Its files, in the order of their parts.
    pub files: Vec<SourceFile>,
    /// `general.name`, or the first file's name.
    pub title: String,
    /// The two headers.
    pub headers: HeaderComparison,
}

/// A tensor that was gone through in both models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TensorOutcome {
    /// Its name.
    pub name: String,
    /// By how much it differs, or why nobody can tell.
    pub result: Result<Difference, String>,
}
