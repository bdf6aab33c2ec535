//! Names of locations, which say where in the model an operation belongs.

use std::collections::HashMap;

/// How many locations one may refer through.
const MAX_STEPS: usize = 16;

/// The locations that a text gives names, `#loc1 = loc(…)`.
#[derive(Debug, Default)]
pub(super) struct Locations<'s> {
    aliases: HashMap<&'s str, &'s str>,
}

impl<'s> Locations<'s> {
    /// Aliases stand alone on their lines, most of them behind what uses them.
    pub(super) fn new(source: &'s str) -> Self {
        let mut aliases = HashMap::new();
        for line in source.lines().filter(|line| line.starts_with('#')) {
            if let Some((name, rest)) = line.split_once(" = loc(")
                && let Some(inner) = rest.trim_end().strip_suffix(')')
            {
                aliases.insert(name, inner);
            }
        }
        Self { aliases }
    }

    /// The name in what stands in `loc(…)`.
    pub(super) fn name(&self, location: &'s str) -> Option<&'s str> {
        let mut text = location.trim();
        for _ in 0..MAX_STEPS {
            if text.starts_with('#') {
                let end = text.find([',', ']', ')', ' ']).unwrap_or(text.len());
                text = self.aliases.get(&text[..end])?.trim();
            } else if let Some(rest) = text.strip_prefix('"') {
                let (name, after) = rest.split_once('"')?;
                // A file with line and column has no name.
                let is_file = after.trim_start().starts_with(':');
                if name.ends_with(':') && after.starts_with('(') {
                    // JAX's word for a call, around the location of the call.
                    text = after[1..].trim_start();
                    continue;
                }
                return (!is_file && !name.is_empty()).then_some(name);
            } else if let Some(rest) = text.strip_prefix("callsite(") {
                text = rest.trim_start();
            } else if text.starts_with("fused") {
                text = text.split_once('[')?.1.trim_start();
            } else {
                return None;
            }
        }
        None
    }

    /// The scopes in a location's name, outermost first.
    ///
    /// Here they are joined by ` / `. JAX joins them by `/`, begins with the functions that were traced, such as
    /// `jit(main)`, and ends with the operation, which is no scope.
    pub(super) fn scopes(&self, location: &'s str) -> Vec<&'s str> {
        let Some(name) = self.name(location) else { return Vec::new() };
        if name.contains(" / ") || !name.contains('/') {
            return name.split(" / ").filter(|part| *part != "model").collect();
        }
        let mut parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
        parts.pop();
        parts.retain(|part| !part.starts_with("jit(") && !part.starts_with("pjit"));
        parts
    }
}
