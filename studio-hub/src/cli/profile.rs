//! What dispatches took, as a table.

use studio_protocol::DispatchTime;

/// Rows of the table; the rest is summed up.
const ROWS: usize = 24;

/// The table's lines; none where nothing was timed.
pub(super) fn table(dispatches: &[DispatchTime]) -> Vec<String> {
    if dispatches.is_empty() {
        return Vec::new();
    }
    let all: f64 = dispatches.iter().map(|dispatch| dispatch.total_ms).sum();
    let row = |calls: u64, total_ms: f64, name: &str| {
        let (each, share) = (total_ms / calls.max(1) as f64, 100.0 * total_ms / all.max(f64::MIN_POSITIVE));
        format!("{calls:>7} {total_ms:>10.2} {each:>10.4} {share:>6.1} %  {name}")
    };
    let mut lines = vec![format!("{:>7} {:>10} {:>10} {:>8}  dispatch", "calls", "ms", "ms each", "share")];
    let (shown, rest) = dispatches.split_at(dispatches.len().min(ROWS));
    lines.extend(shown.iter().map(|dispatch| row(dispatch.calls, dispatch.total_ms, &dispatch.name)));
    if !rest.is_empty() {
        let calls = rest.iter().map(|dispatch| dispatch.calls).sum();
        let total_ms = rest.iter().map(|dispatch| dispatch.total_ms).sum();
        lines.push(row(calls, total_ms, &format!("{} more; --json has all", rest.len())));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_most_stands_first_and_the_rest_is_summed_up() {
        let dispatch = |index: usize| DispatchTime {
            name: format!("decode_dispatch_{index}"),
            calls: 4,
            total_ms: 10.0,
            min_ms: 2.0,
            max_ms: 3.0,
        };
        assert_eq!(table(&[]), Vec::<String>::new());
        let lines = table(&(0..ROWS + 16).map(dispatch).collect::<Vec<_>>());
        assert_eq!(lines.len(), ROWS + 2);
        assert_eq!(lines[0], "  calls         ms    ms each    share  dispatch");
        assert_eq!(lines[1], "      4      10.00     2.5000    2.5 %  decode_dispatch_0");
        assert_eq!(lines[ROWS + 1], "     64     160.00     2.5000   40.0 %  16 more; --json has all");
    }
}
