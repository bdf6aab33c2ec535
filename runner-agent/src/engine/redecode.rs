//! Driving a redecode function: all tokens so far, padded, once more for each new one.

use super::{
    contract::Redecode,
    decoder::{Decoder, ids, read_id, read_ids, runtime},
};
use iree_runtime::{Arg, BufferView, Device, Function, Session};
use studio_protocol::{ErrorCode, WireError};

/// A redecode module at work.
#[derive(Debug)]
pub(super) struct RedecodeDecoder {
    device: Device,
    session: Session,
    function: Function,
    /// As long as the module's sequence.
    sequence: Vec<i32>,
    /// How many of them are tokens; the rest is padding, which no earlier position looks at.
    used: usize,
}

impl RedecodeDecoder {
    pub(super) fn new(device: Device, session: Session, contract: &Redecode) -> Result<Self, WireError> {
        let function = session.function(&contract.function).map_err(runtime)?;
        Ok(Self { device, session, function, sequence: vec![0; contract.seq as usize], used: 0 })
    }

    /// Takes the first tokens and gives the next one after each of them.
    pub(super) fn all(&mut self, tokens: &[u32]) -> Result<Vec<u32>, WireError> {
        let next = self.take(tokens)?;
        read_ids(&next, 0, self.used)
    }

    /// Appends tokens and gives the next one at each position of the whole sequence.
    fn take(&mut self, tokens: &[u32]) -> Result<BufferView, WireError> {
        let used = self.used + tokens.len();
        let Some(places) = self.sequence.get_mut(self.used..used) else {
            return Err(WireError::new(ErrorCode::BadPrompt, "the context is full"));
        };
        places.iter_mut().zip(ids(tokens)).for_each(|(place, id)| *place = id);
        self.used = used;
        let shape = [1, self.sequence.len()];
        let view = BufferView::from_slice(&self.device, &shape, &self.sequence).map_err(runtime)?;
        let results = self.session.call(&self.function, [Arg::View(&view)]).map_err(runtime)?;
        results
            .into_iter()
            .next()
            .and_then(iree_runtime::Value::into_view)
            .ok_or_else(|| WireError::new(ErrorCode::Runtime, "no tensor came back from the module"))
    }

    fn step(&mut self, tokens: &[u32]) -> Result<u32, WireError> {
        let next = self.take(tokens)?;
        let last = self.used.checked_sub(1);
        read_id(&next, last.ok_or_else(|| WireError::new(ErrorCode::BadPrompt, "the prompt is empty"))?)
    }
}

impl Decoder for RedecodeDecoder {
    fn context(&self) -> u32 {
        // As long as the manifest's `seq`, a `u32`.
        self.sequence.len() as u32
    }

    fn prefill(&mut self, tokens: &[u32]) -> Result<u32, WireError> {
        self.step(tokens)
    }

    fn decode(&mut self, token: u32) -> Result<u32, WireError> {
        self.step(&[token])
    }

    fn logits(&mut self) -> Result<Option<Vec<f32>>, WireError> {
        Ok(None)
    }

    fn rewind(&mut self, position: u32) -> Result<(), WireError> {
        // No position looks at later ones: what stays there is padding.
        self.used = self.used.min(position as usize);
        Ok(())
    }
}
