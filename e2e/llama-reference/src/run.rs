//! Running the model.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::{KvCacheType, LlamaContextParams};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use serde_json::{Value, json};

use crate::{RunOptions, load};

#[derive(Args)]
pub struct LogitsArgs {
    model: PathBuf,
    #[arg(long, value_delimiter = ',', required = true)]
    tokens: Vec<i32>,
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    options: RunOptions,
}

pub fn logits(backend: &LlamaBackend, args: &LogitsArgs) -> anyhow::Result<Value> {
    let model = load(backend, &args.model, false)?;
    let mut session = Session::new(backend, &model, args.tokens.len(), &args.options)?;
    session.feed(&args.tokens, true)?;
    let file = File::create(&args.out).with_context(|| format!("can't create {}", args.out.display()))?;
    let mut file = BufWriter::new(file);
    for position in 0..args.tokens.len() {
        for logit in session.logits(position)? {
            file.write_all(&logit.to_le_bytes())?;
        }
    }
    file.flush()?;
    Ok(json!({ "shape": [args.tokens.len(), model.n_vocab()], "type": "f32" }))
}

#[derive(Args)]
pub struct EmbedArgs {
    model: PathBuf,
    #[arg(long, value_delimiter = ',', required = true)]
    tokens: Vec<i32>,
    #[command(flatten)]
    options: RunOptions,
}

pub fn embed(backend: &LlamaBackend, args: &EmbedArgs) -> anyhow::Result<Value> {
    let model = load(backend, &args.model, false)?;
    let params = params(args.tokens.len(), &args.options)?.with_embeddings(true);
    let mut context = model.new_context(backend, params).context("llama.cpp can't make a context")?;
    let mut batch = LlamaBatch::new(args.tokens.len(), 1);
    for (at, &token) in (0..).zip(&args.tokens) {
        batch.add(LlamaToken(token), at, &[0], true)?;
    }
    context.encode(&mut batch).context("llama.cpp can't run these tokens")?;
    let vector = context.embeddings_seq_ith(0).context("the model pools nothing")?;
    let norm = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    Ok(json!(vector.iter().map(|x| f64::from(*x) / norm).collect::<Vec<_>>()))
}

#[derive(Args)]
pub struct GreedyArgs {
    model: PathBuf,
    #[arg(long, value_delimiter = ',', required = true)]
    tokens: Vec<i32>,
    /// How many tokens to add. It doesn't stop at tokens that end a generation.
    #[arg(short, default_value_t = 16)]
    n: usize,
    #[command(flatten)]
    options: RunOptions,
}

pub fn greedy(backend: &LlamaBackend, args: &GreedyArgs) -> anyhow::Result<Value> {
    let model = load(backend, &args.model, false)?;
    let mut session = Session::new(backend, &model, args.tokens.len() + args.n, &args.options)?;
    session.feed(&args.tokens, false)?;
    let mut last = args.tokens.len() - 1;
    let (mut tokens, mut margins) = (Vec::new(), Vec::new());
    for _ in 0..args.n {
        let (token, margin) = best(session.logits(last)?)?;
        tokens.push(token);
        margins.push(margin);
        session.feed(&[token], false)?;
        last = 0;
    }
    Ok(json!({ "tokens": tokens, "margins": margins }))
}

/// The token with the highest logit, the lowest id of equals, and how far the next lies below it.
fn best(logits: &[f32]) -> anyhow::Result<(i32, f32)> {
    let (mut best, mut second) = ((0, f32::NEG_INFINITY), f32::NEG_INFINITY);
    for (token, &logit) in (0..).zip(logits) {
        anyhow::ensure!(!logit.is_nan(), "the logit of token {token} is not a number");
        if logit > best.1 {
            second = best.1;
            best = (token, logit);
        } else if logit > second {
            second = logit;
        }
    }
    Ok((best.0, best.1 - second))
}

/// The parameters of a context for so many tokens.
fn params(capacity: usize, options: &RunOptions) -> anyhow::Result<LlamaContextParams> {
    let capacity = u32::try_from(capacity)?.max(32);
    let params = LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(capacity))
        .with_n_batch(capacity)
        .with_n_ubatch(capacity)
        .with_n_threads(options.threads)
        .with_n_threads_batch(options.threads);
    if !options.exact {
        return Ok(params);
    }
    const WITHOUT_FLASH_ATTENTION: i32 = 0;
    Ok(params
        .with_type_k(KvCacheType::F32)
        .with_type_v(KvCacheType::F32)
        .with_flash_attention_policy(WITHOUT_FLASH_ATTENTION))
}

/// A context and how many tokens it has been fed.
struct Session<'m> {
    context: LlamaContext<'m>,
    past: i32,
}

impl<'m> Session<'m> {
    fn new(
        backend: &LlamaBackend,
        model: &'m LlamaModel,
        capacity: usize,
        options: &RunOptions,
    ) -> anyhow::Result<Self> {
        let context = model
            .new_context(backend, params(capacity, options)?)
            .context("llama.cpp can't make a context")?;
        Ok(Session { context, past: 0 })
    }

    /// Appends tokens; their logits are then read by [`Session::logits`], of all of them or of the last only.
    fn feed(&mut self, tokens: &[i32], all_logits: bool) -> anyhow::Result<()> {
        let mut batch = LlamaBatch::new(tokens.len(), 1);
        for (at, &token) in tokens.iter().enumerate() {
            let wanted = all_logits || at + 1 == tokens.len();
            batch.add(LlamaToken(token), self.past + i32::try_from(at)?, &[0], wanted)?;
        }
        self.context.decode(&mut batch).context("llama.cpp can't run these tokens")?;
        self.past += i32::try_from(tokens.len())?;
        Ok(())
    }

    /// The logits after the token at `index` of those fed last.
    fn logits(&self, index: usize) -> anyhow::Result<&[f32]> {
        Ok(self.context.get_logits_ith(i32::try_from(index)?))
    }
}
