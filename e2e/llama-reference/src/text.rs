//! Questions that only the vocabulary answers.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaChatMessage;
use llama_cpp_2::token::LlamaToken;
use serde_json::{Value, json};

use crate::load;

#[derive(Args)]
pub struct TokensArgs {
    model: PathBuf,
    #[command(flatten)]
    text: TextSource,
    /// Add the tokens that the model wants before and after a text.
    #[arg(long)]
    add_special: bool,
    /// Take control tokens written in the text as such.
    #[arg(long)]
    parse_special: bool,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct TextSource {
    text: Option<String>,
    /// A file whose whole content is the text.
    #[arg(long)]
    file: Option<PathBuf>,
    /// A file with a JSON array of texts.
    #[arg(long)]
    batch: Option<PathBuf>,
}

pub fn tokens(backend: &LlamaBackend, args: &TokensArgs) -> anyhow::Result<Value> {
    let model = load(backend, &args.model, true)?;
    let vocab = model.vocab();
    let encode = |text: &str| -> Vec<i32> {
        let tokens = vocab.tokenize(text.as_bytes(), args.add_special, args.parse_special);
        tokens.into_iter().map(|token| token.0).collect()
    };
    if let Some(path) = &args.text.batch {
        let texts: Vec<String> = serde_json::from_str(&read(path)?)
            .with_context(|| format!("{} is not a JSON array of strings", path.display()))?;
        return Ok(json!(texts.iter().map(|text| encode(text)).collect::<Vec<_>>()));
    }
    let text = match (&args.text.text, &args.text.file) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) => read(path)?,
        (None, None) => anyhow::bail!("no text given"),
    };
    Ok(json!(encode(&text)))
}

fn read(path: &PathBuf) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))
}

pub fn vocabulary(backend: &LlamaBackend, path: &PathBuf) -> anyhow::Result<Value> {
    let model = load(backend, path, true)?;
    let vocab = model.vocab();
    let ends: Vec<i32> = vocab.tokens().filter(|&token| vocab.is_eog(token)).map(|token| token.0).collect();
    let known = |token: LlamaToken| (token.0 >= 0).then_some(token.0);
    Ok(json!({
        "size": vocab.n_tokens(),
        "bos": known(vocab.bos()),
        "eos": known(vocab.eos()),
        "eot": known(vocab.eot()),
        "add_bos": vocab.should_add_bos(),
        "add_eos": vocab.should_add_eos(),
        "ends": ends,
        "control": vocab.tokens().filter(|&token| vocab.is_control(token)).map(|token| token.0).collect::<Vec<_>>(),
    }))
}

#[derive(Args)]
pub struct TextArgs {
    model: PathBuf,
    #[arg(long, value_delimiter = ',', required_unless_present = "batch")]
    tokens: Vec<i32>,
    /// A file with a JSON array of lists of ids.
    #[arg(long, conflicts_with = "tokens")]
    batch: Option<PathBuf>,
}

pub fn text(backend: &LlamaBackend, args: &TextArgs) -> anyhow::Result<Value> {
    let model = load(backend, &args.model, true)?;
    let vocab = model.vocab();
    let decode = |tokens: &[i32]| -> anyhow::Result<String> {
        let mut bytes = Vec::new();
        for &id in tokens {
            anyhow::ensure!((0..vocab.n_tokens()).contains(&id), "token {id} is not in the vocabulary");
            bytes.extend(vocab.token_to_piece(LlamaToken(id), true, None));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let Some(path) = &args.batch else { return Ok(json!(decode(&args.tokens)?)) };
    let lists: Vec<Vec<i32>> = serde_json::from_str(&read(path)?)
        .with_context(|| format!("{} is not a JSON array of lists of ids", path.display()))?;
    Ok(json!(lists.iter().map(|tokens| decode(tokens)).collect::<anyhow::Result<Vec<_>>>()?))
}

#[derive(Args)]
pub struct ChatArgs {
    model: PathBuf,
    /// A JSON array of {"role", "content"}.
    #[arg(long)]
    messages: String,
    /// End with the start of the assistant's answer.
    #[arg(long)]
    add_generation_prompt: bool,
}

pub fn chat(backend: &LlamaBackend, args: &ChatArgs) -> anyhow::Result<Value> {
    let model = load(backend, &args.model, false)?;
    let messages: Vec<Value> =
        serde_json::from_str(&args.messages).context("--messages is not a JSON array")?;
    let field = |message: &Value, name: &str| -> anyhow::Result<String> {
        Ok(message[name].as_str().with_context(|| format!("a message has no `{name}`"))?.to_owned())
    };
    let messages = messages
        .iter()
        .map(|message| Ok(LlamaChatMessage::new(field(message, "role")?, field(message, "content")?)?))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let template = model.chat_template(None)?;
    Ok(json!(model.apply_chat_template(&template, &messages, args.add_generation_prompt)?))
}
