//! A GGUF: what the model is, its metadata, its tensors.

use super::super::options::usual;
use super::{Report, partial};
use crate::model::Model;
use gguf_file::{Endian, Gguf, Metadata, TensorInfo, Value, ValueArray};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use std::{collections::BTreeMap, fmt::Write, path::Path};
use studio_core::{
    export::Export,
    family::{self, ContractSupport, FormSupport},
    manifest::MemoryEntry,
};

/// Elements of an array, and characters of a string, that people are shown.
const SHOWN: usize = 6;
const SHOWN_CHARS: usize = 100;

pub(super) fn inspect(path: &Path) -> anyhow::Result<Report> {
    let model = match Model::open(path) {
        Ok(model) => model,
        Err(problem) => return partial::inspect(path, problem),
    };
    let gguf = &model.gguf;
    let described = family::describe(gguf);
    let forms: Vec<Form> = described.forms.into_iter().map(|form| Form::of(&model, form)).collect();
    let mut text = card(&model, &forms);
    let metadata = metadata(&mut text, gguf.metadata())?;
    let tensors = tensors(&mut text, gguf.tensors())?;
    let json = json!({
        "format": "gguf", "version": gguf.version(), "endian": endian(gguf), "alignment": gguf.alignment(),
        "size_bytes": model.files.size_bytes(), "parameter_count": parameter_count(gguf),
        "model": described.facts, "forms": forms, "metadata": metadata, "tensors": tensors,
    });
    Ok(Report::of(text, json))
}

/// Every pair, as text and as JSON.
pub(super) fn metadata(text: &mut String, metadata: &Metadata) -> anyhow::Result<Map<String, Json>> {
    writeln!(text, "\nMetadata")?;
    let mut object = Map::new();
    for (key, value) in metadata.iter() {
        writeln!(text, "  {key} = {}", short(value))?;
        object.insert(key.to_owned(), json_value(value));
    }
    Ok(object)
}

/// Every tensor, as text and as JSON.
pub(super) fn tensors(text: &mut String, tensors: &[TensorInfo]) -> anyhow::Result<Vec<Json>> {
    writeln!(text, "\nTensors")?;
    let mut list = Vec::new();
    for tensor in tensors {
        let (format, bytes) = (tensor.format().name(), tensor.size_bytes());
        writeln!(text, "  {format:<8} {bytes:>12} bytes  {} {:?}", tensor.name(), tensor.dims())?;
        list.push(json!({
            "name": tensor.name(), "type": format, "dims": tensor.dims(), "part": tensor.shard(),
            "offset": tensor.offset(), "size_bytes": bytes,
        }));
    }
    Ok(list)
}

/// What is supported in a form.
#[derive(Serialize)]
struct Form {
    #[serde(flatten)]
    support: FormSupport,
    /// What a run of the usual export takes of memory; `None` where there can be none.
    memory: Option<MemoryEntry>,
    /// Why this machine can't run that, where it has too little memory.
    shortage: Option<String>,
}

impl Form {
    fn of(model: &Model, support: FormSupport) -> Self {
        let memory = support.unsupported.is_none().then(|| {
            let options = usual(&model.gguf, &support.form);
            Export::new(&model.gguf, &model.files.sources(), &options).ok().map(|export| export.memory())
        });
        let memory = memory.flatten();
        let shortage = memory.and_then(|memory| memory.shortage(runner_agent::memory_bytes()));
        Self { support, memory, shortage: shortage.map(|[problem, _hint]| problem) }
    }
}

fn endian(gguf: &Gguf) -> &'static str {
    match gguf.endian() {
        Endian::Little => "little",
        Endian::Big => "big",
    }
}

fn parameter_count(gguf: &Gguf) -> u64 {
    gguf.tensors().iter().fold(0, |sum, tensor| sum.saturating_add(tensor.elements()))
}

/// What people look for first.
fn card(model: &Model, forms: &[Form]) -> String {
    let gguf = &model.gguf;
    let get = |key: &str| gguf.metadata().get(key);
    let architecture = get("general.architecture").and_then(Value::as_str).unwrap_or("unknown");
    let mut rows = vec![("architecture", architecture.to_owned())];
    if let Some(name) = get("general.name").and_then(Value::as_str) {
        rows.push(("name", clip(name)));
    }
    rows.push(("parameters", millions(parameter_count(gguf))));
    for (label, key) in
        [("layers", "block_count"), ("width", "embedding_length"), ("context", "context_length")]
    {
        if let Some(value) = get(&format!("{architecture}.{key}")).and_then(Value::as_integer) {
            rows.push((label, value.to_string()));
        }
    }
    if let Some(tokenizer) = get("tokenizer.ggml.model").and_then(Value::as_str) {
        let pre = get("tokenizer.ggml.pre").and_then(Value::as_str);
        rows.push(("tokenizer", pre.map_or(clip(tokenizer), |pre| clip(&format!("{tokenizer}, {pre}")))));
    }
    rows.push(("weights", weights(gguf)));
    let file =
        format!("{} bytes, GGUF v{}, {} endian", model.files.size_bytes(), gguf.version(), endian(gguf));
    rows.push(("file", file));
    rows.extend(forms.iter().map(|form| ("form", verdict(form))));
    rows.iter().map(|(label, value)| format!("{label:<13} {value}\n")).collect()
}

fn verdict(form: &Form) -> String {
    let name = &form.support.form;
    if let Some(reason) = &form.support.unsupported {
        return format!("{name}: can't be exported: {reason}");
    }
    let works = |contract: &&ContractSupport| contract.unsupported.is_none();
    let contracts: Vec<&str> =
        form.support.contracts.iter().filter(works).map(|contract| contract.contract.name()).collect();
    let memory = form
        .memory
        .map(|memory| format!("; a run takes {} MB of memory", memory.total_bytes().div_ceil(1_000_000)));
    let shortage = form.shortage.as_ref().map(|shortage| format!(": too much: {shortage}"));
    let [memory, shortage] = [memory, shortage].map(Option::unwrap_or_default);
    format!("{name}: can be exported, for {}{memory}{shortage}", contracts.join(", "))
}

/// The block formats by their share of the bytes, the largest first.
fn weights(gguf: &Gguf) -> String {
    let mut bytes: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    for tensor in gguf.tensors() {
        let sum = bytes.entry(tensor.format().name()).or_default();
        *sum = (sum.0.saturating_add(tensor.size_bytes()), sum.1 + 1);
    }
    let mut list: Vec<_> = bytes.into_iter().collect();
    list.sort_by_key(|(_, (bytes, _))| std::cmp::Reverse(*bytes));
    let row = |(format, (bytes, count)): &(&str, (u64, usize))| {
        format!("{format} ({count} tensors, {bytes} bytes)")
    };
    list.iter().map(row).collect::<Vec<_>>().join(", ")
}

fn millions(count: u64) -> String {
    if count < 1_000_000 { count.to_string() } else { format!("{count} ({:.1} M)", count as f64 / 1e6) }
}

fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARS).is_some() {
        clipped.push('…');
    }
    clipped
}

/// A value on one line.
fn short(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", clip(text)),
        Value::Array(array) => {
            let list: Vec<String> = elements(array).take(SHOWN).map(|element| shown(&element)).collect();
            let more = if array.len() > SHOWN { ", …" } else { "" };
            format!("[{}{more}] ({} of {})", list.join(", "), array.len(), array.element_type())
        }
        _ => json_value(value).to_string(),
    }
}

/// An element of an array.
fn shown(element: &Json) -> String {
    match element {
        Json::String(text) => format!("\"{}\"", clip(text)),
        // As JSON it is escaped already.
        other => other.to_string().chars().take(SHOWN_CHARS).collect(),
    }
}

fn json_value(value: &Value) -> Json {
    match value {
        Value::U8(value) => json!(value),
        Value::I8(value) => json!(value),
        Value::U16(value) => json!(value),
        Value::I16(value) => json!(value),
        Value::U32(value) => json!(value),
        Value::I32(value) => json!(value),
        Value::U64(value) => json!(value),
        Value::I64(value) => json!(value),
        Value::F32(value) => json!(value),
        Value::F64(value) => json!(value),
        Value::Bool(value) => json!(value),
        Value::String(value) => json!(value),
        Value::Bytes(value) => lossy(value),
        Value::Array(array) => elements(array).collect(),
    }
}

/// Text that isn't UTF-8; what isn't becomes U+FFFD.
fn lossy(bytes: &[u8]) -> Json {
    json!(String::from_utf8_lossy(bytes))
}

fn elements(array: &ValueArray) -> Box<dyn Iterator<Item = Json> + '_> {
    match array {
        ValueArray::U8(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::I8(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::U16(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::I16(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::U32(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::I32(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::U64(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::I64(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::F32(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::F64(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::Bool(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::Strings(list) => Box::new(list.iter().map(|value| json!(value))),
        ValueArray::Bytes(list) => Box::new(list.iter().map(|value| lossy(value))),
        ValueArray::Arrays(list) => Box::new(list.iter().map(|array| Json::Array(elements(array).collect()))),
    }
}
