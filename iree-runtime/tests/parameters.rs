//! Weights in files: found by name, used where they are mapped, refused when they do not fit.

mod common;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use common::{call, device, module, resident_anonymous_bytes, run, tool};
use iree_runtime::{Arg, BufferView, Parameters, Session, StatusCode};
use safetensors::{Dtype, tensor::TensorView};

const ROWS: usize = 2048;
const COLUMNS: usize = 4096;

/// One large matrix and one row, both in scope "model".
fn weighted() -> String {
    format!(
        r#"
module @weighted {{
  util.global private @matrix = #stream.parameter.named<"model"::"matrix"> : tensor<{ROWS}x{COLUMNS}xf32>
  util.global private @row = #stream.parameter.named<"model"::"row"> : tensor<4xf32>
  func.func @pick(%index: i32) -> tensor<1x{COLUMNS}xf32> {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %at = tensor.from_elements %index : tensor<i32>
    %matrix = util.global.load @matrix : tensor<{ROWS}x{COLUMNS}xf32>
    %0 = stablehlo.dynamic_slice %matrix, %at, %zero, sizes = [1, {COLUMNS}]
      : (tensor<{ROWS}x{COLUMNS}xf32>, tensor<i32>, tensor<i32>) -> tensor<1x{COLUMNS}xf32>
    return %0 : tensor<1x{COLUMNS}xf32>
  }}
  func.func @add_row(%a: tensor<4xf32>) -> tensor<4xf32> {{
    %row = util.global.load @row : tensor<4xf32>
    %0 = stablehlo.add %a, %row : tensor<4xf32>
    return %0 : tensor<4xf32>
  }}
}}
"#
    )
}

/// Makes an archive of tensors and of splats (`name=shapextype=value`) with IREE's own tools.
fn irpa(dir: &Path, tensors: &[(&str, &[f32])], splats: &[&str]) -> PathBuf {
    let (from, splatted, path) = (dir.join("in.safetensors"), dir.join("in.irpa"), dir.join("weights.irpa"));
    safetensors(&from, tensors, 0);
    run(Command::new(tool("iree/_runtime_libs/iree-create-parameters"))
        .args(splats.iter().map(|splat| format!("--splat={splat}")))
        .arg(format!("--output={}", splatted.display())));
    run(Command::new(tool("iree/_runtime_libs/iree-convert-parameters"))
        .arg(format!("--parameters={}", from.display()))
        .arg(format!("--parameters={}", splatted.display()))
        .arg(format!("--output={}", path.display())));
    path
}

/// Writes a safetensors file whose header is about `padding` bytes longer than it need be.
fn safetensors(path: &Path, tensors: &[(&str, &[f32])], padding: usize) {
    let tensors: Vec<(&str, Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, values)| {
            (*name, vec![values.len()], values.iter().flat_map(|value| value.to_le_bytes()).collect())
        })
        .collect();
    let views = tensors.iter().map(|(name, shape, bytes)| {
        (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).expect("four bytes for each"))
    });
    let note = HashMap::from([("note".to_owned(), "x".repeat(padding))]);
    safetensors::serialize_to_file(views, Some(note), path).expect("a temporary file");
}

#[test]
fn mapped_parameters_are_not_copied() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let matrix: Vec<f32> = (0..ROWS * COLUMNS).map(|i| (i / COLUMNS) as f32).collect();
    let path = irpa(dir.path(), &[("matrix", &matrix), ("unused", &[1.0])], &["row=4xf32=2.0"]);
    drop(matrix);
    let (device, module) = (device(2), module(&weighted()));
    let before = resident_anonymous_bytes();
    let parameters = Parameters::open(&path, "model").expect("IREE's tool made it");
    let mut session = Session::new(&device, &module, &[&parameters]).expect("a session");
    let pick = session.function("pick").expect("it is there");
    for index in [0_u16, 77, 2047] {
        let row = call(&mut session, &pick, [Arg::I32(i32::from(index))]).remove(0);
        assert_eq!(row.read_vec::<f32>().expect("it is f32"), vec![f32::from(index); COLUMNS]);
    }
    let add_row = session.function("add_row").expect("it is there");
    let a = BufferView::from_slice(&device, &[4], &[1.0_f32, 2.0, 3.0, 4.0]).expect("a view");
    let sum = call(&mut session, &add_row, [Arg::View(&a)]).remove(0);
    assert_eq!(sum.read_vec::<f32>().expect("it is f32"), [3.0, 4.0, 5.0, 6.0]);
    let grown = resident_anonymous_bytes().saturating_sub(before);
    assert!(grown < 8 << 20, "{grown} bytes of memory taken for a matrix of 32 MiB");
}

#[test]
fn a_mutable_global_that_starts_as_a_parameter_changes_no_file() {
    let source = r#"
module @counted {
  util.global private mutable @counts = #stream.parameter.named<"model"::"counts"> : tensor<4096xf32>
  func.func @count(%at: i32) -> tensor<4xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1xf32>
    %index = tensor.from_elements %at : tensor<i32>
    %counts = util.global.load @counts : tensor<4096xf32>
    %0 = stablehlo.dynamic_update_slice %counts, %one, %index
      : (tensor<4096xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4096xf32>
    util.global.store %0, @counts : tensor<4096xf32>
    %1 = stablehlo.slice %0 [0:4] : (tensor<4096xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
"#;
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = irpa(dir.path(), &[("counts", &[0.5; 4096])], &[]);
    let original = fs::read(&path).expect("it is there");
    let parameters = Parameters::open(&path, "model").expect("IREE's tool made it");
    let module = module(source);
    let mut session = Session::new(&device(1), &module, &[&parameters]).expect("a session");
    let count = session.function("count").expect("it is there");
    call(&mut session, &count, [Arg::I32(3)]);
    let counts = call(&mut session, &count, [Arg::I32(0)]).remove(0);
    assert_eq!(counts.read_vec::<f32>().expect("it is f32"), [1.0, 0.5, 0.5, 1.0]);
    assert_eq!(fs::read(&path).expect("it is there"), original);
}

/// What `add` below wants.
const ROWS_OF_ADD: [(&str, &[f32]); 2] = [("a", &[1.0, 2.0, 3.0, 4.0]), ("b", &[10.0, 20.0, 30.0, 40.0])];

const TWO_ROWS: &str = r#"
module @two_rows {
  util.global private @a = #stream.parameter.named<"weights"::"a"> : tensor<4xf32>
  util.global private @b = #stream.parameter.named<"weights"::"b"> : tensor<4xf32>
  func.func @add(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = util.global.load @a : tensor<4xf32>
    %b = util.global.load @b : tensor<4xf32>
    %0 = stablehlo.multiply %a, %x : tensor<4xf32>
    %1 = stablehlo.add %0, %b : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
"#;

fn add_with(parameters: &[&Parameters]) -> Vec<f32> {
    let device = device(1);
    let mut session = Session::new(&device, &module(TWO_ROWS), parameters).expect("a session");
    let add = session.function("add").expect("it is there");
    let x = BufferView::from_slice(&device, &[4], &[1.0_f32, 1.0, 2.0, 2.0]).expect("a view");
    call(&mut session, &add, [Arg::View(&x)]).remove(0).read_vec().expect("it is f32")
}

#[test]
fn safetensors_and_irpa_of_it_give_the_same() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    // Headers that differ by eight bytes put the data on and off the 64-byte boundary that IREE wants.
    for padding in [0, 8, 16, 24, 32, 40, 48, 56] {
        let path = dir.path().join("weights.safetensors");
        safetensors(&path, &ROWS_OF_ADD, padding);
        let parameters = Parameters::open(&path, "weights").expect("a safetensors file");
        let found: BTreeMap<_, _> =
            parameters.entries().iter().map(|one| (one.name.as_str(), one.length)).collect();
        assert_eq!(found, BTreeMap::from([("a", 16), ("b", 16)]));
        assert_eq!(add_with(&[&parameters]), [11.0, 22.0, 36.0, 48.0], "{padding} bytes of padding");
    }
    let irpa = irpa(dir.path(), &ROWS_OF_ADD, &[]);
    let parameters = Parameters::open(&irpa, "weights").expect("IREE's tool made it");
    assert_eq!(add_with(&[&parameters]), [11.0, 22.0, 36.0, 48.0]);
}

#[test]
fn ranges_of_any_file_can_be_parameters() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("weights.bin");
    let mut file = vec![0xFF_u8; 64];
    file.extend([10.0_f32, 20.0, 30.0, 40.0].map(f32::to_le_bytes).concat());
    file.resize(128, 0xFF);
    file.extend([1.0_f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat());
    fs::write(&path, &file).expect("a temporary file");
    let ranges = [("b".to_owned(), 64, 16), ("a".to_owned(), 128, 16)];
    let parameters = Parameters::open_ranges(&path, "weights", ranges).expect("both lie in the file");
    assert_eq!(add_with(&[&parameters]), [11.0, 22.0, 36.0, 48.0]);

    for (offset, length) in [(129, 16), (145, 0), (u64::MAX, 1), (0, u64::MAX)] {
        let error =
            Parameters::open_ranges(&path, "weights", [("a".to_owned(), offset, length)]).unwrap_err();
        assert_eq!(error.code, StatusCode::OutOfRange);
        assert!(error.to_string().contains("weights.bin, parameter `a`"), "{error}");
    }
}

#[test]
fn several_files_stand_for_scopes_of_their_own() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("weights.safetensors");
    safetensors(&path, &ROWS_OF_ADD, 0);
    let other = Parameters::open(&path, "other").expect("a safetensors file");
    let right = Parameters::open(&path, "weights").expect("a safetensors file");
    assert_eq!(add_with(&[&other, &right]), [11.0, 22.0, 36.0, 48.0]);

    let error = Session::new(&device(1), &module(TWO_ROWS), &[&other]).unwrap_err();
    assert_eq!(error.code, StatusCode::NotFound, "{error}");
    assert!(error.message.contains("weights"), "{error}");
}

#[test]
fn missing_and_short_parameters_are_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let create = |name: &str, declarations: &[&str]| {
        let path = dir.path().join(name);
        run(Command::new(tool("iree/_runtime_libs/iree-create-parameters"))
            .args(declarations)
            .arg(format!("--output={}", path.display())));
        Parameters::open(&path, "weights").expect("IREE's tool made it")
    };
    let (device, module) = (device(1), module(TWO_ROWS));

    let missing = create("missing.irpa", &["--data=a=4xf32"]);
    let error = Session::new(&device, &module, &[&missing]).unwrap_err();
    assert_eq!(error.code, StatusCode::NotFound, "{error}");
    assert!(error.message.contains("no parameter found in index with key 'b'"), "{error}");
    assert!(error.doing.contains("two_rows"), "{error}");

    let short = create("short.irpa", &["--data=a=4xf32", "--data=b=3xf32"]);
    let error = Session::new(&device, &module, &[&short]).unwrap_err();
    assert_eq!(error.code, StatusCode::OutOfRange, "{error}");
    assert!(error.message.contains("parameter `b` range out of bounds"), "{error}");

    let error = Session::new(&device, &module, &[]).unwrap_err();
    assert_eq!(error.code, StatusCode::NotFound, "{error}");
    assert!(error.message.contains("io_parameters"), "{error}");
}

#[test]
fn the_directory_read_here_is_the_one_that_iree_reads() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("weights.irpa");
    run(Command::new(tool("iree/_runtime_libs/iree-create-parameters"))
        .args([
            "--data=blk.0.attn_q.weight=64x8xbf16",
            "--splat=ones=1000xf64=1",
            "--data=odd=3xi8",
            "--data=ü=5xi8",
        ])
        .arg(format!("--output={}", path.display())));
    let dump = run(Command::new(tool("iree/_runtime_libs/iree-dump-parameters"))
        .arg(format!("--parameters={}", path.display())));
    // "         384 |              400 |               16 | `a`", and "-" for the offsets of a splat.
    let theirs: Vec<(String, Option<u64>, u64)> = dump
        .lines()
        .filter_map(|line| {
            let mut fields = line.split('|').map(str::trim);
            let (start, _end, length) = (fields.next()?, fields.next()?, fields.next()?);
            let name = fields.next()?.trim_matches('`').to_owned();
            Some((name, start.parse().ok(), length.parse().ok()?))
        })
        .collect();
    assert_eq!(theirs.len(), 4, "{dump}");
    let parameters = Parameters::open(&path, "").expect("IREE's tool made it");
    let ours: Vec<_> =
        parameters.entries().iter().map(|one| (one.name.clone(), one.offset, one.length)).collect();
    assert_eq!(ours, theirs);
}
