//! Driving llama.cpp.

use super::EagerSettings;
use crate::{
    engine::{Decoder, ids},
    sample::argmax,
};
use llama_cpp_2::{
    LogOptions,
    context::{
        LlamaContext,
        params::{KvCacheType, LlamaContextParams},
    },
    llama_backend::LlamaBackend,
    llama_batch::LlamaBatch,
    model::{LlamaModel, params::LlamaModelParams},
    send_logs_to_tracing,
    token::LlamaToken,
};
use std::{num::NonZeroU32, path::Path};
use studio_protocol::{ErrorCode, WireError};

/// A GGUF at work in llama.cpp.
pub(crate) struct EagerDecoder {
    context: LlamaContext<'static>,
    batch: LlamaBatch<'static>,
    /// Positions.
    capacity: u32,
    position: u32,
    /// The token of the last call whose logits are there.
    last: i32,
}

impl EagerDecoder {
    /// Loads a model, mapped into memory. Once a process: the model stays until the process ends.
    pub(crate) fn open(model: &Path, settings: &EagerSettings, threads: u32) -> Result<Self, WireError> {
        send_logs_to_tracing(LogOptions::default().with_logs_enabled(true));
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            WireError::new(ErrorCode::Runtime, format!("llama.cpp can't {what}: {error}"))
                .at(model.display().to_string())
        };
        let backend = Box::leak(Box::new(LlamaBackend::init().map_err(|error| failed("start", &error))?));
        let params = LlamaModelParams::default();
        let loaded = LlamaModel::load_from_file(backend, model, &params)
            .map_err(|error| failed("load this model", &error))?;
        let loaded = Box::leak(Box::new(loaded));
        let threads = threads.cast_signed();
        let mut params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(settings.context))
            .with_n_batch(settings.context)
            .with_n_threads(threads)
            .with_n_threads_batch(threads)
            .with_flash_attention_policy(settings.flash_attention.into());
        if settings.exact_cache {
            params = params.with_type_k(KvCacheType::F32).with_type_v(KvCacheType::F32);
        }
        let context =
            loaded.new_context(backend, params).map_err(|error| failed("make a context", &error))?;
        let batch = LlamaBatch::new(settings.context as usize, 1);
        Ok(Self { context, batch, capacity: settings.context, position: 0, last: 0 })
    }

    /// Takes tokens, at least one, and computes the logits after the last.
    fn take(&mut self, tokens: &[u32]) -> Result<u32, WireError> {
        let failed = |error: &dyn std::fmt::Display| {
            WireError::new(ErrorCode::Runtime, format!("llama.cpp can't run these tokens: {error}"))
        };
        let full = || WireError::new(ErrorCode::BadPrompt, "the context is full");
        if tokens.len() > (self.capacity - self.position) as usize {
            return Err(full());
        }
        self.batch.clear();
        for (at, id) in (0_u32..).zip(ids(tokens)) {
            let wanted = at as usize + 1 == tokens.len();
            self.batch
                .add(LlamaToken(id), (self.position + at).cast_signed(), &[0], wanted)
                .map_err(|error| failed(&error))?;
        }
        self.context.decode(&mut self.batch).map_err(|error| failed(&error))?;
        // At most the context, a `u32`.
        self.position += tokens.len() as u32;
        self.last = tokens.len() as i32 - 1;
        argmax(self.context.get_logits_ith(self.last))
            .ok_or_else(|| WireError::new(ErrorCode::Runtime, "llama.cpp gave logits without a largest one"))
    }
}

impl Decoder for EagerDecoder {
    fn context(&self) -> u32 {
        self.capacity
    }

    fn prefill(&mut self, tokens: &[u32]) -> Result<u32, WireError> {
        if tokens.is_empty() {
            return Err(WireError::new(ErrorCode::BadPrompt, "the prompt is empty"));
        }
        self.take(tokens)
    }

    fn decode(&mut self, token: u32) -> Result<u32, WireError> {
        self.take(&[token])
    }

    fn logits(&mut self) -> Result<Option<Vec<f32>>, WireError> {
        Ok(Some(self.context.get_logits_ith(self.last).to_vec()))
    }

    fn rewind(&mut self, position: u32) -> Result<(), WireError> {
        let position = position.min(self.position);
        let gone = self.context.clear_kv_cache_seq(Some(0), Some(position), None);
        match gone {
            Ok(true) => {
                self.position = position;
                Ok(())
            }
            Ok(false) | Err(_) => Err(WireError::new(
                ErrorCode::Runtime,
                "llama.cpp can't forget the last tokens of this kind of model",
            )),
        }
    }
}
