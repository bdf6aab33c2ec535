//! Archives as the tools of others see them: IREE's, and the `safetensors` crate.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stock;

use gguf_file::{FileSource, Gguf, ReadAt};
use std::fs;
use std::path::{Path, PathBuf};
use stock::{cached, iree_tool};
use studio_core::family;
use studio_core::graph::{ElementType, ParamSource, ParamSpec, RowOrder};
use studio_core::options::{CpuOptions, ExportOptions, Form, Kernels};
use studio_core::params::archive::Layout;
use studio_core::params::index::Storage;
use studio_core::params::plan::{Conversion, Plan};
use studio_core::params::stream::ArchiveStream;
use studio_core::params::{Budget, dump, irpa, safetensors};
use studio_core::tiles::Fidelity;

const SOURCE: &[u8] = include_bytes!("params/source.gguf");

fn specs(types: &[(&str, ElementType)]) -> Vec<ParamSpec> {
    let spec = |(index, (tensor, element_type)): (usize, &(&str, ElementType))| ParamSpec {
        name: format!("blk.{index}.{tensor}"),
        shape: if *tensor == "bias" { vec![40] } else { vec![64, 40] },
        element_type: *element_type,
        source: ParamSource::Tensor {
            name: (*tensor).to_owned(),
            rows: None,
            row_order: RowOrder::AsStored,
            transpose: *tensor != "bias",
        },
        storage: studio_core::graph::Storage::Dense,
    };
    types.iter().enumerate().map(spec).collect()
}

fn mixed() -> Vec<ParamSpec> {
    specs(&[
        ("Q4_0", ElementType::Bf16),
        ("bias", ElementType::F32),
        ("Q8_0", ElementType::F16),
        ("Q4_1", ElementType::F32),
        ("bias", ElementType::Bf16),
    ])
}

fn write(path: &Path, plan: &Plan, layout: &Layout) {
    let mut stream = ArchiveStream::new(plan, layout, Budget::default());
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next(&[&SOURCE]).unwrap() {
        bytes.extend_from_slice(piece);
    }
    fs::write(path, bytes).unwrap();
}

struct Files {
    plan: Plan,
    irpa: PathBuf,
    safetensors: PathBuf,
    folder: tempfile::TempDir,
}

fn export(specs: &[ParamSpec]) -> Files {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan::new(specs, &Gguf::open(&SOURCE).unwrap()).unwrap();
    let (irpa, safetensors) = (folder.path().join("model.irpa"), folder.path().join("model.safetensors"));
    write(&irpa, &plan, &irpa::layout(&plan.items()).unwrap());
    write(&safetensors, &plan, &safetensors::layout(&plan.items()).unwrap());
    Files { plan, irpa, safetensors, folder }
}

fn assert_dump_equals_stock(path: &Path) {
    let Some(expected) = iree_tool("iree-dump-parameters", &[format!("--parameters={}", path.display())])
    else {
        return;
    };
    let bytes = fs::read(path).unwrap();
    assert_eq!(dump::text(&path.display().to_string(), &bytes).unwrap(), expected);
}

#[test]
fn the_text_is_what_iree_prints_for_irpa_safetensors_and_gguf() {
    let files = export(&mixed());
    assert_dump_equals_stock(&files.irpa);
    assert_dump_equals_stock(&files.safetensors);
    let few = Gguf::open(&SOURCE).unwrap();
    let mut builder = gguf_file::GgufBuilder::new();
    for tensor in few.tensors().iter().filter(|tensor| tensor.format().number() < 19) {
        let mut data = vec![0; tensor.size_bytes() as usize];
        SOURCE.read_at(tensor.offset(), &mut data).unwrap();
        builder.tensor(tensor.name(), tensor.dims(), tensor.format(), data).unwrap();
    }
    // BF16 is unknown to IREE.
    let gguf = files.folder.path().join("few.gguf");
    fs::write(&gguf, builder.write_to(Vec::new()).unwrap()).unwrap();
    assert_dump_equals_stock(&gguf);
    let empty = export(&[]);
    assert_dump_equals_stock(&empty.irpa);
    assert_dump_equals_stock(&empty.safetensors);
}

#[test]
fn the_text_for_the_real_model_is_what_iree_prints() {
    if let Some(model) = cached("models/SmolLM2-135M-Instruct.Q4_1.gguf") {
        assert_dump_equals_stock(&model);
    }
}

#[test]
fn splats_are_listed_as_iree_lists_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("splat.irpa");
    let arguments = ["--splat=a=4xf32=1.5", "--data=b=3xi16", "--splat=c=2x2xi8=7"];
    let output = format!("--output={}", path.display());
    let arguments: Vec<String> = arguments.iter().map(|flag| (*flag).to_owned()).chain([output]).collect();
    if iree_tool("iree-create-parameters", &arguments).is_none() {
        return;
    }
    assert_dump_equals_stock(&path);
    let entries = irpa::read(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(entries[0].storage, Storage::Splat { pattern: 1.5f32.to_le_bytes().to_vec() });
}

#[test]
fn an_archive_is_byte_for_byte_what_iree_makes_of_the_same_parameters() {
    let files = export(&specs(&[
        ("Q4_0", ElementType::Bf16),
        ("bias", ElementType::Bf16),
        ("Q8_0", ElementType::Bf16),
    ]));
    let converted = files.folder.path().join("converted.irpa");
    let arguments = [
        format!("--parameters={}", files.safetensors.display()),
        format!("--output={}", converted.display()),
    ];
    if iree_tool("iree-convert-parameters", &arguments).is_some() {
        assert!(fs::read(converted).unwrap() == fs::read(&files.irpa).unwrap());
    }
}

#[test]
fn an_archive_read_back_has_every_entry_at_an_aligned_place() {
    let files = export(&mixed());
    let entries = irpa::read(&fs::read(&files.irpa).unwrap()).unwrap();
    assert_eq!(entries.len(), files.plan.params().len());
    for (entry, param) in entries.iter().zip(files.plan.params()) {
        assert_eq!((&entry.name, entry.size_bytes), (&param.name, param.size_bytes));
        assert!(matches!(entry.storage, Storage::File { offset } if offset % 64 == 0));
    }
}

#[test]
fn the_safetensors_crate_reads_what_we_write() {
    let files = export(&mixed());
    let bytes = fs::read(&files.safetensors).unwrap();
    let archive = fs::read(&files.irpa).unwrap();
    let tensors = ::safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.len(), files.plan.params().len());
    for (entry, param) in irpa::read(&archive).unwrap().iter().zip(files.plan.params()) {
        let view = tensors.tensor(&entry.name).unwrap();
        let Storage::File { offset } = entry.storage else { panic!("{} is a splat", entry.name) };
        assert_eq!(view.data(), &archive[offset as usize..][..entry.size_bytes as usize]);
        let shape: Vec<u64> = view.shape().iter().map(|dim| *dim as u64).collect();
        assert_eq!(shape, param.shape);
        let expected = match param.element_type {
            ElementType::Bf16 => ::safetensors::Dtype::BF16,
            ElementType::F16 => ::safetensors::Dtype::F16,
            _ => ::safetensors::Dtype::F32,
        };
        assert_eq!(view.dtype(), expected);
    }
}

#[test]
fn the_real_model_is_hardly_larger_than_its_gguf() {
    let Some(model) = cached("models/SmolLM2-135M-Instruct.Q4_1.gguf") else { return };
    let source = FileSource::open(&model).unwrap();
    let gguf = Gguf::open(&source).unwrap();
    let options = ExportOptions::of(Form::Cpu(CpuOptions::of(Kernels::Portable)));
    let graph = family::build(&gguf, &[&source], &options).unwrap();
    let plan = Plan::new(graph.params(), &gguf).unwrap();
    let layout = irpa::layout(&plan.items()).unwrap();
    let tensor_bytes: u64 = gguf.tensors().iter().map(gguf_file::TensorInfo::size_bytes).sum();
    let limit = tensor_bytes + tensor_bytes * 3 / 100;
    assert!(layout.size_bytes <= limit, "{} bytes of {tensor_bytes}", layout.size_bytes);
    // The embedding is stored once, for lookup and output.
    let embeddings = plan.params().iter().filter(|param| param.name.starts_with("token_embd"));
    assert_eq!(embeddings.count(), 1);
    for param in plan.params() {
        if let Conversion::Tiles(tiles) = &param.conversion {
            assert_eq!(tiles.fidelity(), Fidelity::Kept, "{}", param.name);
            assert_eq!(gguf.tensor(&param.name).unwrap().format().name(), tiles.format.ggml_name());
        }
    }
}
