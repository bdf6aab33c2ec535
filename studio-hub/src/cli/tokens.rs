//! `studio tokens`: a text's tokens, or a conversation's, as the model reads them.

use super::outcome::{WrongUsage, print, print_text};
use crate::model::Model;
use anyhow::Context;
use clap::{Args, ValueEnum};
use gguf_file::Metadata;
use runner_agent::BundleFiles;
use serde_json::{Value, json};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};
use studio_core::chat::{ChatMessage, ChatPrompt, ChatTemplate};
use studio_core::tokenizer::{TokenCounts, TokenPiece, TokenType, Tokenizer};
use studio_protocol::ChatMessage as Turn;

/// Which special tokens a text is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Special {
    /// The tokens that the model wants before and after a text are added.
    Add,
    /// Control tokens written in the text become those tokens.
    Parse,
    /// Both.
    Both,
}

/// Shows a text's tokens: ids, pieces, bytes, counts; or those of a conversation in the model's chat template.
///
/// A text is shown by itself: what `studio run` adds to a prompt, such as the token that begins a text, is shown with
/// --special. A conversation is shown as `studio run` gives it to the model.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(super) struct Tokens {
    /// A model, of which only the header is read, or a bundle's folder.
    #[arg(value_name = "MODEL.gguf|DIR")]
    source: PathBuf,
    /// The text.
    #[arg(long, group = "what")]
    text: Option<String>,
    /// A file with the text, in UTF-8.
    #[arg(long, value_name = "FILE", group = "what")]
    file: Option<PathBuf>,
    /// A file with a conversation: a JSON array of objects with `role` and `content`.
    #[arg(long, value_name = "FILE.json", group = "what")]
    messages: Option<PathBuf>,
    /// The text is what a user says: show it in the model's chat template.
    #[arg(long, conflicts_with_all = ["messages", "special"])]
    chat: bool,
    /// With --chat or --messages: don't begin the assistant's answer.
    #[arg(long)]
    no_answer: bool,
    /// Add the tokens that the model wants around a text (BOS, EOS), as `studio run` does, and read control tokens
    /// written in it as those tokens; --special=add and --special=parse do one of the two.
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "both",
        conflicts_with = "messages")]
    special: Option<Special>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// What is encoded, and what comes of it.
struct Encoded {
    text: String,
    tokens: Vec<u32>,
}

impl Tokens {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let place = || self.source.display().to_string();
        let turns = self.turns()?;
        if self.no_answer && turns.is_none() {
            return Err(WrongUsage("--no-answer is for --chat and --messages".to_owned()).into());
        }
        let path = self.header()?;
        let model = Model::open(&path)?;
        let metadata = model.gguf.metadata();
        let tokenizer = Tokenizer::from_metadata(metadata).with_context(place)?;
        let encoded = match &turns {
            Some(turns) => self.conversation(metadata, &tokenizer, turns).with_context(place)?,
            None => {
                let text = self.said()?;
                let add = matches!(self.special, Some(Special::Add | Special::Both));
                let parse = matches!(self.special, Some(Special::Parse | Special::Both));
                let tokens = tokenizer.encode(&text, add, parse)?;
                Encoded { text, tokens }
            }
        };
        let counts = tokenizer.counts(&encoded.text, &encoded.tokens);
        let pieces: Vec<TokenPiece> = encoded.tokens.iter().filter_map(|id| tokenizer.piece(*id)).collect();
        let rendered = turns.is_some().then_some(encoded.text.as_str());
        let around = match (&turns, self.special) {
            (None, None | Some(Special::Parse)) => tokenizer.encode("", true, false)?.len(),
            (Some(_), _) | (None, Some(_)) => 0,
        };
        if self.json {
            let document = document(&tokenizer, rendered, &counts, &pieces)?;
            return print(format_args!("{}\n", serde_json::to_string_pretty(&document)?));
        }
        let mut text = words(&tokenizer, rendered, &counts, &pieces)?;
        if around > 0 {
            let tokens = if around == 1 { "1 token" } else { &format!("{around} tokens") };
            writeln!(text, "\nNot shown: {tokens} that the model wants around a text (--special=add)")?;
        }
        print_text(text)
    }

    /// The file whose metadata say what the tokenizer is.
    fn header(&self) -> anyhow::Result<PathBuf> {
        if !self.source.is_dir() {
            return Ok(self.source.clone());
        }
        let bundle = BundleFiles::open(&self.source)?;
        Ok(bundle.path(&bundle.manifest().tokenizer.file)?.to_owned())
    }

    /// The text that was given.
    fn said(&self) -> anyhow::Result<String> {
        match (&self.text, &self.file) {
            (Some(text), _) => Ok(text.clone()),
            (None, Some(file)) => read(file),
            (None, None) => Err(WrongUsage("give --text or --file".to_owned()).into()),
        }
    }

    /// The conversation that was given, if one was.
    fn turns(&self) -> anyhow::Result<Option<Vec<ChatMessage>>> {
        if self.chat {
            return Ok(Some(vec![ChatMessage::new("user", self.said()?)]));
        }
        let Some(file) = &self.messages else { return Ok(None) };
        let turns: Vec<Turn> = serde_json::from_str(&read(file)?).with_context(|| {
            format!("{}: a conversation is an array of objects with `role` and `content`", file.display())
        })?;
        Ok(Some(turns.into_iter().map(|turn| ChatMessage::new(turn.role, turn.content)).collect()))
    }

    fn conversation(
        &self,
        metadata: &Metadata,
        tokenizer: &Tokenizer,
        turns: &[ChatMessage],
    ) -> anyhow::Result<Encoded> {
        let template = ChatTemplate::from_metadata(metadata)?.context(
            "the model has no chat template (tokenizer.chat_template): give the text without --chat",
        )?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs());
        let ChatPrompt { text, tokens } = template.prompt(tokenizer, turns, !self.no_answer, now)?;
        Ok(Encoded { text, tokens })
    }
}

fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    String::from_utf8(bytes).with_context(|| file.display().to_string())
}

fn document(
    tokenizer: &Tokenizer,
    rendered: Option<&str>,
    counts: &TokenCounts,
    pieces: &[TokenPiece],
) -> anyhow::Result<Value> {
    let ids: Vec<u32> = pieces.iter().map(|piece| piece.id).collect();
    let mut document = json!({
        "vocabulary_size": tokenizer.vocabulary_size(), "bos": tokenizer.bos_id(), "eos": tokenizer.eos_id(),
        "ends": tokenizer.end_ids(), "counts": counts, "ids": ids, "tokens": pieces,
    });
    if let (Some(rendered), Some(document)) = (rendered, document.as_object_mut()) {
        document.insert("rendered".to_owned(), json!(rendered));
    }
    Ok(document)
}

fn words(
    tokenizer: &Tokenizer,
    rendered: Option<&str>,
    counts: &TokenCounts,
    pieces: &[TokenPiece],
) -> anyhow::Result<String> {
    let mut text = String::new();
    if let Some(rendered) = rendered {
        writeln!(text, "{rendered}\n")?;
    }
    let ratio = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.2}"));
    let mut special = vec![];
    if counts.control > 0 {
        special.push(format!("{} control", counts.control));
    }
    if counts.unknown > 0 {
        special.push(format!("{} unknown", counts.unknown));
    }
    let special = if special.is_empty() { String::new() } else { format!(" ({})", special.join(", ")) };
    let rows = [
        ("tokens", format!("{}{special}, {} different", counts.tokens, counts.distinct)),
        ("bytes", format!("{}, {} a token", counts.bytes, ratio(counts.bytes_a_token()))),
        ("characters", counts.characters.to_string()),
        ("words", format!("{}, {} tokens a word", counts.words, ratio(counts.tokens_a_word()))),
        ("vocabulary", format!("{} tokens", tokenizer.vocabulary_size())),
    ];
    text.extend(rows.iter().map(|(label, value)| format!("{label:<13} {value}\n")));
    if !pieces.is_empty() {
        writeln!(text, "\n{:>6}  {:>8}  {:<12}  text", "place", "id", "type")?;
    }
    for (place, piece) in pieces.iter().enumerate() {
        let shown = match &piece.text {
            Some(text) => format!("{text:?}"),
            None => format!("bytes {}", piece.bytes),
        };
        writeln!(text, "{place:>6}  {:>8}  {:<12}  {shown}", piece.id, kind(piece.ty))?;
    }
    Ok(text)
}

fn kind(ty: TokenType) -> &'static str {
    match ty {
        TokenType::Normal => "normal",
        TokenType::Unknown => "unknown",
        TokenType::Control => "control",
        TokenType::UserDefined => "user-defined",
        TokenType::Unused => "unused",
        TokenType::Byte => "byte",
        TokenType::Undefined => "undefined",
    }
}
