//! What a text says, before anything is made of it.

use std::collections::HashMap;

/// A text.
#[derive(Debug, Default)]
pub(super) struct Text<'s> {
    pub(super) name: &'s str,
    pub(super) functions: Vec<Function<'s>>,
    /// `util.global`s: what they hold, by name.
    pub(super) globals: HashMap<&'s str, &'s str>,
}

/// A function with a body.
#[derive(Debug)]
pub(super) struct Function<'s> {
    pub(super) name: &'s str,
    pub(super) private: bool,
    pub(super) body: Region<'s>,
}

/// Operations in a row. Blocks follow one another.
#[derive(Debug, Default)]
pub(super) struct Region<'s> {
    pub(super) arguments: Vec<Argument<'s>>,
    pub(super) operations: Vec<Operation<'s>>,
}

/// What a region is given.
#[derive(Debug)]
pub(super) struct Argument<'s> {
    pub(super) name: &'s str,
    pub(super) ty: &'s str,
    /// What it is called in its location.
    pub(super) location: Option<&'s str>,
    /// What it is at first, for operations that say so where they name it.
    pub(super) first: Option<&'s str>,
}

/// An operation.
#[derive(Debug)]
pub(super) struct Operation<'s> {
    pub(super) offset: usize,
    /// The names of what it gives, with how many a name stands for.
    pub(super) results: Vec<(&'s str, usize)>,
    /// Its name, without quotes.
    pub(super) op: &'s str,
    /// Values that it reads, by name, with where they stand.
    pub(super) operands: Vec<(&'s str, usize)>,
    pub(super) attributes: Vec<(&'s str, String)>,
    /// The function or global that it names.
    pub(super) symbol: Option<&'s str>,
    /// Types of what it reads, where the text says them apart.
    pub(super) types: Vec<&'s str>,
    pub(super) regions: Vec<Region<'s>>,
    /// What stands in `loc(…)`.
    pub(super) location: Option<&'s str>,
}
