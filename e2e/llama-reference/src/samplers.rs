//! What llama.cpp's samplers leave to draw among.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::Args;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;
use serde_json::{Value, json};

#[derive(Args)]
pub struct SamplersArgs {
    /// A JSON array of {"logits", "recent", "settings"}; the same is printed with "candidates" added: tokens and their
    /// logits divided by the temperature, the most likely first.
    cases: PathBuf,
}

pub fn samplers(args: &SamplersArgs) -> anyhow::Result<Value> {
    let text = fs::read_to_string(&args.cases).context("reading the cases")?;
    let cases: Vec<Value> = serde_json::from_str(&text).context("the cases are no JSON array")?;
    cases.into_iter().map(case).collect()
}

/// One case, by the samplers that `common_sampler` chains by default, in its order.
fn case(mut case: Value) -> anyhow::Result<Value> {
    let floats = |value: &Value| -> anyhow::Result<Vec<f32>> {
        value.as_array().context("no list of numbers")?.iter().map(float).collect()
    };
    let logits = floats(&case["logits"])?;
    let settings = &case["settings"];
    let count =
        |name: &str| settings[name].as_i64().context("a setting is missing").map(|count| count as i32);
    let mut penalties = LlamaSampler::penalties(
        logits.len() as i32,
        count("repeat_last")?,
        float(&settings["repeat_penalty"])?,
        0.0,
        0.0,
    );
    for token in floats(&case["recent"])? {
        penalties.accept(LlamaToken(token as i32));
    }
    let chain = [
        penalties,
        LlamaSampler::top_k(count("top_k")?),
        LlamaSampler::top_p(float(&settings["top_p"])?, 0),
        LlamaSampler::min_p(float(&settings["min_p"])?, 0),
        LlamaSampler::temp(float(&settings["temperature"])?),
    ];
    let all = (0..).zip(&logits).map(|(token, &logit)| LlamaTokenData::new(LlamaToken(token), logit, 0.0));
    let mut candidates = LlamaTokenDataArray::from_iter(all, false);
    for mut sampler in chain {
        candidates.apply_sampler(&mut sampler);
    }
    let mut left: Vec<(i32, f32)> = candidates.data.iter().map(|left| (left.id().0, left.logit())).collect();
    left.sort_by(|a, b| b.1.total_cmp(&a.1));
    case["candidates"] = json!(left);
    Ok(case)
}

fn float(value: &Value) -> anyhow::Result<f32> {
    Ok(value.as_f64().context("no number")? as f32)
}
