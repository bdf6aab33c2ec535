//! What a manifest says of a module's functions, checked against the contracts of docs/contracts.md.

use iree_runtime::{ElementType, Module};
use studio_core::{
    manifest::{FunctionEntry, Manifest, TensorEntry},
    options::GraphKind,
};
use studio_protocol::{ErrorCode, WireError};

/// How a module is driven.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Contract {
    Kv(Kv),
    Redecode(Redecode),
}

/// `prefill` and `decode` over a cache.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kv {
    pub(super) prefill: Signature,
    pub(super) decode: Signature,
    pub(super) cache: Tensor,
    /// Positions in the cache.
    pub(super) context: u32,
    /// Tokens that one call of `prefill` takes.
    pub(super) chunk: u32,
}

/// The whole sequence again for each token.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Redecode {
    pub(super) function: String,
    /// Tokens in the sequence.
    pub(super) seq: u32,
}

/// A text's tokens to its vector.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Embed {
    pub(super) function: String,
    /// Tokens in the sequence.
    pub(super) seq: u32,
}

/// A function: its name, and the roles of its arguments and results in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) arguments: Vec<Argument>,
    pub(super) results: Vec<FunctionResult>,
    /// The shape of `tokens`.
    pub(super) tokens_shape: Vec<usize>,
}

/// What an argument of a kv function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    Tokens,
    Position,
    Count,
    Cache,
}

/// What a result of a kv function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FunctionResult {
    Next,
    Logits,
    Cache,
}

/// A tensor's shape and element type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) element: ElementType,
}

impl Contract {
    /// How to run a bundle: over its cache if it has one.
    pub(super) fn new(manifest: &Manifest) -> Result<Self, WireError> {
        match (Self::kv(manifest)?, Self::redecode(manifest)?) {
            (Some(kv), _) => Ok(Self::Kv(kv)),
            (None, Some(redecode)) => Ok(Self::Redecode(redecode)),
            (None, None) if Self::embed(manifest)?.is_some() => Err(WireError::new(
                ErrorCode::BadMessage,
                "the model gives a text's vector and generates no tokens",
            )
            .hint("`studio run` prints the vector")),
            (None, None) => Err(mismatch("the manifest has neither kv nor redecode functions")),
        }
    }

    /// The kv contract, if the bundle has it.
    pub(super) fn kv(manifest: &Manifest) -> Result<Option<Kv>, WireError> {
        let Some(cache) = &manifest.cache else { return Ok(None) };
        let cache = tensor(cache)?;
        let find = |name: &str| {
            let mut functions = manifest.functions.iter();
            functions
                .find(|function| function.graph == GraphKind::Kv && function.name == name)
                .ok_or_else(|| mismatch(format!("the manifest has a cache and no function `{name}`")))
        };
        let (prefill, decode) = (signature(find("prefill")?)?, signature(find("decode")?)?);
        let (context, chunk) = (manifest.options.context, manifest.options.chunk);
        if context == 0 || chunk == 0 || chunk > context {
            return Err(mismatch(format!("a context of {context} positions and chunks of {chunk}")));
        }
        for (function, tokens) in [(&prefill, chunk), (&decode, 1)] {
            let has: usize = function.tokens_shape.iter().product();
            if has != tokens as usize {
                let name = &function.name;
                return Err(mismatch(format!("`{name}` takes {has} tokens, the options say {tokens}")));
            }
        }
        Ok(Some(Kv { prefill, decode, cache, context, chunk }))
    }

    /// The redecode contract, if the bundle has it.
    pub(super) fn redecode(manifest: &Manifest) -> Result<Option<Redecode>, WireError> {
        let mut functions = manifest.functions.iter();
        let Some(entry) = functions.find(|function| function.graph == GraphKind::Redecode) else {
            return Ok(None);
        };
        let seq = manifest.options.seq;
        let (wanted, given) = (format!("tensor<1x{seq}xi32>"), format!("tensor<{seq}xi32>"));
        match (entry.arguments.as_slice(), entry.results.as_slice()) {
            ([tokens], [next]) if seq > 0 && tokens.mlir_type == wanted && next.mlir_type == given => {
                Ok(Some(Redecode { function: entry.name.clone(), seq }))
            }
            _ => Err(mismatch(format!("`{}` is not {wanted} -> {given}", entry.name))),
        }
    }

    /// The embed contract, if the bundle has it.
    pub(super) fn embed(manifest: &Manifest) -> Result<Option<Embed>, WireError> {
        let mut functions = manifest.functions.iter();
        let Some(entry) = functions.find(|function| function.graph == GraphKind::Embed) else {
            return Ok(None);
        };
        let seq = manifest.options.seq;
        let wanted = format!("tensor<1x{seq}xi32>");
        match (entry.arguments.as_slice(), entry.results.as_slice()) {
            ([tokens, count], [vector])
                if seq > 0
                    && tokens.mlir_type == wanted
                    && count.mlir_type == "i32"
                    && tensor(vector)?.element == ElementType::F32 =>
            {
                Ok(Some(Embed { function: entry.name.clone(), seq }))
            }
            _ => Err(mismatch(format!("`{}` is not {wanted}, i32 -> a vector of f32", entry.name))),
        }
    }
}

/// Checks that a module has the functions that a manifest lists, with as many arguments and results of the
/// same kinds.
pub(super) fn check_module(manifest: &Manifest, module: &Module) -> Result<(), WireError> {
    for entry in &manifest.functions {
        let Some(found) = module.functions().iter().find(|function| function.name == entry.name) else {
            return Err(mismatch(format!("the module has no function `{}`", entry.name)));
        };
        let letters = |tensors: &[TensorEntry]| -> String { tensors.iter().map(letter).collect() };
        let wanted = format!("0{}_{}", letters(&entry.arguments), letters(&entry.results));
        let wanted = wanted.strip_suffix('_').unwrap_or(&wanted);
        if found.calling_convention != wanted {
            return Err(mismatch(format!(
                "the module's `{}` has the calling convention {}, the manifest's {wanted}",
                entry.name, found.calling_convention
            )));
        }
    }
    Ok(())
}

/// A value's letter in IREE's calling convention.
fn letter(entry: &TensorEntry) -> char {
    match entry.mlir_type.as_str() {
        "i32" => 'i',
        _ => 'r',
    }
}

fn signature(entry: &FunctionEntry) -> Result<Signature, WireError> {
    let place = |what: &TensorEntry| format!("{}.{}", entry.name, what.name);
    let mut tokens_shape = None;
    let arguments = entry
        .arguments
        .iter()
        .map(|argument| match (argument.name.as_str(), argument.mlir_type.as_str()) {
            ("tokens" | "token", _) => {
                let Tensor { shape, element } = tensor(argument)?;
                if element != ElementType::I32 || tokens_shape.replace(shape).is_some() {
                    return Err(mismatch("tokens are one tensor of i32").at(place(argument)));
                }
                Ok(Argument::Tokens)
            }
            ("position", "i32") => Ok(Argument::Position),
            ("count", "i32") => Ok(Argument::Count),
            ("cache", _) if argument.consumed => Ok(Argument::Cache),
            (_, mlir_type) => {
                Err(mismatch(format!("unknown argument of type {mlir_type}")).at(place(argument)))
            }
        })
        .collect::<Result<Vec<_>, _>>()?;
    let results = entry
        .results
        .iter()
        .map(|result| match result.name.as_str() {
            "next" => Ok(FunctionResult::Next),
            "logits" => Ok(FunctionResult::Logits),
            "cache" => Ok(FunctionResult::Cache),
            _ => Err(mismatch("unknown result").at(place(result))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let once = |count: usize, what: &str| match count {
        1 => Ok(()),
        _ => Err(mismatch(format!("{what} occurs {count} times, not once")).at(entry.name.clone())),
    };
    once(arguments.iter().filter(|argument| **argument == Argument::Cache).count(), "argument `cache`")?;
    once(
        arguments.iter().filter(|argument| **argument == Argument::Position).count(),
        "argument `position`",
    )?;
    once(results.iter().filter(|result| **result == FunctionResult::Cache).count(), "result `cache`")?;
    once(results.iter().filter(|result| **result == FunctionResult::Next).count(), "result `next`")?;
    let tokens_shape = tokens_shape.ok_or_else(|| mismatch("no argument `tokens`").at(entry.name.clone()))?;
    Ok(Signature { name: entry.name.clone(), arguments, results, tokens_shape })
}

/// A tensor's type: `tensor<1x128xi32>`.
fn tensor(entry: &TensorEntry) -> Result<Tensor, WireError> {
    parse_tensor(&entry.mlir_type).ok_or_else(|| {
        mismatch(format!("{} is no tensor type that is known here", entry.mlir_type)).at(&*entry.name)
    })
}

fn parse_tensor(text: &str) -> Option<Tensor> {
    let inner = text.strip_prefix("tensor<")?.strip_suffix('>')?;
    let mut parts: Vec<_> = inner.split('x').collect();
    let element = match parts.pop()? {
        "f32" => ElementType::F32,
        "f16" => ElementType::F16,
        "bf16" => ElementType::Bf16,
        "i32" => ElementType::I32,
        "i8" => ElementType::I8,
        _ => return None,
    };
    let shape: Vec<usize> = parts.iter().map(|part| part.parse().ok()).collect::<Option<_>>()?;
    shape.iter().try_fold(1_usize, |count, dimension| count.checked_mul(*dimension))?;
    Some(Tensor { shape, element })
}

/// A manifest or a module that is not of the contract.
fn mismatch(message: impl Into<String>) -> WireError {
    WireError::new(ErrorCode::Runtime, message).hint("Export and compile the model again")
}
