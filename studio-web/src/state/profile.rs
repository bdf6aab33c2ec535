//! What the dispatches of a run took, and which parts of the graph they compute.

use crate::state::format;
use crate::state::job::Job;
use std::sync::Arc;
use studio_graph::{Function, Module, spread};
use studio_protocol::{DispatchSite, DispatchTime, FunctionOrigins, JobSpec, Origins, Outcome, origins};

/// Parts of the graph that are named beside a dispatch.
const PARTS: usize = 3;

/// Where the dispatches of the module that a job compiled come from.
#[must_use]
pub fn origins_of(job: Option<&Job>) -> Option<Arc<Origins>> {
    match job?.outcome.as_ref()? {
        Outcome::Compiled { origins, .. } if !origins.is_empty() => Some(Arc::new(origins.clone())),
        _ => None,
    }
}

/// What a run's dispatches took, or those of the newest of the earlier ones of the same module that timed them.
#[must_use]
pub fn last_times(run: Option<&Job>, past: &[Job]) -> Vec<DispatchTime> {
    let module = |job: &Job| match &job.spec {
        JobSpec::Run(spec) => Some((spec.bundle, spec.module)),
        _ => None,
    };
    let same = |job: &&Job| run.is_some_and(|run| module(job) == module(run));
    let timed = run.into_iter().chain(past.iter().filter(same)).map(|job| times_of(Some(job)));
    timed.into_iter().find(|times| !times.is_empty()).unwrap_or_default()
}

/// What a run's dispatches took; none where it did not measure that.
#[must_use]
pub fn times_of(job: Option<&Job>) -> Vec<DispatchTime> {
    match job.and_then(|job| job.outcome.as_ref()) {
        Some(Outcome::Ran { report }) => report.dispatches.clone(),
        _ => Vec::new(),
    }
}

/// A dispatch, as tables show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// How often it was made.
    pub calls: String,
    /// All its calls.
    pub total: String,
    /// One call, on average.
    pub each: String,
    /// Of all dispatches' time, from 0 to 1.
    pub share: f64,
    /// Which parts of the graph it computes.
    pub parts: Parts,
}

/// Parts of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts {
    /// In words: `layer 0–29 / mlp / up_proj`.
    pub words: String,
    /// A function and the path of the first part in it, as the explorer takes them.
    pub first: Option<(String, String)>,
}

/// The rows of a run's dispatches, those that took most first.
#[must_use]
pub fn rows(times: &[DispatchTime], origins: Option<&Origins>) -> Vec<Row> {
    let all: f64 = times.iter().map(|time| time.total_ms).sum();
    let row = |time: &DispatchTime| Row {
        name: time.name.clone(),
        calls: format::grouped(time.calls),
        total: format::millis(time.total_ms),
        each: format::millis(time.total_ms / time.calls.max(1) as f64),
        share: if all > 0.0 { time.total_ms / all } else { 0.0 },
        parts: origins.map(|origins| parts(origins, &time.name)).unwrap_or_default(),
    };
    times.iter().map(row).collect()
}

/// Which parts of the graph a dispatch computes.
#[must_use]
pub fn parts(origins: &Origins, dispatch: &str) -> Parts {
    let words = origins::summary(origins.scopes_of(dispatch), PARTS).join("; ");
    let place = |(function, site): (&FunctionOrigins, &DispatchSite)| {
        let path = origins.paths(site).next()?;
        let path = if path == origins::ROOT { String::new() } else { path.replace(" / ", "/") };
        Some((function.name.clone(), path))
    };
    Parts { words, first: origins.sites(dispatch).find_map(place) }
}

/// Times by the functions of a module.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    origins: Arc<Origins>,
    times: Vec<DispatchTime>,
}

impl Profile {
    /// What is known of a module's run; nothing where either half is missing.
    #[must_use]
    pub fn new(origins: Option<Arc<Origins>>, times: Vec<DispatchTime>) -> Option<Self> {
        (!times.is_empty()).then_some(Self { origins: origins?, times })
    }

    /// Nanoseconds that each node of a function took in one call, on average; nothing of a function that wasn't run.
    #[must_use]
    pub fn of_nodes(&self, module: &Module, function: &Function) -> Option<Vec<u64>> {
        let (times, _) = spread(module, function, self.origins.call(function.name(), &self.times));
        times.iter().any(|&time| time > 0).then_some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(name: &str, calls: u64, total_ms: f64) -> DispatchTime {
        DispatchTime { name: name.into(), calls, total_ms, min_ms: 0.0, max_ms: 0.0, scopes: vec![] }
    }

    fn origins() -> Origins {
        let site = |dispatch, scopes: &[u32]| DispatchSite { dispatch, scopes: scopes.to_vec() };
        let sites = vec![site(0, &[0]), site(0, &[1]), site(1, &[2])];
        Origins {
            scopes: ["layer 0 / mlp", "layer 1 / mlp", "output"].map(str::to_owned).to_vec(),
            dispatches: ["a", "b"].map(str::to_owned).to_vec(),
            functions: vec![FunctionOrigins { name: "decode".into(), sites }],
        }
    }

    #[test]
    fn a_row_tells_what_a_dispatch_took_and_where_it_comes_from() {
        let rows = rows(&[time("a", 10, 30.0), time("pack", 1, 10.0)], Some(&origins()));
        assert_eq!((rows[0].share, rows[0].parts.words.as_str()), (0.75, "layer 0–1 / mlp"));
        assert_eq!(rows[0].parts.first, Some(("decode".to_owned(), "layer 0/mlp".to_owned())));
        assert_eq!(rows[1].parts, Parts::default());
    }

    #[test]
    fn the_time_of_a_call_is_spread_over_the_operations_in_its_scopes() {
        let text = r#"module { func.func public @decode(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
          %0 = stablehlo.add %x, %x : tensor<2x2xf32> loc("layer 0 / mlp")
          %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("layer 1 / mlp / up_proj")
          %2 = stablehlo.add %1, %x : tensor<2x2xf32> loc("output")
          return %2 : tensor<2x2xf32>
        } }"#;
        let module = studio_graph::mlir::parse(text).unwrap();
        let function = &module.functions()[0];
        let profile =
            Profile::new(Some(Arc::new(origins())), vec![time("a", 4, 8.0), time("b", 2, 1.0)]).unwrap();
        let nodes = profile.of_nodes(&module, function).unwrap();
        let by_op: Vec<(&str, u64)> = function
            .ids()
            .map(|(id, node)| (module.text(node.op), nodes[id.index()]))
            .filter(|(_, time)| *time > 0)
            .collect();
        let [a, b] = [2_000_000, 500_000];
        assert_eq!(by_op, [("stablehlo.add", a), ("stablehlo.dot_general", a), ("stablehlo.add", b)]);
        assert_eq!(Profile::new(None, vec![time("a", 1, 1.0)]), None);
    }
}
