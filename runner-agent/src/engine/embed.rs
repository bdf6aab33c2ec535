//! A text's vector, by a module of the contract `embed`.

use super::{
    contract::Embed,
    decoder::{ids, runtime},
    open::{Encoder, open_encoder},
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
    threads: Option<u32>,
    tokens: &[u32],
    emit: &mut dyn FnMut(JobEvent) -> Result<(), WireError>,
) -> Result<RunReport, WireError> {
    if tokens.len() > contract.seq as usize {
        let (count, seq) = (tokens.len(), contract.seq);
        return Err(WireError::new(
            ErrorCode::BadPrompt,
            format!("the text has {count} tokens, the module takes {seq}"),
        )
        .hint("Shorten the text, or export with a longer `--seq`"));
    }
    let start = Instant::now();
    let Encoder { device, mut session, threads } = open_encoder(bundle, module, threads)?;
    let function = session.function(&contract.function).map_err(runtime)?;
    let load = start.elapsed();
    emit(JobEvent::PromptTokens { tokens: tokens.to_vec() })?;
    emit(JobEvent::Step { name: "prefill".to_owned() })?;
    let start = Instant::now();
    let mut sequence: Vec<i32> = ids(tokens).collect();
    sequence.resize(contract.seq as usize, 0);
    let view = BufferView::from_slice(&device, &[1, sequence.len()], &sequence).map_err(runtime)?;
    // At most `seq`, a `u32`, of which the compiler made an `i32`.
    let count = Arg::I32(tokens.len() as i32);
    let results = session.call(&function, [Arg::View(&view), count]).map_err(runtime)?;
    let vector = results
        .into_iter()
        .next()
        .and_then(Value::into_view)
        .ok_or_else(|| WireError::new(ErrorCode::Runtime, "no tensor came back from the module"))?;
    let embedding: Vec<f32> = vector.read_vec().map_err(runtime)?;
    let took = start.elapsed();
    let timings = Timings {
        threads,
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
    Ok(RunReport { tokens, text, stop, seed: None, embedding: Some(embedding), timings })
}
