//! What llama.cpp says of a GGUF, as JSON on standard output: the oracle that tests compare with.
//!
//! `xtask setup reference` builds it, with RUSTFLAGS=-C target-cpu=native, so that llama.cpp uses what the machine
//! has, and together with `studio --features eager`, so that llama.cpp is compiled once.

mod quantise;
mod run;
mod samplers;
mod text;

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::{LogOptions, send_logs_to_tracing};

#[derive(Parser)]
#[command(about, long_about = None)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Token ids of a text: one array, or with --batch an array for each text.
    Tokens(text::TokensArgs),
    /// Special tokens and the ids that end a generation.
    Vocabulary { model: PathBuf },
    /// The text of token ids, control tokens written out; with --batch a text for each list.
    Text(text::TextArgs),
    /// A conversation as llama.cpp renders it. It doesn't run the model's template: it recognises it and has
    /// code of its own for each that it knows.
    Chat(text::ChatArgs),
    /// Logits at every position, written as little-endian f32 [positions, vocabulary] without a header.
    Logits(run::LogitsArgs),
    /// The vector of a text's tokens, of length 1, pooled as the model says.
    Embed(run::EmbedArgs),
    /// The greedy continuation, with the margin between the two best logits at each step.
    Greedy(run::GreedyArgs),
    /// What is left to draw among after llama.cpp's samplers.
    Samplers(samplers::SamplersArgs),
    /// A copy of a model quantised by llama.cpp.
    Quantise(quantise::QuantiseArgs),
}

/// How the model is run.
#[derive(Args)]
struct RunOptions {
    #[arg(long, default_value_t = 2)]
    threads: i32,
    /// Keep the KV cache in f32 and attend without the fused kernel, whose sums are rounded to f16.
    #[arg(long)]
    exact: bool,
}

fn main() -> anyhow::Result<()> {
    send_logs_to_tracing(LogOptions::default().with_logs_enabled(false));
    let backend = LlamaBackend::init()?;
    let answer = match Cli::parse().command {
        Command::Tokens(args) => text::tokens(&backend, &args)?,
        Command::Vocabulary { model } => text::vocabulary(&backend, &model)?,
        Command::Text(args) => text::text(&backend, &args)?,
        Command::Chat(args) => text::chat(&backend, &args)?,
        Command::Logits(args) => run::logits(&backend, &args)?,
        Command::Embed(args) => run::embed(&backend, &args)?,
        Command::Greedy(args) => run::greedy(&backend, &args)?,
        Command::Samplers(args) => samplers::samplers(&args)?,
        Command::Quantise(args) => quantise::quantise(&args)?,
    };
    println!("{answer}");
    Ok(())
}

/// Loads a model, or only its vocabulary.
fn load(backend: &LlamaBackend, path: &PathBuf, vocabulary_only: bool) -> anyhow::Result<LlamaModel> {
    let params = LlamaModelParams::default().with_vocab_only(vocabulary_only);
    LlamaModel::load_from_file(backend, path, &params)
        .with_context(|| format!("llama.cpp can't load {}", path.display()))
}
