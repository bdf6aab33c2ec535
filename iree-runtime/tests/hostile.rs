//! Files that are not what they should be, and calls that do not fit: errors that say so, and nothing else.

mod common;

use std::{
    fs,
    io::{self, Write},
    num::NonZeroU32,
    path::Path,
    process::Command,
};

use common::{compile, device, module, run, tool};
use iree_runtime::{Arg, BufferView, Device, ElementType, Error, Module, Parameters, Session, StatusCode};

const ADD: &str = r#"
module @arithmetic {
  func.func @add(%a: tensor<4xf32>, %by: i32) -> tensor<4xf32> {
    %splat = tensor.from_elements %by : tensor<i32>
    %wide = stablehlo.broadcast_in_dim %splat, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %float = stablehlo.convert %wide : (tensor<4xi32>) -> tensor<4xf32>
    %0 = stablehlo.add %a, %float : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"#;

/// A session of the module above and a view that fits its function.
fn session() -> (Device, Session, BufferView) {
    let device = device(1);
    let session = Session::new(&device, &module(ADD), &[]).expect("a session");
    let view = BufferView::from_slice(&device, &[4], &[1.0_f32; 4]).expect("a view");
    (device, session, view)
}

#[track_caller]
fn is(error: &Error, code: StatusCode, text: &str) {
    assert_eq!(error.code, code, "{error}");
    assert!(error.message.contains(text), "{error}");
}

#[test]
fn a_function_that_is_not_there() {
    let (_, session, _) = session();
    let error = session.function("subtract").unwrap_err();
    is(&error, StatusCode::NotFound, "subtract");
    assert_eq!(error.doing, "find function arithmetic.subtract");
    session.function("").unwrap_err();
    session.function("add\0").unwrap_err();
}

#[test]
fn arguments_that_do_not_fit() {
    let (device, mut session, view) = session();
    let add = session.function("add").expect("it is there");

    let error = session.call(&add, [Arg::View(&view)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "expected 2 arguments but passed 1");
    assert_eq!(error.doing, "call arithmetic.add");
    let error = session.call(&add, [Arg::View(&view), Arg::I32(1), Arg::I32(2)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "expected 2 arguments but passed 3");

    let error = session.call(&add, [Arg::I32(1), Arg::I32(1)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "expected a tensor, got an i32");
    assert_eq!(error.doing, "pass argument 0 of arithmetic.add");
    let error = session.call(&add, [Arg::View(&view), Arg::View(&view)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "expected an i32, got a tensor");
    let error = session.call(&add, [Arg::View(&view), Arg::I64(1)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "expected an i32, got an i64");

    let short = BufferView::from_slice(&device, &[3], &[1.0_f32; 3]).expect("a view");
    let error = session.call(&add, [Arg::View(&short), Arg::I32(1)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "shape dimension 0 mismatch; expected 4 but have 3");
    let square = BufferView::from_slice(&device, &[2, 2], &[1.0_f32; 4]).expect("a view");
    let error = session.call(&add, [Arg::Consume(square), Arg::I32(1)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "shape rank mismatch; expected 1");
    let integers = BufferView::from_slice(&device, &[4], &[1_i32; 4]).expect("a view");
    let error = session.call(&add, [Arg::View(&integers), Arg::I32(1)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "element type mismatch; expected f32");

    // None of it is left over.
    let result = session.call(&add, [Arg::View(&view), Arg::I32(2)]).expect("it fits").remove(0);
    assert_eq!(result.into_view().expect("a tensor").read_vec::<f32>().expect("f32"), [3.0; 4]);
}

#[test]
fn views_and_functions_of_others() {
    let (_, mut session, view) = session();
    let add = session.function("add").expect("it is there");
    let (elsewhere, mut other, foreign) = self::session();
    let error = other.call(&add, [Arg::View(&foreign), Arg::I32(1)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "the function was found in another session");
    let error = session.call(&add, [Arg::View(&foreign), Arg::I32(1)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "on another device");
    let error = session.call(&add, [Arg::Consume(foreign), Arg::I32(1)]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "on another device");
    drop((elsewhere, other));
    session.call(&add, [Arg::View(&view), Arg::I32(2)]).expect("it fits");
}

#[test]
fn views_that_cannot_be() {
    let device = device(1);
    let error = BufferView::from_slice(&device, &[2, 3], &[0.0_f32; 5]).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "needs 24 bytes, got 20");
    assert_eq!(error.doing, "make a buffer of 2x3xf32");
    let error = BufferView::zeroed(&device, &[usize::MAX, 2], ElementType::F32).unwrap_err();
    is(&error, StatusCode::OutOfRange, "larger than the address space");
    let error = BufferView::zeroed(&device, &[usize::MAX / 16, 2], ElementType::F32).unwrap_err();
    is(&error, StatusCode::ResourceExhausted, "out of host memory");
    let error = BufferView::zeroed(&device, &[8], ElementType::Other(0x1000_0004)).unwrap_err();
    is(&error, StatusCode::Unimplemented, "not whole bytes");
    let none = BufferView::zeroed(&device, &[0, 7], ElementType::F32).expect("an empty tensor");
    assert!(none.read_vec::<f32>().expect("nothing").is_empty());
}

#[test]
fn reads_that_do_not_fit() {
    let (_, _, view) = session();
    let error = view.read_vec::<i32>().unwrap_err();
    is(&error, StatusCode::InvalidArgument, "its elements cannot be read as i32");
    assert_eq!(error.doing, "read a buffer of 4xf32");
    is(&view.read(&mut [0.0_f32; 3]).unwrap_err(), StatusCode::InvalidArgument, "it has 4 elements, not 3");
    is(&view.read(&mut [0.0_f32; 5]).unwrap_err(), StatusCode::InvalidArgument, "it has 4 elements, not 5");
    is(&view.read_range(3, &mut [0.0_f32; 2]).unwrap_err(), StatusCode::OutOfRange, "8 bytes at 12");
    is(&view.read_range(usize::MAX, &mut [0.0_f32]).unwrap_err(), StatusCode::OutOfRange, "no element");
    is(&view.read_bytes(usize::MAX, &mut [0_u8]).unwrap_err(), StatusCode::OutOfRange, "1 bytes at");
    view.read_range(4, &mut [0.0_f32; 0]).expect("nothing is at the end");
}

#[test]
fn devices_with_too_many_workers() {
    let error = Device::local(NonZeroU32::MAX).unwrap_err();
    is(&error, StatusCode::OutOfRange, "more than 256");
}

fn open(dir: &Path, bytes: &[u8]) -> Result<Module, Error> {
    let path = dir.join("module.vmfb");
    fs::write(&path, bytes).expect("a temporary file");
    Module::open(&path)
}

#[test]
fn modules_that_are_none() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let error = Module::open(&dir.path().join("absent.vmfb")).unwrap_err();
    is(&error, StatusCode::NotFound, "No such file");
    assert!(error.doing.contains("absent.vmfb"), "{error}");
    is(&Module::open(dir.path()).unwrap_err(), StatusCode::Unavailable, "not a regular file");

    for bytes in [&b""[..], b"\0", b"not a module", &[0xFF; 4096], &[0; 4096]] {
        is(&open(dir.path(), bytes).unwrap_err(), StatusCode::DataLoss, "not a whole vmfb");
    }
    let mut other = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    other.start_file("model.mlir", zip::write::SimpleFileOptions::default()).expect("in memory");
    let other = other.finish().expect("in memory").into_inner();
    is(&open(dir.path(), &other).unwrap_err(), StatusCode::DataLoss, "does not begin with `module.fb`");
}

#[test]
fn modules_cut_short_anywhere() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let whole = fs::read(compile(ADD)).expect("it is there");
    open(dir.path(), &whole).expect("it is whole");
    for length in (0..whole.len()).step_by(61).chain(whole.len() - 256..whole.len()) {
        let error = open(dir.path(), &whole[..length]).expect_err("it is cut short");
        is(&error, StatusCode::DataLoss, "not a whole vmfb");
    }
}

#[test]
fn modules_with_a_byte_changed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let whole = fs::read(compile(ADD)).expect("it is there");
    let (mut refused, mut works) = (0, 0);
    for at in (0..whole.len()).step_by(7) {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        // What is neither module nor executable (padding, times, the table's own fields) may be anything.
        match open(dir.path(), &changed) {
            Ok(module) => {
                adds(&module);
                works += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > works * 9, "{refused} refused, {works} work");
}

/// Runs the module's function.
fn adds(module: &Module) {
    let device = device(1);
    let mut session = Session::new(&device, module, &[]).expect("a session");
    let add = session.function("add").expect("it is there");
    let view = BufferView::from_slice(&device, &[4], &[1.0_f32; 4]).expect("a view");
    let sum = session.call(&add, [Arg::View(&view), Arg::I32(2)]).expect("it fits").remove(0);
    assert_eq!(sum.into_view().expect("a tensor").read_vec::<f32>().expect("f32"), [3.0; 4]);
}

#[test]
fn modules_of_another_release() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    // A module member with a true checksum that is no module: the runtime's own verification says so.
    let mut archive = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    // As IREE writes it; what is the default depends on the features that the whole build has.
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    archive.start_file("module.fb", stored).expect("in memory");
    archive.write_all(&[b"\x40\0\0\0", &[0; 64][..]].concat()).expect("in memory");
    let error = open(dir.path(), &archive.finish().expect("in memory").into_inner()).unwrap_err();
    is(&error, StatusCode::InvalidArgument, "FlatBuffer verification failed");
    assert!(error.message.starts_with("runtime/src/iree/"), "IREE's place, not this machine's: {error}");
}

#[test]
fn archives_cut_short_anywhere() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("weights.irpa");
    run(Command::new(tool("iree/_runtime_libs/iree-create-parameters"))
        .args(["--data=a=64xf32", "--data=b=64xf32", "--splat=c=4xi32=7"])
        .arg(format!("--output={}", path.display())));
    let whole = fs::read(&path).expect("it is there");
    let ends = Parameters::open(&path, "").expect("it is whole");
    let ends = ends.entries().iter().filter_map(|entry| Some(entry.offset? + entry.length));
    let needed = usize::try_from(ends.max().expect("it has data")).expect("a small file");
    for length in 0..needed {
        fs::write(&path, &whole[..length]).expect("a temporary file");
        let error = Parameters::open(&path, "").expect_err("it is cut short");
        assert_eq!(error.code, StatusCode::DataLoss, "{length} bytes: {error}");
    }
}

#[test]
fn parameter_files_that_are_none() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("weights.irpa");
    is(&Parameters::open(&path, "").unwrap_err(), StatusCode::NotFound, "No such file");
    let huge_header = [&u64::MAX.to_le_bytes()[..], b"{}"].concat();
    for bytes in [&b""[..], b"IRPA", b"not an archive", &[0xFF; 4096], &[0; 4096], &huge_header] {
        fs::write(&path, bytes).expect("a temporary file");
        let error = Parameters::open(&path, "").unwrap_err();
        is(&error, StatusCode::DataLoss, "");
        assert!(error.doing.ends_with("weights.irpa"), "{error}");
    }
    fs::write(&path, b"GGUF\x03\0\0\0").expect("a temporary file");
    is(&Parameters::open(&path, "").unwrap_err(), StatusCode::Unimplemented, "open_ranges");
}
