//! Errors of the layers below, in words for the person who dropped the file.

use crate::messages::{Problem, SourceFile};
use crate::state::format::sentence;
use gguf_file::{Error, ErrorKind, Field};

/// Why files cannot be read as a model, with what to do about the usual causes.
pub fn gguf_problem(error: &Error, files: &[SourceFile]) -> Problem {
    let place = error.place();
    let file = files.get(place.shard.unwrap_or(0)).filter(|_| files.len() == 1 || place.shard.is_some());
    let offset = place.offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
    let field = match place.field {
        Field::Magic => String::new(),
        ref field => format!("{field}{offset}"),
    };
    let place = match (file, field.is_empty()) {
        (Some(file), true) => file.name.clone(),
        (Some(file), false) => format!("{}, {field}", file.name),
        (None, _) => field,
    };
    let problem = Problem::new(sentence(&error.kind().to_string())).at(place);
    match hint(error.kind()) {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

fn hint(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::NotGguf { .. } => {
            "Choose a .gguf file. llama.cpp’s convert_hf_to_gguf.py makes one from a Hugging Face model"
        }
        ErrorKind::Truncated { .. } | ErrorKind::PastEnd { .. } | ErrorKind::CountExceedsFile { .. } => {
            "The file seems to be cut short: compare its length with the original’s and fetch it again"
        }
        ErrorKind::LonePart { .. } | ErrorKind::PartCount { .. } => {
            "Select or drop all parts of the model at once"
        }
        ErrorKind::UnsupportedVersion { .. } => "Convert the model anew with a present llama.cpp",
        ErrorKind::UnknownFormat { .. } => {
            "The file may come from a newer llama.cpp: quantise the model to a format such as Q8_0 or F16"
        }
        _ => return None,
    })
}

/// Why a model cannot be exported.
pub(super) fn obstacle(reason: &str) -> Problem {
    Problem::new(sentence(reason))
}

/// Why an export with these options cannot be made.
pub fn export_problem(error: &dyn std::error::Error) -> Problem {
    Problem::new(sentence(&error.to_string()))
}
