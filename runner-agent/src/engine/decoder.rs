//! A model at work, whichever contract it is driven by.

use iree_runtime::{BufferView, Error};
use studio_protocol::{ErrorCode, WireError};

/// A model at work on one sequence of tokens.
pub(crate) trait Decoder {
    /// How many positions there are.
    fn context(&self) -> u32;

    /// Takes tokens, at least one and at most as many as positions are left, and gives the next one.
    fn prefill(&mut self, tokens: &[u32]) -> Result<u32, WireError>;

    /// Takes one more token, where a position is left, and gives the next one.
    fn decode(&mut self, token: u32) -> Result<u32, WireError>;

    /// The logits after the last token taken, one for each token of the vocabulary; none from functions that give
    /// only ids.
    fn logits(&mut self) -> Result<Option<Vec<f32>>, WireError>;

    /// Forgets the tokens from this position on.
    fn rewind(&mut self, position: u32) -> Result<(), WireError>;
}

/// Something the runtime refused, in its own words.
pub(crate) fn runtime(error: Error) -> WireError {
    let code = match error.code {
        iree_runtime::StatusCode::ResourceExhausted => ErrorCode::OutOfMemory,
        _ => ErrorCode::Runtime,
    };
    WireError::new(code, error.message).at(error.doing)
}

/// Token ids as the module takes them. They are below the vocabulary's size, which fits.
pub(crate) fn ids(tokens: &[u32]) -> impl Iterator<Item = i32> {
    tokens.iter().map(|token| token.cast_signed())
}

/// Token ids of a tensor, from a place on.
pub(crate) fn read_ids(view: &BufferView, start: usize, count: usize) -> Result<Vec<u32>, WireError> {
    let mut ids = vec![0_i32; count];
    view.read_range(start, &mut ids).map_err(runtime)?;
    let id = |id: i32| {
        u32::try_from(id).ok().ok_or_else(|| {
            WireError::new(ErrorCode::Runtime, format!("the module gave {id} as the next token"))
        })
    };
    ids.into_iter().map(id).collect()
}

/// The token id at a place of a tensor of ids.
pub(crate) fn read_id(view: &BufferView, index: usize) -> Result<u32, WireError> {
    read_ids(view, index, 1).map(|ids| ids[0])
}
