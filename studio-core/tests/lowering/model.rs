//! The tiny models and what is expected of them.

use gguf_file::{FileSource, Gguf, ReadAt};
use std::path::PathBuf;
use studio_core::emit::{cpu, stablehlo};
use studio_core::options::{ExportOptions, Form};
use studio_core::params::plan::Plan;
use studio_core::params::stream::ArchiveStream;
use studio_core::params::{Budget, irpa};
use studio_core::{family, graph};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lowering").join(name)
}

/// A model's text and archive.
pub(crate) struct Lowered {
    pub(crate) text: String,
    pub(crate) archive: Vec<u8>,
}

/// The cpu form's text of one of the tiny models, with these bytes for its kernels.
pub(crate) fn cpu_text(name: &str, options: &ExportOptions, bitcode: &[u8]) -> Result<String, cpu::CpuError> {
    let source = FileSource::open(file(name)).unwrap();
    let gguf = Gguf::open(&source).unwrap();
    let graph = family::build(&gguf, &[&source], options).unwrap();
    let Form::Cpu(cpu_options) = &options.form else { unreachable!("the cpu form's options") };
    let objects = [cpu::Object { format: "embedded-elf-x86_64", bitcode }];
    cpu::print(&graph::check(&graph).unwrap(), cpu_options, &objects)
}

/// Lowers one of the tiny models.
pub(crate) fn lower(name: &str, options: &ExportOptions) -> Lowered {
    let source = FileSource::open(file(name)).unwrap();
    let gguf = Gguf::open(&source).unwrap();
    let sources: [&dyn ReadAt; 1] = [&source];
    let graph = family::build(&gguf, &sources, options).unwrap();
    let checked = graph::check(&graph).unwrap();
    let text = match &options.form {
        Form::Stablehlo => stablehlo::print(&checked),
        Form::Cpu(cpu_options) => {
            let objects = cpu::objects(cpu_options.kernels);
            cpu::print(&checked, cpu_options, &objects).unwrap()
        }
    };
    let plan = Plan::new(graph.params(), &gguf).unwrap();
    let layout = irpa::layout(&plan.items()).unwrap();
    let mut stream = ArchiveStream::new(&plan, &layout, Budget::default());
    let mut archive = Vec::new();
    while let Some(piece) = stream.next(&sources).unwrap() {
        archive.extend_from_slice(piece);
    }
    Lowered { text, archive }
}

/// What `make_fixture.py` computed.
pub(crate) struct Expected {
    pub(crate) tokens: Vec<i32>,
    /// By position, then by token of the vocabulary.
    pub(crate) logits: Vec<Vec<f32>>,
}

impl Expected {
    pub(crate) fn read(model: &str) -> Self {
        let text = std::fs::read_to_string(file("expected.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let key = model.trim_end_matches(".gguf");
        Self {
            tokens: serde_json::from_value(json["tokens"].clone()).unwrap(),
            logits: serde_json::from_value(json[key].clone()).unwrap(),
        }
    }
}
