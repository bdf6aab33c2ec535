//! What dispatches took, as a table.

use crate::model::read_origins;
use runner_agent::Source;
use studio_protocol::{DispatchTime, origins};

/// Rows of the table; the rest is summed up.
const ROWS: usize = 24;

/// Parts of the graph that a row names.
const PARTS: usize = 2;

/// Names the parts of the graph that the dispatches of a module compute, if its compilation left word of it.
pub(super) fn name_scopes(dispatches: &mut [DispatchTime], source: &Source) {
    let Source::Compiled { bundle, module } = source else { return };
    let name = module.file_name().unwrap_or_default().to_string_lossy();
    let entry = bundle.manifest().modules.iter().find(|entry| entry.file.name == name);
    let Some(origins) = entry.and_then(|entry| read_origins(module, &entry.file.blake3)) else { return };
    for dispatch in dispatches {
        dispatch.scopes = origins.scopes_of(&dispatch.name).into_iter().map(str::to_owned).collect();
    }
}

/// The table's lines; none where nothing was timed.
pub(super) fn table(dispatches: &[DispatchTime]) -> Vec<String> {
    if dispatches.is_empty() {
        return Vec::new();
    }
    let all: f64 = dispatches.iter().map(|dispatch| dispatch.total_ms).sum();
    let known = dispatches.iter().any(|dispatch| !dispatch.scopes.is_empty());
    let row = |calls: u64, total_ms: f64, name: &str| {
        let (each, share) = (total_ms / calls.max(1) as f64, 100.0 * total_ms / all.max(f64::MIN_POSITIVE));
        format!("{calls:>7} {total_ms:>10.2} {each:>10.4} {share:>6.1} %  {name}")
    };
    let last = if known { "dispatch ← the parts of the graph that it computes" } else { "dispatch" };
    let mut lines = vec![format!("{:>7} {:>10} {:>10} {:>8}  {last}", "calls", "ms", "ms each", "share")];
    let (shown, rest) = dispatches.split_at(dispatches.len().min(ROWS));
    for dispatch in shown {
        let from = origins::summary(dispatch.scopes.iter().map(String::as_str), PARTS).join("; ");
        let name =
            if from.is_empty() { dispatch.name.clone() } else { format!("{}  ← {from}", dispatch.name) };
        lines.push(row(dispatch.calls, dispatch.total_ms, &name));
    }
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
            scopes: Vec::new(),
        };
        assert_eq!(table(&[]), Vec::<String>::new());
        let lines = table(&(0..ROWS + 16).map(dispatch).collect::<Vec<_>>());
        assert_eq!(lines.len(), ROWS + 2);
        assert_eq!(lines[0], "  calls         ms    ms each    share  dispatch");
        assert_eq!(lines[1], "      4      10.00     2.5000    2.5 %  decode_dispatch_0");
        assert_eq!(lines[ROWS + 1], "     64     160.00     2.5000   40.0 %  16 more; --json has all");

        let scopes = ["layer 0 / mlp", "layer 1 / mlp", "mask"].map(str::to_owned).to_vec();
        let lines = table(&[DispatchTime { scopes, ..dispatch(3) }]);
        assert_eq!(
            lines[1],
            "      4      10.00     2.5000  100.0 %  decode_dispatch_3  ← layer 0–1 / mlp; mask"
        );
    }
}
