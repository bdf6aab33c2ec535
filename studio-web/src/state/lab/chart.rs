//! Charts of measurements, as fractions of their height and width.

use super::measure::{Measured, Metric, engine_words};
use studio_protocol::figures::FigureRow;

/// How many colours there are.
pub const HUES: usize = 6;

/// A bar: one engine with a number of threads on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The machine and the threads.
    pub place: String,
    /// The engine.
    pub engine: String,
    /// Its length, 0 to 1.
    pub length: f64,
    /// From the smallest to the largest of its rounds, where these are known.
    pub extremes: Option<(f64, f64)>,
    /// Its value with its unit.
    pub words: String,
    /// Which colour: the same for the same engine.
    pub hue: usize,
}

/// The rows as bars, in their order; those without a value are left out.
#[must_use]
pub fn bars(rows: &[FigureRow], metric: Metric) -> Vec<Bar> {
    let reach = |row: &FigureRow| metric.rounds(row).map(|rounds| rounds.max).or(metric.of(row));
    let most = rows.iter().filter_map(reach).fold(f64::MIN_POSITIVE, f64::max);
    let mut engines: Vec<String> = Vec::new();
    let bar = |row: &FigureRow| {
        let value = metric.of(row)?;
        let engine = engine_words(row);
        let hue = position(&mut engines, &engine);
        let place = format!("{} · {}", row.runner, threads(row.threads));
        let extremes = metric.rounds(row).map(|rounds| (rounds.min / most, rounds.max / most));
        Some(Bar { place, engine, length: value / most, extremes, words: metric.words(value), hue })
    };
    rows.iter().filter_map(bar).collect()
}

/// A line: one engine with a number of threads on one machine, over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Whose it is.
    pub name: String,
    /// Places from 0 to 1, left to right, and up.
    pub points: Vec<(f64, f64)>,
    /// Which colour.
    pub hue: usize,
}

/// Values over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// The lines.
    pub lines: Vec<Line>,
    /// The first and the last time, in milliseconds since 1970.
    pub from_to: (u64, u64),
    /// What the top stands for; the bottom is nothing.
    pub top: f64,
}

/// What was measured, over time.
#[must_use]
pub fn timeline(measured: &[Measured], metric: Metric) -> Timeline {
    let mut rows: Vec<FigureRow> = measured.iter().flat_map(Measured::rows).collect();
    rows.sort_by_key(|row| row.measured_ms);
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Timeline::default() };
    let (from, to) = (first.measured_ms, last.measured_ms);
    let top = rows.iter().filter_map(|row| metric.of(row)).fold(f64::MIN_POSITIVE, f64::max);
    let mut names: Vec<String> = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    for row in &rows {
        let Some(value) = metric.of(row) else { continue };
        let name = format!("{}, {}, {}", row.runner, engine_words(row), threads(row.threads));
        let index = position_of(&mut names, &name);
        if index == lines.len() {
            lines.push(Line { name, points: Vec::new(), hue: index % HUES });
        }
        // A single moment stands in the middle.
        let span = to - from;
        let x = if span == 0 { 0.5 } else { (row.measured_ms - from) as f64 / span as f64 };
        lines[index].points.push((x, value / top));
    }
    Timeline { lines, from_to: (from, to), top }
}

fn threads(count: u32) -> String {
    if count == 1 { "1 thread".to_owned() } else { format!("{count} threads") }
}

fn position(names: &mut Vec<String>, name: &str) -> usize {
    position_of(names, name) % HUES
}

fn position_of(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use studio_protocol::BenchReport;

    /// A report with one run of each engine.
    fn report(compiled: f64, eager: f64) -> BenchReport {
        let run = |engine: &str, decode: f64| {
            serde_json::json!({
                "engine": engine, "weights": "Q4_1", "threads": 2, "prefill_tps": null, "decode_tps": decode,
                "ttft_ms": null, "rounds": {"prefill_tps": null, "decode_tps": null}, "load_ms": 1.0,
                "peak_rss_bytes": 1, "weight_bytes": 1, "streamed_bytes_per_token": 1, "bandwidth_share": null
            })
        };
        let report = serde_json::json!({
            "model": "m", "source": "m.gguf", "cpu": "c", "features": [], "prompt_tokens": 1, "gen_tokens": 1,
            "repeat": 1, "bandwidth": [], "ratios": [], "runs": [run("compiled", compiled), run("eager", eager)]
        });
        serde_json::from_value(report).unwrap()
    }

    fn measured(job: u64, runner: &str, compiled: f64, eager: f64) -> Measured {
        Measured { job, at_ms: job, runner: runner.to_owned(), report: Arc::new(report(compiled, eager)) }
    }

    #[test]
    fn the_greatest_fills_the_chart_and_engines_keep_their_colours() {
        let rows: Vec<FigureRow> = [measured(1, "a", 100.0, 50.0), measured(2, "b", 25.0, 10.0)]
            .iter()
            .flat_map(Measured::rows)
            .collect();
        let bars = bars(&rows, Metric::Decode);
        let seen: Vec<(f64, usize)> = bars.iter().map(|bar| (bar.length, bar.hue)).collect();
        assert_eq!(seen, [(1.0, 0), (0.5, 1), (0.25, 0), (0.1, 1)]);
        assert_eq!((bars[2].place.as_str(), bars[2].words.as_str()), ("b · 2 threads", "25.0 tok/s"));
        assert!(super::bars(&rows, Metric::Prefill).is_empty());
    }

    #[test]
    fn a_machines_engine_is_one_line_over_time() {
        let all =
            [measured(300, "a", 100.0, 50.0), measured(100, "a", 50.0, 50.0), measured(200, "b", 10.0, 5.0)];
        let found = timeline(&all, Metric::Decode);
        assert_eq!((found.lines.len(), found.from_to, found.top), (4, (100, 300), 100.0));
        assert_eq!(found.lines[0].points, [(0.0, 0.5), (1.0, 1.0)]);
        assert_eq!(found.lines[2].points, [(0.5, 0.1)]);
        assert_eq!(timeline(&all[..1], Metric::Decode).lines[0].points, [(0.5, 1.0)]);
    }
}
