//! Driving `prefill` and `decode`. The cache goes in and out of each call and never leaves the device.

use super::{
    contract::{Argument, FunctionResult, Kv, Signature},
    decoder::{Decoder, ids, read_id, runtime},
};
use iree_runtime::{Arg, BufferView, Device, Function, Session};
use studio_protocol::{ErrorCode, WireError};

/// A kv module at work.
#[derive(Debug)]
pub(super) struct KvDecoder {
    device: Device,
    session: Session,
    contract: Kv,
    prefill: Function,
    decode: Function,
    /// Absent after a call that failed, which may have used it up.
    cache: Option<BufferView>,
    position: u32,
    logits: Option<BufferView>,
}

impl KvDecoder {
    pub(super) fn new(device: Device, session: Session, contract: Kv) -> Result<Self, WireError> {
        let cache =
            BufferView::zeroed(&device, &contract.cache.shape, contract.cache.element).map_err(runtime)?;
        Ok(Self {
            prefill: session.function(&contract.prefill.name).map_err(runtime)?,
            decode: session.function(&contract.decode.name).map_err(runtime)?,
            device,
            session,
            contract,
            cache: Some(cache),
            position: 0,
            logits: None,
        })
    }

    /// Calls a function with tokens at the next positions and gives the next token.
    fn call(&mut self, which: Which, tokens: &[u32]) -> Result<u32, WireError> {
        let (function, signature) = match which {
            Which::Prefill => (&self.prefill, &self.contract.prefill),
            Which::Decode => (&self.decode, &self.contract.decode),
        };
        let (device, position) = (&self.device, self.position);
        let cache = self.cache.take().ok_or_else(|| {
            WireError::new(ErrorCode::Internal, "the cache is gone after a call that failed")
        })?;
        let args = arguments(device, signature, tokens, position, cache)?;
        let results = self.session.call(function, args).map_err(runtime)?;
        let mut next = None;
        for (result, value) in signature.results.iter().zip(results) {
            let view = value.into_view();
            match result {
                FunctionResult::Next => next = view,
                FunctionResult::Logits => self.logits = view,
                FunctionResult::Cache => self.cache = view,
            }
        }
        let next = next.ok_or_else(|| {
            WireError::new(ErrorCode::Runtime, "no tensor `next` came back").at(&*signature.name)
        })?;
        // At most the chunk, which is a `u32`.
        self.position += tokens.len() as u32;
        read_id(&next, 0)
    }
}

#[derive(Clone, Copy)]
enum Which {
    Prefill,
    Decode,
}

/// The arguments in the function's order. Fewer tokens than it takes are padded; `count` says how many there are.
fn arguments(
    device: &Device,
    signature: &Signature,
    tokens: &[u32],
    position: u32,
    cache: BufferView,
) -> Result<Vec<Arg<'static>>, WireError> {
    let mut cache = Some(cache);
    let mut args = Vec::with_capacity(signature.arguments.len());
    for argument in &signature.arguments {
        args.push(match argument {
            Argument::Tokens => {
                let mut padded: Vec<i32> = ids(tokens).collect();
                padded.resize(signature.tokens_shape.iter().product(), 0);
                Arg::Consume(
                    BufferView::from_slice(device, &signature.tokens_shape, &padded).map_err(runtime)?,
                )
            }
            Argument::Position => Arg::I32(position.cast_signed()),
            Argument::Count => Arg::I32(tokens.len() as i32),
            Argument::Cache => Arg::Consume(cache.take().ok_or_else(|| {
                WireError::new(ErrorCode::Internal, "two cache arguments").at(&*signature.name)
            })?),
        });
    }
    Ok(args)
}

impl Decoder for KvDecoder {
    fn context(&self) -> u32 {
        self.contract.context
    }

    fn prefill(&mut self, tokens: &[u32]) -> Result<u32, WireError> {
        let mut next = None;
        // The cache has room for a whole chunk from any position of the context on.
        for part in tokens.chunks(self.contract.chunk as usize) {
            next = Some(self.call(Which::Prefill, part)?);
        }
        next.ok_or_else(|| WireError::new(ErrorCode::BadPrompt, "the prompt is empty"))
    }

    fn decode(&mut self, token: u32) -> Result<u32, WireError> {
        self.call(Which::Decode, &[token])
    }

    fn logits(&mut self) -> Result<Option<Vec<f32>>, WireError> {
        self.logits.as_ref().map(|view| view.read_vec().map_err(runtime)).transpose()
    }

    fn rewind(&mut self, position: u32) -> Result<(), WireError> {
        // What the cache holds further on is written over before it is read.
        self.position = self.position.min(position);
        Ok(())
    }
}
