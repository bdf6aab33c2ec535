//! What is wrong with a file.

/// Why a file can't be read as a compiled module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is something else.
    #[error("not a module of IREE: {0}")]
    NotAModule(&'static str),
    /// It is a module, and a part of it is broken.
    #[error("damaged at byte {at}: {what}")]
    Damaged {
        /// The byte of the file.
        at: usize,
        /// What is wrong there.
        what: String,
    },
    /// It refers to its parts so often that reading it would take far more memory than it has bytes.
    #[error("its parts refer to each other more often than a compiler's do")]
    TooDense,
}

impl Error {
    pub(crate) fn damaged(at: usize, what: impl Into<String>) -> Self {
        Error::Damaged { at, what: what.into() }
    }
}
