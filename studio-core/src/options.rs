//! What a person chooses of an export.

use serde::{Deserialize, Serialize};
use studio_kernels::KernelSet;

/// The form of the graph's text, and what only that form has to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum Form {
    /// Portable: nothing but StableHLO and parameter globals.
    Stablehlo,
    /// The same graph as calls of kernels for processors, which travel in the text; weights may stay quantised.
    Cpu(CpuOptions),
}

/// What the cpu form has to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuOptions {
    /// The instruction set that the kernels are written for.
    pub kernels: Kernels,
    /// What a vector is turned into before it is multiplied with a quantised matrix.
    pub activations: Activations,
    /// What keys and values are kept in between calls.
    pub cache: CacheElement,
}

/// An instruction set that kernels are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kernels {
    /// x86-64 with AVX-512 and its dot products of bytes.
    Avx512Vnni,
    /// x86-64 with AVX2.
    Avx2,
    /// 64-bit ARM with NEON's matrix products of bytes.
    I8mm,
    /// 64-bit ARM with NEON's dot products of bytes.
    Dotprod,
    /// Every processor.
    Portable,
}

/// What a vector is turned into before it is multiplied with a quantised matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activations {
    /// Bytes with a scale for each 32.
    I8,
    /// Nothing: it stays `f32`.
    F32,
}

/// The element type of the cpu form's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheElement {
    /// IEEE half precision
    F16,
    /// IEEE single precision
    F32,
}

/// What weights are stored as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// What they are in the GGUF; only the cpu form can.
    Keep,
    /// bfloat16
    Bf16,
    /// IEEE half precision
    F16,
    /// IEEE single precision
    F32,
}

/// A contract that the module fulfils; docs/contracts.md describes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphKind {
    /// The whole sequence again for each token.
    Redecode,
    /// Prefill and decode over a cache.
    Kv,
    /// A text's tokens to its vector.
    Embed,
}

impl GraphKind {
    /// Every contract.
    pub const ALL: [GraphKind; 3] = [GraphKind::Kv, GraphKind::Redecode, GraphKind::Embed];

    /// The name that people and manifests have for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GraphKind::Kv => "kv",
            GraphKind::Redecode => "redecode",
            GraphKind::Embed => "embed",
        }
    }
}

/// What a person chooses of an export. The same options and the same GGUF give the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportOptions {
    /// The form of the text.
    #[serde(flatten)]
    pub form: Form,
    /// What the weights are stored as.
    pub weights: Weights,
    /// The contracts, each at most once, at least one.
    pub graphs: Vec<GraphKind>,
    /// Tokens in the sequence of the redecode and embed graphs.
    pub seq: u32,
    /// Positions in the kv graphs' cache.
    pub context: u32,
    /// Tokens that one call of `prefill` takes.
    pub chunk: u32,
    /// The redecode function's name.
    pub function_name: String,
    /// Whether a `.safetensors` of the same parameters is written too.
    pub safetensors: bool,
}

impl ExportOptions {
    /// What is usual for a form.
    #[must_use]
    pub fn of(form: Form) -> Self {
        let (weights, graphs, chunk) = match form {
            Form::Stablehlo => (Weights::Bf16, vec![GraphKind::Redecode, GraphKind::Kv], 64),
            Form::Cpu(_) => (Weights::Keep, vec![GraphKind::Kv], 512),
        };
        Self {
            form,
            weights,
            graphs,
            seq: 128,
            context: 2048,
            chunk,
            function_name: "main".to_owned(),
            safetensors: false,
        }
    }

    /// The kernels that the module carries, where the form has any.
    #[must_use]
    pub fn kernels(&self) -> Option<Kernels> {
        match self.form {
            Form::Stablehlo => None,
            Form::Cpu(cpu) => Some(cpu.kernels),
        }
    }

    /// The same with no more positions than a model was trained for, if it says how many.
    #[must_use]
    pub fn within(self, trained: Option<u64>) -> Self {
        let trained = trained.and_then(|length| u32::try_from(length).ok()).filter(|&length| length > 0);
        let Some(trained) = trained else { return self };
        let Self { seq, context, chunk, .. } = self;
        Self { seq: seq.min(trained), context: context.min(trained), chunk: chunk.min(trained), ..self }
    }
}

impl ExportOptions {
    /// That more positions are wanted than a model was trained for, in words; `None` if they aren't, or if nobody knows.
    /// Where positions are computed it can be done, and the model makes less and less sense behind those it knows; where they
    /// are learned, making the graph fails.
    #[must_use]
    pub fn longer_than(&self, trained: Option<u64>) -> Option<String> {
        let trained = trained?;
        let wanted = self.graphs.iter().map(|graph| match graph {
            GraphKind::Kv => ("context", self.context),
            GraphKind::Redecode | GraphKind::Embed => ("seq", self.seq),
        });
        let (option, length) = wanted.into_iter().max_by_key(|(_, length)| *length)?;
        (u64::from(length) > trained).then(|| {
            format!(
                "{option} is {length} and the model was trained for {trained} positions: behind those its answers are \
                 likely to make no sense"
            )
        })
    }

    /// What is usual for a model that gives a text's vector.
    #[must_use]
    pub fn embedding() -> Self {
        Self { graphs: vec![GraphKind::Embed], seq: 256, ..Self::of(Form::Stablehlo) }
    }
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self::of(Form::Stablehlo)
    }
}

impl CpuOptions {
    /// What is usual with an instruction set.
    #[must_use]
    pub fn of(kernels: Kernels) -> Self {
        Self { kernels, activations: Activations::I8, cache: CacheElement::F16 }
    }
}

impl Kernels {
    /// Every instruction set, the fastest first.
    pub const ALL: [Kernels; 5] =
        [Kernels::Avx512Vnni, Kernels::Avx2, Kernels::I8mm, Kernels::Dotprod, Kernels::Portable];

    /// The name that people and manifests have for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        KernelSet::from(self).name()
    }

    /// What a processor must be able to do to run them, by LLVM's names.
    #[must_use]
    pub fn cpu_features(self) -> &'static [&'static str] {
        KernelSet::from(self).cpu_features()
    }

    /// The fastest that a processor of these features runs.
    #[must_use]
    pub fn best(has: impl Fn(&str) -> bool) -> Self {
        let runs = |kernels: &Kernels| kernels.cpu_features().iter().all(|feature| has(feature));
        Self::ALL.into_iter().find(runs).unwrap_or(Kernels::Portable)
    }
}

impl From<Kernels> for KernelSet {
    fn from(kernels: Kernels) -> Self {
        match kernels {
            Kernels::Avx512Vnni => KernelSet::Avx512Vnni,
            Kernels::Avx2 => KernelSet::Avx2,
            Kernels::I8mm => KernelSet::I8mm,
            Kernels::Dotprod => KernelSet::Dotprod,
            Kernels::Portable => KernelSet::Portable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn only_the_cpu_form_has_the_cpu_forms_fields() {
        let json = |options: &ExportOptions| serde_json::to_string(options).unwrap();
        expect![[r#"{"form":"stablehlo","weights":"bf16","graphs":["redecode","kv"],"seq":128,"context":2048,"chunk":64,"function_name":"main","safetensors":false}"#]]
            .assert_eq(&json(&ExportOptions::default()));
        let cpu = ExportOptions::of(Form::Cpu(CpuOptions::of(Kernels::Avx512Vnni)));
        expect![[r#"{"form":"cpu","kernels":"avx512vnni","activations":"i8","cache":"f16","weights":"keep","graphs":["kv"],"seq":128,"context":2048,"chunk":512,"function_name":"main","safetensors":false}"#]]
            .assert_eq(&json(&cpu));
        for options in [ExportOptions::default(), cpu] {
            assert_eq!(serde_json::from_str::<ExportOptions>(&json(&options)).unwrap(), options);
        }
    }

    #[test]
    fn a_processor_gets_the_fastest_kernels_that_it_runs() {
        let best = |features: &[&str]| Kernels::best(|feature| features.contains(&feature));
        assert_eq!(best(&["neon"]), Kernels::Portable);
        assert_eq!(best(&["avx2", "avx512f", "f16c", "fma"]), Kernels::Avx2);
        assert_eq!(best(&["neon", "lse", "dotprod"]), Kernels::Dotprod);
        assert_eq!(best(&["neon", "lse", "dotprod", "i8mm"]), Kernels::I8mm);
        assert_eq!(best(Kernels::Avx512Vnni.cpu_features()), Kernels::Avx512Vnni);
    }

    #[test]
    fn names_are_those_of_the_manifest() {
        for kernels in Kernels::ALL {
            assert_eq!(serde_json::to_value(kernels).unwrap(), kernels.name());
        }
    }
}
