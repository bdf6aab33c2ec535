//! Which parts of a model's graph the dispatches of a compiled module come from.

use crate::DispatchTime;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Where each dispatch of a module is made, and which scopes of the graph it computes.
///
/// What a runner says of it is to be checked when it is used: an index may lie outside of its list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// Paths of scopes, as the graph's text names them: `layer 3 / attention / q_proj`.
    pub scopes: Vec<String>,
    /// Names of dispatches, as the module has them. One may be made at many places: equal layers share theirs.
    pub dispatches: Vec<String>,
    /// The module's functions.
    pub functions: Vec<FunctionOrigins>,
}

/// What a function dispatches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionOrigins {
    /// Its name.
    pub name: String,
    /// Its dispatches, in the text's order.
    pub sites: Vec<DispatchSite>,
}

/// A place where something is dispatched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DispatchSite {
    /// An index into [`Origins::dispatches`].
    pub dispatch: u32,
    /// Indices into [`Origins::scopes`]; none where the text names no scope.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<u32>,
}

impl Origins {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The places where the dispatch of this name is made, each with its function.
    pub fn sites(&self, dispatch: &str) -> impl Iterator<Item = (&FunctionOrigins, &DispatchSite)> {
        let index = self.dispatches.iter().position(|name| name == dispatch);
        let all = self
            .functions
            .iter()
            .flat_map(|function| function.sites.iter().map(move |site| (function, site)));
        all.filter(move |(_, site)| index.is_some_and(|index| index as u64 == u64::from(site.dispatch)))
    }

    /// What one call of a function dispatches: the paths of each place's scopes, and the nanoseconds that its dispatch
    /// took on average. Places whose dispatch wasn't timed are left out.
    pub fn call(&self, function: &str, times: &[DispatchTime]) -> Vec<(Vec<&str>, u64)> {
        let timed = times.iter().filter(|time| time.calls > 0);
        let each: HashMap<&str, u64> = timed
            .map(|time| (time.name.as_str(), (time.total_ms * 1e6 / time.calls as f64) as u64))
            .collect();
        let known = self.functions.iter().filter(|known| known.name == function);
        let place = |site: &DispatchSite| {
            let name = self.dispatches.get(site.dispatch as usize)?;
            Some((self.paths(site).collect(), *each.get(name.as_str())?))
        };
        known.flat_map(|known| &known.sites).filter_map(place).collect()
    }

    /// The paths of all scopes that a dispatch computes parts of, each once, in the text's order.
    pub fn scopes_of(&self, dispatch: &str) -> Vec<&str> {
        let mut seen = HashSet::new();
        let all = self.sites(dispatch).flat_map(|(_, site)| self.paths(site));
        all.filter(|path| seen.insert(*path)).collect()
    }

    /// The paths of a place's scopes.
    pub fn paths(&self, site: &DispatchSite) -> impl Iterator<Item = &str> {
        site.scopes.iter().filter_map(|&scope| self.scopes.get(scope as usize)).map(String::as_str)
    }
}

/// Paths of scopes in a few words: equal ones of several layers become one, `layer 0–29 / attention / q_proj`, and where
/// more than `most` would be left, only the paths' first parts stand, `layer 0–2`. What lies in no scope is at the top level.
pub fn summary<'a>(paths: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<String> {
    let word = |path| if path == ROOT { "top level" } else { path };
    let paths: Vec<&str> = paths.into_iter().map(word).collect();
    let whole = gather(paths.iter().copied());
    match whole.len() <= most {
        true => whole,
        false => gather(paths.iter().map(|path| path.split(SEPARATOR).next().unwrap_or(path))),
    }
}

const SEPARATOR: &str = " / ";
/// What texts call the scope that all others are in.
pub const ROOT: &str = "model";

/// Paths that differ only in the number at the end of their first part become one, in the order of the first ones.
fn gather<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut groups: Vec<(&str, &str, BTreeSet<u64>)> = Vec::new();
    let mut known: HashMap<(&str, &str, bool), usize> = HashMap::new();
    for path in paths {
        let (first, rest) = path.split_at(path.find(SEPARATOR).unwrap_or(path.len()));
        let numbered = first.rsplit_once(' ').and_then(|(word, number)| Some((word, number.parse().ok()?)));
        let (word, number): (&str, Option<u64>) = numbered.map_or((first, None), |(w, n)| (w, Some(n)));
        let group = *known.entry((word, rest, number.is_some())).or_insert_with(|| {
            groups.push((word, rest, BTreeSet::new()));
            groups.len() - 1
        });
        groups[group].2.extend(number);
    }
    let words = |(word, rest, numbers): (&str, &str, BTreeSet<u64>)| match numbers.is_empty() {
        true => format!("{word}{rest}"),
        false => format!("{word} {}{rest}", ranges(&numbers)),
    };
    groups.into_iter().map(words).collect()
}

/// `0–2, 5`
fn ranges(numbers: &BTreeSet<u64>) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let words = |&(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first}–{last}"),
    };
    runs.iter().map(words).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_parts_of_layers_become_one() {
        let paths = ["layer 0 / mlp", "layer 1 / mlp", "layer 4 / mlp", "mask", "layer 0"];
        assert_eq!(summary(paths, 3), ["layer 0–1, 4 / mlp", "mask", "layer 0"]);
        assert_eq!(summary(paths, 2), ["layer 0–1, 4", "mask"]);
        assert_eq!(summary(["model", "model / x"], 2), ["top level", "model / x"]);
        assert_eq!(summary([], 2), Vec::<String>::new());
    }

    #[test]
    fn an_index_beyond_its_list_names_nothing() {
        let site = DispatchSite { dispatch: 7, scopes: vec![0, 9] };
        let function = FunctionOrigins { name: "decode".to_owned(), sites: vec![site.clone()] };
        let origins = Origins {
            scopes: vec!["mask".to_owned()],
            dispatches: vec!["a".to_owned()],
            functions: vec![function],
        };
        assert_eq!(origins.sites("a").count(), 0);
        assert_eq!(origins.paths(&site).collect::<Vec<_>>(), ["mask"]);
    }
}
