//! What can be done with a model, told from its header alone and before any work: in which forms and with which
//! contracts it can be exported, and which family an unknown one is like.

use super::block::rope::table_without_factors;
use super::{BuildError, Family, Nearest, detect, functions, request};
use crate::emit::cpu;
use crate::graph::{Graph, check};
use crate::options::{CpuOptions, ExportOptions, Form, GraphKind, Kernels};
use gguf_file::Gguf;
use serde::{Deserialize, Serialize};

/// Whether a model can be exported in a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormSupport {
    /// `stablehlo` or `cpu`.
    pub form: String,
    /// Why it can't be, in words; `None` if it can, with every contract that models of its kind have.
    pub unsupported: Option<String>,
    /// Every contract in this form; none where the model can't be read as one of any family.
    pub contracts: Vec<ContractSupport>,
}

/// Whether a model can be exported in a form with a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractSupport {
    /// The contract.
    pub contract: GraphKind,
    /// Why it can't be, in words; `None` if it can.
    pub unsupported: Option<String>,
}

/// Every form.
pub(super) fn forms(gguf: &Gguf) -> Vec<FormSupport> {
    let cpu = Form::Cpu(CpuOptions::of(Kernels::Portable));
    let family = detect(gguf).map_err(|error| error.to_string());
    let forms = [("stablehlo", Form::Stablehlo), ("cpu", cpu)];
    forms.map(|(name, form)| support(gguf, &family, name, form)).into()
}

fn support(gguf: &Gguf, family: &Result<Family, String>, name: &str, form: Form) -> FormSupport {
    let form_support = |unsupported, contracts| FormSupport { form: name.to_owned(), unsupported, contracts };
    let family = match family {
        Ok(family) => *family,
        Err(reason) => return form_support(Some(reason.clone()), Vec::new()),
    };
    let contracts = GraphKind::ALL.map(|contract| ContractSupport {
        contract,
        unsupported: supports(gguf, family, form, contract).err(),
    });
    // What models of its kind don't have is no fault of the form.
    let own = |support: &&ContractSupport| (support.contract == GraphKind::Embed) == family.is_encoder();
    let unsupported = contracts.iter().filter(own).find_map(|support| support.unsupported.clone());
    form_support(unsupported, contracts.into())
}

/// The least that can be asked for: what is too much for a model is no fault of it. `prefill` has more tokens than
/// `decode`.
fn least(form: Form, contract: GraphKind) -> ExportOptions {
    ExportOptions { graphs: vec![contract], seq: 2, context: 2, chunk: 2, ..ExportOptions::of(form) }
}

fn supports(gguf: &Gguf, family: Family, form: Form, contract: GraphKind) -> Result<(), String> {
    match (family.is_encoder(), contract) {
        (true, GraphKind::Kv | GraphKind::Redecode) => {
            return Err("models that give a text's vector don't have it".to_owned());
        }
        (false, GraphKind::Embed) => return Err("models that generate tokens don't have it".to_owned()),
        (true, GraphKind::Embed) | (false, GraphKind::Kv | GraphKind::Redecode) => {}
    }
    let options = least(form, contract);
    let graph = graph(gguf, family, &options).map_err(|error| match error {
        // Nobody chose anything yet.
        BuildError::Option { reason, .. } => reason,
        error => error.to_string(),
    })?;
    if let Form::Cpu(cpu_options) = &form {
        let checked = check(&graph).map_err(|error| error.to_string())?;
        cpu::supports(&checked, cpu_options).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The graph as it would be if rope's frequencies had no factors, which are read from the file's data.
fn graph(gguf: &Gguf, family: Family, options: &ExportOptions) -> Result<Graph, BuildError> {
    request::check(options)?;
    let parts = family.parts(gguf, options)?;
    let (ropes, head_dim) = parts.ropes();
    let table = |rope| table_without_factors(rope, head_dim, gguf, options);
    let tables = ropes.iter().map(table).collect::<Result<Vec<_>, _>>()?;
    functions(family, &parts, &tables, options)
}

/// The family that a model of an unknown architecture is like: one that could read it under its own name, else the one
/// whose name begins in the same way.
pub(super) fn nearest(gguf: &Gguf, architecture: &str) -> Option<Nearest> {
    let reads = |family: &Family| {
        let contract = if family.is_encoder() { GraphKind::Embed } else { GraphKind::Kv };
        let options = least(Form::Stablehlo, contract);
        family.parts_by_keys_of(architecture, gguf, &options).is_ok()
    };
    if let Some(family) = Family::all().find(reads) {
        return Some(Nearest { architecture: family.architecture(), same_tensors: true });
    }
    /// Shorter beginnings say nothing.
    const LETTERS: usize = 3;
    let shared = |family: &Family| {
        let both = family.architecture().bytes().zip(architecture.bytes());
        both.take_while(|(known, given)| known.eq_ignore_ascii_case(given)).count()
    };
    // The first of equals, which is the most common: `max_by_key` takes the last.
    let best = Family::all().fold(None, |best: Option<Family>, family| match best {
        Some(known) if shared(&known) >= shared(&family) => Some(known),
        _ => Some(family),
    })?;
    (shared(&best) >= LETTERS).then(|| Nearest { architecture: best.architecture(), same_tensors: false })
}
