//! A bench's figures as rows of a table, and tables as other programs read them.

use crate::{BenchReport, Figure, JobId, LatencyPercentiles};
use serde::Serialize;

/// What was measured of one engine with a number of threads on one machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureRow {
    /// The job, where a hub had it done.
    pub job: Option<JobId>,
    /// When, in milliseconds since 1970.
    pub measured_ms: u64,
    /// The runner's name; empty where no hub was asked.
    pub runner: String,
    /// The processor.
    pub cpu: String,
    /// The model's name.
    pub model: String,
    /// `compiled` or `eager`.
    pub engine: String,
    /// `stablehlo` or `cpu`; llama.cpp's attention where it is eager.
    pub form: String,
    /// The cpu form's instruction set.
    pub kernels: String,
    /// The type of most weights.
    pub weights: String,
    /// Worker threads.
    pub threads: u32,
    /// Tokens that prefill took.
    pub prompt_tokens: u32,
    /// Tokens that decode made.
    pub gen_tokens: u32,
    /// Prompt tokens a second.
    pub prefill_tps: Option<f64>,
    /// Decoded tokens a second.
    pub decode_tps: Option<f64>,
    /// The first of these over its rounds.
    pub prefill_rounds: Option<Figure>,
    /// The second.
    pub decode_rounds: Option<Figure>,
    /// Milliseconds to the first token.
    pub ttft_ms: Option<f64>,
    /// Milliseconds for each token after it.
    pub token_ms: Option<f64>,
    /// Percentiles of it.
    pub latency_ms: Option<LatencyPercentiles>,
    /// Joules for each of them, where the machine tells.
    pub token_joules: Option<f64>,
    /// Milliseconds to open the model.
    pub load_ms: f64,
    /// The most resident memory.
    pub peak_rss_bytes: u64,
    /// Compiled by the better eager one, of `prefill_tps`; with the compiled ones only.
    pub prefill_ratio: Option<f64>,
    /// The same of `decode_tps`.
    pub decode_ratio: Option<f64>,
}

impl FigureRow {
    /// The rows of a report.
    #[must_use]
    pub fn of(job: Option<JobId>, measured_ms: u64, runner: &str, report: &BenchReport) -> Vec<Self> {
        let row = |run: &crate::BenchRun| {
            let is_compared = run.engine == "compiled" && report.eager.is_some();
            let ratio = report.ratios.iter().find(|ratio| is_compared && ratio.threads == run.threads);
            let attention = run.flash_attention.map(|fused| match fused {
                true => "flash attention".to_owned(),
                false => "plain attention".to_owned(),
            });
            Self {
                job,
                measured_ms,
                runner: runner.to_owned(),
                cpu: report.cpu.clone(),
                model: report.model.clone(),
                engine: run.engine.clone(),
                form: run.form.clone().or(attention).unwrap_or_default(),
                kernels: run.kernels.clone().or_else(|| run.device.clone()).unwrap_or_default(),
                weights: run.weights.clone(),
                threads: run.threads,
                prompt_tokens: report.prompt_tokens,
                gen_tokens: report.gen_tokens,
                prefill_tps: run.prefill_tps,
                decode_tps: run.decode_tps,
                prefill_rounds: run.rounds.prefill_tps,
                decode_rounds: run.rounds.decode_tps,
                ttft_ms: run.ttft_ms,
                token_ms: run.decode_tps.map(|tps| 1000.0 / tps),
                latency_ms: run.latency_ms,
                token_joules: run.decode_joules,
                load_ms: run.load_ms,
                peak_rss_bytes: run.peak_rss_bytes,
                prefill_ratio: ratio.and_then(|ratio| ratio.prefill),
                decode_ratio: ratio.and_then(|ratio| ratio.decode),
            }
        };
        report.runs.iter().map(row).collect()
    }
}

/// Rows as comma-separated values (RFC 4180), with a line of names first.
#[must_use]
pub fn csv(rows: &[FigureRow]) -> String {
    let mut text =
        "job,measured_at,runner,cpu,model,engine,form,kernels,weights,threads,prompt_tokens,gen_tokens,\
        prefill_tps,prefill_min,prefill_max,decode_tps,decode_min,decode_max,ttft_ms,token_ms,load_ms,peak_rss_bytes,\
        prefill_ratio,decode_ratio,token_joules,token_p50_ms,token_p90_ms,token_p99_ms\r\n"
            .to_owned();
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for row in rows {
        let cells = [
            row.job.map(|job| job.to_string()).unwrap_or_default(),
            utc(row.measured_ms),
            quoted(&row.runner),
            quoted(&row.cpu),
            quoted(&row.model),
            quoted(&row.engine),
            quoted(&row.form),
            quoted(&row.kernels),
            quoted(&row.weights),
            row.threads.to_string(),
            row.prompt_tokens.to_string(),
            row.gen_tokens.to_string(),
            number(row.prefill_tps),
            number(row.prefill_rounds.map(|rounds| rounds.min)),
            number(row.prefill_rounds.map(|rounds| rounds.max)),
            number(row.decode_tps),
            number(row.decode_rounds.map(|rounds| rounds.min)),
            number(row.decode_rounds.map(|rounds| rounds.max)),
            number(row.ttft_ms),
            number(row.token_ms),
            row.load_ms.to_string(),
            row.peak_rss_bytes.to_string(),
            number(row.prefill_ratio),
            number(row.decode_ratio),
            number(row.token_joules),
            number(row.latency_ms.map(|latency| latency.p50)),
            number(row.latency_ms.map(|latency| latency.p90)),
            number(row.latency_ms.map(|latency| latency.p99)),
        ];
        text += &cells.join(",");
        text += "\r\n";
    }
    text
}

/// Rows as a table in Markdown, rounded for people.
#[must_use]
pub fn markdown(rows: &[FigureRow]) -> String {
    let mut text =
        "| runner | model | engine | weights | threads | prefill tok/s | decode tok/s | first token ms | \
        ms/token | p50, p90, p99 | load ms | MB | decode ratio |\n|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    let number = |value: Option<f64>| value.map(|value| format!("{value:.1}")).unwrap_or_default();
    for row in rows {
        let cell = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ");
        let engine = format!("{} {}", row.engine, row.form);
        text += &format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {} | {} |\n",
            cell(&row.runner),
            cell(&row.model),
            cell(engine.trim()),
            cell(&row.weights),
            row.threads,
            number(row.prefill_tps),
            number(row.decode_tps),
            number(row.ttft_ms),
            number(row.token_ms),
            row.latency_ms.map(|latency| latency.words()).unwrap_or_default(),
            row.load_ms,
            row.peak_rss_bytes / 1_000_000,
            row.decode_ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        );
    }
    text
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// `2026-11-30T23:59:07Z`
fn utc(ms_since_1970: u64) -> String {
    let seconds = ms_since_1970 / 1000;
    let (mut days, of_day) = (seconds / 86_400, seconds % 86_400);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(runner: &str, model: &str) -> FigureRow {
        FigureRow {
            job: Some(7),
            measured_ms: 1_764_547_200_000,
            runner: runner.to_owned(),
            cpu: "c".to_owned(),
            model: model.to_owned(),
            engine: "compiled".to_owned(),
            form: "cpu".to_owned(),
            kernels: "avx2".to_owned(),
            weights: "Q4_1".to_owned(),
            threads: 2,
            prompt_tokens: 128,
            gen_tokens: 64,
            prefill_tps: Some(200.25),
            decode_tps: Some(100.0),
            prefill_rounds: None,
            decode_rounds: Some(Figure { median: 100.0, min: 90.0, max: 110.0 }),
            ttft_ms: None,
            token_ms: Some(10.0),
            latency_ms: Some(LatencyPercentiles { p50: 9.5, p90: 11.0, p99: 14.25 }),
            token_joules: None,
            load_ms: 3.5,
            peak_rss_bytes: 5_000_000,
            prefill_ratio: None,
            decode_ratio: Some(1.25),
        }
    }

    /// What `date -u -d @…` says.
    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_764_547_199_999), "2025-11-30T23:59:59Z");
        assert_eq!(utc(4_107_542_400_000), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn what_would_break_a_cell_is_quoted() {
        let text = csv(&[row("a", "one, \"two\"")]);
        let line = text.lines().nth(1).unwrap();
        let expected = "7,2025-12-01T00:00:00Z,a,c,\"one, \"\"two\"\"\",compiled,cpu,avx2,Q4_1,2,128,64,200.25,,,100,90,110,,10,3.5,5000000,,1.25,,9.5,11,14.25";
        assert_eq!(line, expected);
        let names = text.lines().next().unwrap().split(',').count();
        assert_eq!(names, csv(&[row("a", "b")]).lines().nth(1).unwrap().split(',').count());
        assert!(markdown(&[row("a", "x|y")]).contains("| x\\|y |"));
        let columns = |line: &str| line.matches('|').count();
        let text = markdown(&[row("a", "b")]);
        let lines: Vec<usize> = text.lines().map(columns).collect();
        assert_eq!(lines, [14, 14, 14]);
        assert!(text.contains("| 10.0 | 9.5, 11.0, 14.2 | 3.5 |"), "{text}");
    }
}
