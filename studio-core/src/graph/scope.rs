//! Named scopes: where in the model a value belongs, such as `layer 3 / attention / q_proj`.

use super::{Arena, Handle};

/// A part of the model. All functions of a graph share one tree of scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Its name within its parent: `layer 3`, `attention`; empty for the root.
    pub name: String,
    /// What it is part of; `None` for the root. Always an earlier scope.
    pub parent: Option<Handle<Scope>>,
}

impl Arena<Scope> {
    /// The names from the root's child to the scope itself, joined: `layer 3 / attention / q_proj`. Empty for the
    /// root.
    pub fn path(&self, scope: Handle<Scope>) -> String {
        let mut names = Vec::new();
        let mut next = Some(scope);
        while let Some(Scope { name, parent }) = next.and_then(|handle| self.get(handle)) {
            if !name.is_empty() {
                names.push(name.as_str());
            }
            // A parent comes earlier: a tree made by hand that breaks this must not make a loop.
            next = parent.filter(|&parent| Some(parent) < next);
        }
        names.reverse();
        names.join(" / ")
    }
}
