//! A compiled module as the page follows it, and what it says of one.

use crate::messages::Problem;
use crate::state::format;
use crate::state::profile::{self, Parts};
use std::collections::BTreeMap;
use std::sync::Arc;
use studio_protocol::Origins;
use vmfb_file::{Executable, SegmentPlace, Vmfb};

/// A compiled module.
#[derive(Debug, Clone, Default)]
pub enum ModuleState {
    /// Nobody asked for one.
    #[default]
    None,
    /// The worker reads it.
    Asked {
        /// The question.
        module_id: u64,
        /// Its file.
        name: String,
    },
    /// It can't be read.
    Failed {
        /// Why.
        problem: Problem,
        /// Its file.
        name: String,
    },
    /// It is there.
    Open {
        /// What is in it.
        module: Arc<Vmfb>,
        /// Its file.
        name: String,
    },
}

impl ModuleState {
    /// Its file, whatever became of it.
    pub fn name(&self) -> Option<&str> {
        match self {
            ModuleState::None => None,
            ModuleState::Asked { name, .. }
            | ModuleState::Failed { name, .. }
            | ModuleState::Open { name, .. } => Some(name),
        }
    }

    /// The same with an answer, if it is the one that is awaited.
    #[must_use]
    pub fn answered(&self, answer: u64, result: Result<Arc<Vmfb>, Problem>) -> Option<Self> {
        match self {
            ModuleState::Asked { module_id, name } if *module_id == answer => {
                let name = name.clone();
                Some(match result {
                    Ok(module) => ModuleState::Open { module, name },
                    Err(problem) => ModuleState::Failed { problem, name },
                })
            }
            _ => None,
        }
    }
}

/// What there is to say of the whole, labelled.
#[must_use]
pub fn facts(vmfb: &Vmfb) -> Vec<(&'static str, String)> {
    let module = &vmfb.module;
    let code: u64 = vmfb.executables.iter().map(|executable| executable.bytes).sum();
    let needs: Vec<String> = module
        .dependencies
        .iter()
        .flatten()
        .map(|need| format!("{} {}{}", need.name, need.minimum_version, if need.optional { "?" } else { "" }))
        .collect();
    let mut facts = vec![
        ("Name", module.name.clone()),
        ("File", format::bytes(vmfb.file_bytes)),
        ("Executables", format!("{}, {}", vmfb.executables.len(), format::bytes(code))),
        ("Dispatches made", format::grouped(vmfb.sites.len() as u64)),
        ("Bytecode", format::bytes(module.bytecode_bytes.unwrap_or(0) as u64)),
        ("Needs modules", needs.join(", ")),
    ];
    if let Some(state) = module.state {
        let words = format!("{} bytes, {} references", state.global_bytes, state.global_refs);
        facts.push(("Kept by each session", words));
    }
    facts
}

/// Exports with their declarations.
#[must_use]
pub fn exports(vmfb: &Vmfb) -> Vec<(String, String)> {
    let declaration = |function: usize| {
        let signature = vmfb.module.signatures.get(function)?;
        let attributes = signature.attributes.iter().flatten();
        let declared = attributes.clone().find(|attribute| attribute.key == "iree.abi.declaration");
        declared.map(|attribute| attribute.value.clone()).or_else(|| signature.calling_convention.clone())
    };
    let exports = vmfb.module.exports.iter().flatten();
    exports.map(|export| (export.name.clone(), declaration(export.function).unwrap_or_default())).collect()
}

/// A function of an executable, as the table shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchRow {
    /// Its name.
    pub name: String,
    /// Bytes of its code.
    pub code: String,
    /// What it is given.
    pub given: String,
    /// How often each function of the module dispatches it: `prefill × 30, decode × 1`.
    pub calls: String,
    /// Which parts of the graph it computes, if that is known.
    pub parts: Parts,
}

/// The functions of an executable whose names, or the parts of the graph that they compute, have a text in them.
#[must_use]
pub fn dispatches(
    vmfb: &Vmfb,
    executable: &Executable,
    origins: Option<&Origins>,
    query: &str,
) -> Vec<DispatchRow> {
    let mut calls: BTreeMap<&str, BTreeMap<usize, usize>> = BTreeMap::new();
    for site in &vmfb.sites {
        *calls.entry(&site.dispatch).or_default().entry(site.function).or_default() += 1;
    }
    let name = |function: usize| {
        let export = vmfb.module.exports.iter().flatten().find(|export| export.function == function);
        export.map_or_else(|| format!("function {function}"), |export| export.name.clone())
    };
    let query = query.trim().to_lowercase();
    let row = |function: &vmfb_file::Dispatch| {
        let by = calls.get(function.name.as_str());
        let words =
            by.into_iter().flatten().map(|(&function, count)| format!("{} × {count}", name(function)));
        let local = match function.local_memory_bytes {
            0 => String::new(),
            bytes => format!(", {} local", format::bytes(bytes)),
        };
        DispatchRow {
            name: function.name.clone(),
            code: function.code_bytes.map(format::bytes).unwrap_or_default(),
            given: format!("{} buffers, {} numbers{local}", function.bindings, function.constants),
            calls: words.collect::<Vec<_>>().join(", "),
            parts: origins.map(|origins| profile::parts(origins, &function.name)).unwrap_or_default(),
        }
    };
    let has = |text: &str| text.to_lowercase().contains(&query);
    executable.functions.iter().map(row).filter(|row| has(&row.name) || has(&row.parts.words)).collect()
}

/// Read-only data: what each piece is and how long.
#[must_use]
pub fn data(vmfb: &Vmfb) -> Vec<(String, String)> {
    let segments = vmfb.module.rodata.iter().flatten().enumerate();
    let row = |(index, segment): (usize, &vmfb_file::Segment)| {
        let (what, bytes) = match &segment.place {
            SegmentPlace::Embedded { bytes, text } => (text.clone(), *bytes as u64),
            SegmentPlace::External { bytes, .. } => (segment.member.clone(), *bytes),
        };
        let what = what.filter(|what| !what.is_empty()).unwrap_or_else(|| format!("data {index}"));
        (what.chars().take(80).collect(), format::bytes(bytes))
    };
    segments.map(row).collect()
}
