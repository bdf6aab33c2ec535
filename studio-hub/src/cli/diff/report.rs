//! What a comparison found, as text and as JSON.

use super::alike;
use serde_json::{Value, json};
use std::{cmp::Ordering, collections::BTreeMap};
use studio_core::compare::{
    Difference, HeaderComparison, MetadataValue, ModelFigures, PairKind, TensorFigures, TensorPair,
};

/// All that was found.
pub(super) struct Table<'t> {
    pub(super) names: [String; 2],
    /// Bytes of the files.
    pub(super) sizes: [u64; 2],
    pub(super) headers: &'t HeaderComparison,
    pub(super) differences: &'t [Difference],
    /// Whether somebody wanted to know of differences in numbers.
    pub(super) asked: bool,
    /// Whether tensors were named.
    pub(super) single: bool,
}

impl Table<'_> {
    pub(super) fn json(&self) -> Value {
        let [first, second] = &self.names;
        let mut document = json!({
            "files": [
                {"name": first, "size_bytes": self.sizes[0], "model": self.headers.first},
                {"name": second, "size_bytes": self.sizes[1], "model": self.headers.second},
            ],
            "metadata": {"equal": self.headers.equal_entries, "differing": self.headers.metadata},
            "tensors": self.headers.tensors.iter().map(pair_json).collect::<Vec<_>>(),
        });
        if self.asked {
            document["differences"] = json!(self.differences);
        }
        document
    }

    pub(super) fn text(&self) -> String {
        if self.single {
            return self.differences.iter().map(facts).collect::<Vec<_>>().join("\n");
        }
        let sections = [self.files(), self.metadata(), self.tensors(), self.numbers()];
        sections.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    fn files(&self) -> Option<String> {
        let figures = [&self.headers.first, &self.headers.second];
        let side = |of: fn(&ModelFigures) -> String| figures.map(of);
        let rows = [
            ("file", self.names.clone()),
            ("bytes", self.sizes.map(|bytes| bytes.to_string())),
            ("parameters", side(|model| model.parameters.to_string())),
            ("weights", side(weights)),
            ("format", side(|model| format!("GGUF v{}, {} endian", model.version, model.endian))),
        ];
        let row = |(label, [first, second]): &(&str, [String; 2])| match first == second {
            true => format!("{label:<11} {first}\n"),
            false => format!("{label:<11} {first}\n{:<11} {second}\n", ""),
        };
        Some(rows.iter().map(row).collect())
    }

    fn metadata(&self) -> Option<String> {
        let entries = &self.headers.metadata;
        let equal = self.headers.equal_entries;
        let mut text = match entries.len() {
            0 => format!("Metadata: all {equal} entries are equal\n"),
            1 => format!("Metadata: {equal} entries are equal, 1 is not\n"),
            count => format!("Metadata: {equal} entries are equal, {count} are not\n"),
        };
        for entry in entries {
            text += &format!("  {}\n", entry.key);
            for (sign, value) in [('-', &entry.first), ('+', &entry.second)] {
                if let Some(value) = value {
                    text += &format!("    {sign} {}\n", in_words(value));
                }
            }
        }
        Some(text)
    }

    fn tensors(&self) -> Option<String> {
        let pairs = &self.headers.tensors;
        let of = |kind: PairKind| pairs.iter().filter(move |pair| pair.kind() == kind);
        let alike_count = of(PairKind::Alike).count();
        let mut text = match alike_count == pairs.len() {
            true => format!("Tensors: all {alike_count} have the same dimensions and types\n"),
            false => {
                format!("Tensors: {alike_count} of {} have the same dimensions and types\n", pairs.len())
            }
        };
        let kinds = [
            (PairKind::OnlyFirst, "Only in the first"),
            (PairKind::OnlySecond, "Only in the second"),
            (PairKind::Shape, "Other dimensions"),
            (PairKind::Type, "Other types"),
        ];
        for (kind, title) in kinds {
            let count = of(kind).count();
            if count > 0 {
                text += &format!("  {title}: {count}\n");
            }
            if kind == PairKind::Type {
                text += &changes(of(kind));
            }
            for pair in of(kind) {
                text += &format!("    {}  {}\n", pair.name, sides(pair));
            }
        }
        if !self.asked && alike(self.headers) {
            text += "Whether the numbers are equal, too, says --values\n";
        }
        Some(text)
    }

    /// A line for each tensor, the most different first.
    fn numbers(&self) -> Option<String> {
        if !self.asked {
            return None;
        }
        let mut list: Vec<&Difference> = self.differences.iter().filter(|found| !found.identical).collect();
        list.sort_by(|a, b| {
            let order = b.relative_rmse.partial_cmp(&a.relative_rmse);
            order.unwrap_or(Ordering::Equal).then_with(|| a.name.cmp(&b.name))
        });
        let identical = self.differences.len() - list.len();
        let mut text =
            format!("Numbers: {identical} of {} tensors are the same bytes\n", self.differences.len());
        if !list.is_empty() {
            text += &format!(
                "  {:>11}  {:>11}  {:>11}  {:>11}  tensor\n",
                "RMSE/RMS", "cosine", "max |Δ|", "mean |Δ|"
            );
        }
        for found in list {
            text += &format!(
                "  {:>11}  {:>11}  {:>11}  {:>11}  {}\n",
                number(found.relative_rmse),
                found.cosine.map_or_else(|| "none".to_owned(), |cosine| format!("{cosine:.7}")),
                number(found.max_abs),
                number(found.mean_abs),
                found.name
            );
        }
        Some(text)
    }
}

fn pair_json(pair: &TensorPair) -> Value {
    json!({"name": pair.name, "kind": pair.kind(), "first": pair.first, "second": pair.second})
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("{value:.4e}"))
}

/// The block formats by their share of the bytes.
fn weights(model: &ModelFigures) -> String {
    let formats: Vec<String> = model
        .formats
        .iter()
        .map(|share| format!("{} ({} tensors, {} bytes)", share.format, share.tensors, share.bytes))
        .collect();
    formats.join(", ")
}

/// How many tensors changed from which type to which.
fn changes<'p>(pairs: impl Iterator<Item = &'p TensorPair>) -> String {
    let mut changes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for pair in pairs {
        if let (Some(first), Some(second)) = (&pair.first, &pair.second) {
            *changes.entry((&first.format, &second.format)).or_default() += 1;
        }
    }
    changes.iter().map(|((from, to), count)| format!("    {from} → {to}: {count}\n")).collect()
}

/// A value on one line.
fn in_words(value: &MetadataValue) -> String {
    let line: String = value.value.chars().flat_map(char::escape_debug).collect();
    format!("{line} ({})", value.kind)
}

/// What a tensor is on either side, said once where it is the same.
fn sides(pair: &TensorPair) -> String {
    let one = |figures: &TensorFigures| {
        let dims: Vec<String> = figures.dims.iter().map(u64::to_string).collect();
        (format!("[{}]", dims.join(", ")), format!("{} {} bytes", figures.format, figures.bytes))
    };
    match (&pair.first, &pair.second) {
        (Some(first), Some(second)) => {
            let ((dims, of_first), (other, of_second)) = (one(first), one(second));
            match dims == other {
                true => format!("{dims}  {of_first} → {of_second}"),
                false => format!("{dims} {of_first} → {other} {of_second}"),
            }
        }
        (Some(only), None) | (None, Some(only)) => {
            let (dims, rest) = one(only);
            format!("{dims}  {rest}")
        }
        (None, None) => String::new(),
    }
}

/// A tensor's difference, a line a figure.
fn facts(found: &Difference) -> String {
    let most = match (found.max_abs, found.max_at) {
        (Some(max), Some(at)) => format!("{max:.6e}, at index {at}"),
        _ => "none".to_owned(),
    };
    let exact = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.6e}"));
    let mut rows = vec![
        ("tensor", found.name.clone()),
        ("elements", found.elements.to_string()),
        ("same bytes", if found.identical { "yes" } else { "no" }.to_owned()),
        ("equal", found.equal.to_string()),
        ("max |Δ|", most),
        ("mean |Δ|", exact(found.mean_abs)),
        ("RMSE", exact(found.rmse)),
        ("RMSE/RMS", exact(found.relative_rmse)),
        ("cosine", found.cosine.map_or_else(|| "none".to_owned(), |cosine| format!("{cosine:.9}"))),
    ];
    if found.not_finite > 0 {
        rows.push(("not finite", found.not_finite.to_string()));
    }
    rows.iter().map(|(label, value)| format!("{label:<13} {value}\n")).collect()
}
