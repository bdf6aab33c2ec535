//! A text's vector, by a module of the contract `embed`.

use super::{
    contract::{Contract, Embed},
    decoder::{ids, runtime},
    open::{Encoder, open_encoder},
    profile,
    statistics::{millis, per_second},
};
use crate::{BundleFiles, machine};
use iree_runtime::{Arg, BufferView, Value};
use std::{path::Path, time::Instant};
use studio_protocol::{ErrorCode, JobEvent, RunReport, StopReason, Timings, WireError};

/// Runs a text's tokens, at least one.
pub(super) fn embed(
    (bundle, module): (&BundleFiles, &Path),
    contract: &Embed,
    (threads, is_profiled): (Option<u32>, bool),
    tokens: &[u32],
    emit: &mut dyn FnMut(JobEvent) -> Result<(), WireError>,
) -> Result<RunReport, WireError> {
    check_length(tokens, contract)?;
    let start = Instant::now();
    let mut encoder = open_encoder(bundle, module, threads, is_profiled)?;
    let load = start.elapsed();
    emit(JobEvent::PromptTokens { tokens: tokens.to_vec() })?;
    emit(JobEvent::Step { name: "prefill".to_owned() })?;
    let start = Instant::now();
    let embedding = vector(&mut encoder, contract, tokens)?;
    let took = start.elapsed();
    let timings = Timings {
        device: None,
        threads: encoder.threads,
        prompt_tokens: tokens.len() as u32,
        generated_tokens: 0,
        load_ms: millis(load),
        ttft_ms: millis(took),
        prefill_tps: per_second(tokens.len(), took),
        decode_tps: None,
        latency_ms: None,
        peak_rss_bytes: machine::peak_rss_bytes(),
    };
    let (tokens, text, stop) = (Vec::new(), String::new(), StopReason::EndOfText);
    let dispatches = profile::dispatches(is_profiled.then_some(&encoder.device))?;
    Ok(RunReport { tokens, text, stop, seed: None, embedding: Some(embedding), timings, dispatches })
}

/// The vector of a text's tokens, at least one, by a bundle's module: for comparing it with a reference.
pub fn embedding(
    bundle: &BundleFiles,
    module: &Path,
    tokens: &[u32],
    threads: Option<u32>,
) -> Result<Vec<f32>, WireError> {
    let contract = Contract::embed(bundle.manifest())?
        .ok_or_else(|| WireError::new(ErrorCode::NotFound, "the bundle has no embed graph"))?;
    check_length(tokens, &contract)?;
    vector(&mut open_encoder(bundle, module, threads, false)?, &contract, tokens)
}

fn check_length(tokens: &[u32], contract: &Embed) -> Result<(), WireError> {
    let (count, seq) = (tokens.len(), contract.seq);
    if (1..=seq as usize).contains(&count) {
        return Ok(());
    }
    let words = format!("the text has {count} tokens, the module takes 1 to {seq}");
    Err(WireError::new(ErrorCode::BadPrompt, words).hint("Shorten the text, or export with a longer `--seq`"))
}

fn vector(encoder: &mut Encoder, contract: &Embed, tokens: &[u32]) -> Result<Vec<f32>, WireError> {
    let Encoder { device, session, .. } = encoder;
    let function = session.function(&contract.function).map_err(runtime)?;
    let mut sequence: Vec<i32> = ids(tokens).collect();
    sequence.resize(contract.seq as usize, 0);
    let view = BufferView::from_slice(device, &[1, sequence.len()], &sequence).map_err(runtime)?;
    // At most `seq`, a `u32`, of which the compiler made an `i32`.
    let count = Arg::I32(tokens.len() as i32);
    let results = session.call(&function, [Arg::View(&view), count]).map_err(runtime)?;
    let vector = results
        .into_iter()
        .next()
        .and_then(Value::into_view)
        .ok_or_else(|| WireError::new(ErrorCode::Runtime, "no tensor came back from the module"))?;
    vector.read_vec().map_err(runtime)
}
