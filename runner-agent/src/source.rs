//! A model on disk and the engine that runs it.

use crate::{BundleFiles, EagerSettings};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use studio_protocol::{ErrorCode, WireError};

/// What to run, and with which engine.
#[expect(clippy::large_enum_variant, reason = "there are one or two of them in a process")]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "engine", rename_all = "snake_case")]
pub enum Source {
    /// A bundle, by IREE's runtime.
    Compiled {
        /// Its manifest, parameters and tokenizer are read.
        bundle: BundleFiles,
        /// The module that was compiled from it for this machine.
        module: PathBuf,
    },
    /// A GGUF as it is, by llama.cpp. Of a split one, the first part.
    Eager {
        /// The model.
        model: PathBuf,
        /// How llama.cpp runs it.
        settings: EagerSettings,
    },
}

impl Source {
    /// The same with absolute paths: a child process works in another folder.
    pub(crate) fn absolute(&self) -> Result<Self, WireError> {
        Ok(match self {
            Self::Compiled { bundle, module } => {
                Self::Compiled { bundle: bundle.absolute()?, module: absolute(module)? }
            }
            Self::Eager { model, settings } => {
                Self::Eager { model: absolute(model)?, settings: settings.clone() }
            }
        })
    }
}

fn absolute(path: &Path) -> Result<PathBuf, WireError> {
    std::path::absolute(path)
        .map_err(|error| WireError::new(ErrorCode::Io, error.to_string()).at(path.display().to_string()))
}
