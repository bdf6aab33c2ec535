//! A tensor of a GGUF: what its numbers are like.

use super::Report;
use crate::model::Model;
use anyhow::bail;
use std::{fmt::Write, path::Path};
use studio_core::statistics::{Histogram, Scales, TensorStatistics, statistics};

/// The width of the longest bar, in characters.
const BAR: usize = 50;

/// Lines of a histogram, at most.
const LINES: usize = 24;

pub(super) fn inspect(path: &Path, name: &str) -> anyhow::Result<Report> {
    let model = Model::open(path)?;
    if model.gguf.tensor(name).is_none() {
        let mut message = format!("the file has no tensor {name}");
        if let Some(near) = nearest(name, model.gguf.tensors().iter().map(|tensor| tensor.name())) {
            write!(message, "; the nearest is {near}")?;
        }
        bail!("{message}. `studio inspect` lists all of them");
    }
    let found = statistics(&model.gguf, &model.files.sources(), name)?;
    Ok(Report::of(text(&found), serde_json::to_value(&found)?))
}

/// The name that shares the longest beginning and end with what was asked for.
fn nearest<'n>(asked: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let likeness = |name: &str| {
        let first = asked.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        let last = asked.bytes().rev().zip(name.bytes().rev()).take_while(|(a, b)| a == b).count();
        first + last
    };
    names.max_by_key(|name| likeness(name)).filter(|name| 2 * likeness(name) >= asked.len())
}

fn text(found: &TensorStatistics) -> String {
    let dims: Vec<String> = found.dims.iter().map(u64::to_string).collect();
    let number = |value: Option<f64>| value.map_or("none".to_owned(), |value| format!("{value:.6e}"));
    let mut rows = vec![
        ("tensor", found.name.clone()),
        ("type", found.format.clone()),
        ("dimensions", dims.join(" × ")),
        ("elements", found.elements.to_string()),
        ("min", number(found.min)),
        ("max", number(found.max)),
        ("mean", number(found.mean)),
        ("std", number(found.std)),
        ("zeros", share(found.zeros, found.elements)),
    ];
    if found.nan + found.infinite > 0 {
        rows.push(("NaN", share(found.nan, found.elements)));
        rows.push(("infinite", share(found.infinite, found.elements)));
    }
    if let Some(scales) = &found.scales {
        rows.push(("block scales", spread(scales)));
    }
    let mut text: String = rows.iter().map(|(label, value)| format!("{label:<13} {value}\n")).collect();
    text.push('\n');
    text + &bars(&found.histogram)
}

fn share(part: u64, whole: u64) -> String {
    match part {
        0 => "0".to_owned(),
        _ => format!("{part} ({:.2} %)", part as f64 * 100.0 / whole.max(1) as f64),
    }
}

fn spread(scales: &Scales) -> String {
    let mut text = match (scales.min, scales.max) {
        (Some(min), Some(max)) => {
            format!("{} blocks, {min:.3e} to {max:.3e}, a factor of {:.1}", scales.blocks, max / min)
        }
        _ => format!("{} blocks", scales.blocks),
    };
    for (count, what) in [(scales.zeros, "0"), (scales.not_finite, "not finite")] {
        if count > 0 {
            text += &format!("; {count} {what}");
        }
    }
    text
}

/// A line for each of a few ranges of values.
fn bars(histogram: &Histogram) -> String {
    let bins = histogram.counts.len();
    let joined = bins.div_ceil(LINES).max(1);
    let width = (histogram.high - histogram.low) / bins.max(1) as f64;
    let sums: Vec<u64> = histogram.counts.chunks(joined).map(|part| part.iter().sum()).collect();
    let most = sums.iter().copied().max().unwrap_or(0).max(1);
    let line = |(index, count): (usize, &u64)| {
        let from = histogram.low + width * (index * joined) as f64;
        let bar = "█".repeat((*count as f64 / most as f64 * BAR as f64).round() as usize);
        format!("{from:>12.4e}  {count:>12}  {bar}").trim_end().to_owned() + "\n"
    };
    sums.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_met_with_the_nearest_name() {
        let names = ["blk.0.attn_q.weight", "blk.1.attn_q.weight", "output.weight"];
        assert_eq!(nearest("blk.1.attn_g.weight", names.into_iter()), Some("blk.1.attn_q.weight"));
        assert_eq!(nearest("nothing", names.into_iter()), None);
    }

    #[test]
    fn bars_are_as_long_as_their_shares() {
        let histogram = Histogram { low: -1.0, high: 1.0, counts: vec![1, 2, 0, 4] };
        let blocks: Vec<usize> = bars(&histogram).lines().map(|line| line.matches('█').count()).collect();
        assert_eq!(blocks, [13, 25, 0, 50]);
    }
}
