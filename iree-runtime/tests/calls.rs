//! Calls into real modules: values, shapes, element types, scalars, workers, and what outlives what.

mod common;

use common::{call, device, module};
use half::{bf16, f16};
use iree_runtime::{Arg, BufferView, Element, ElementType, Session, Value};

const ARITHMETIC: &str = r#"
module @arithmetic {
  func.func @add(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %a, %b : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @scale_and_count(%a: tensor<4xi32>, %by: i32, %calls: i64) -> (tensor<4xi32>, i64) {
    %one = arith.constant 1 : i64
    %splat = tensor.from_elements %by : tensor<i32>
    %wide = stablehlo.broadcast_in_dim %splat, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %scaled = stablehlo.multiply %a, %wide : tensor<4xi32>
    %next = arith.addi %calls, %one : i64
    return %scaled, %next : tensor<4xi32>, i64
  }
  func.func @sum(%a: tensor<?xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @positive(%a: tensor<4xf32>) -> tensor<4xi1> {
    %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
    %0 = stablehlo.compare GT, %a, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    return %0 : tensor<4xi1>
  }
  func.func @table() -> tensor<4xf32> {
    %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @nothing() {
    return
  }
}
"#;

#[test]
fn tensors_go_in_and_come_out() {
    let (device, module) = (device(1), module(ARITHMETIC));
    assert_eq!(module.name(), "arithmetic");
    let add = module.functions().iter().find(|function| function.name == "add").expect("it is exported");
    assert_eq!(add.calling_convention, "0rr_r");
    assert_eq!(
        add.declaration.as_deref(),
        Some(
            "sync func @add(%input0: tensor<2x3xf32>, %input1: tensor<2x3xf32>) -> (%output0: tensor<2x3xf32>)"
        )
    );

    let mut session = Session::new(&device, &module, &[]).expect("a session");
    let add = session.function("add").expect("it is there");
    let a = BufferView::from_slice(&device, &[2, 3], &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("a view");
    let b = BufferView::from_slice(&device, &[2, 3], &[0.5_f32; 6]).expect("a view");
    let sum = call(&mut session, &add, [Arg::View(&a), Arg::View(&b)]).remove(0);
    assert_eq!(sum.shape(), [2, 3]);
    assert_eq!(sum.element_type(), ElementType::F32);
    assert_eq!(sum.byte_len(), 24);
    assert_eq!(sum.read_vec::<f32>().expect("it is f32"), [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
    let mut middle = [0.0_f32; 2];
    sum.read_range(2, &mut middle).expect("it has six");
    assert_eq!(middle, [3.5, 4.5]);
    assert_eq!(a.read_vec::<f32>().expect("it is f32"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "arguments stay");
}

#[test]
fn scalars_are_passed_and_returned() {
    let device = device(1);
    let mut session = Session::new(&device, &module(ARITHMETIC), &[]).expect("a session");
    let function = session.function("scale_and_count").expect("it is there");
    let mut calls = 40_i64;
    for by in [-3, i32::MAX] {
        let a = BufferView::from_slice(&device, &[4], &[0_i32, 1, 2, -1]).expect("a view");
        let mut results = session
            .call(&function, [Arg::View(&a), Arg::I32(by), Arg::I64(calls)])
            .expect("the call succeeds")
            .into_iter();
        let scaled = results.next().and_then(Value::into_view).expect("a tensor");
        assert_eq!(scaled.read_vec::<i32>().expect("it is i32"), [0, by, by.wrapping_mul(2), -by]);
        let Some(Value::I64(next)) = results.next() else { panic!("an i64") };
        calls = next;
    }
    assert_eq!(calls, 42);
}

#[test]
fn shapes_may_differ_from_call_to_call_where_the_source_says_so() {
    let device = device(1);
    let mut session = Session::new(&device, &module(ARITHMETIC), &[]).expect("a session");
    let sum = session.function("sum").expect("it is there");
    for (count, expected) in [(1_usize, 1.0_f32), (7, 28.0), (100, 5050.0)] {
        let values: Vec<f32> = (1..=count).map(|value| value as f32).collect();
        let a = BufferView::from_slice(&device, &[count], &values).expect("a view");
        let result = call(&mut session, &sum, [Arg::View(&a)]).remove(0);
        assert!(result.shape().is_empty(), "a scalar tensor has no dimensions");
        assert_eq!(result.read_vec::<f32>().expect("it is f32"), [expected]);
    }
}

#[test]
fn truth_values_are_bytes() {
    let device = device(1);
    let mut session = Session::new(&device, &module(ARITHMETIC), &[]).expect("a session");
    let positive = session.function("positive").expect("it is there");
    let a = BufferView::from_slice(&device, &[4], &[-1.0_f32, 0.0, 1.0, 2.0]).expect("a view");
    let result = call(&mut session, &positive, [Arg::View(&a)]).remove(0);
    assert_eq!(result.read_vec::<u8>().expect("bytes"), [0, 0, 1, 1]);
}

#[test]
fn a_function_may_have_neither_arguments_nor_results() {
    let mut session = Session::new(&device(1), &module(ARITHMETIC), &[]).expect("a session");
    let nothing = session.function("nothing").expect("it is there");
    assert!(call(&mut session, &nothing, []).is_empty());
}

#[test]
fn results_outlive_session_module_and_device() {
    let table = {
        let device = device(2);
        let mut session = Session::new(&device, &module(ARITHMETIC), &[]).expect("a session");
        let table = session.function("table").expect("it is there");
        call(&mut session, &table, []).remove(0)
    };
    // The constant lies in the module's file, which only the view keeps mapped now.
    assert_eq!(table.read_vec::<f32>().expect("it is f32"), [1.0, 2.0, 3.0, 4.0]);
    let elsewhere = std::thread::spawn(move || table.read_vec::<f32>().expect("it is f32"));
    assert_eq!(elsewhere.join().expect("no panic"), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn results_of_one_session_are_arguments_of_another() {
    let device = device(1);
    let returned = {
        let mut source = Session::new(&device, &module(ARITHMETIC), &[]).expect("a session");
        let table = source.function("table").expect("it is there");
        let table = call(&mut source, &table, []).remove(0);
        let mut sink = Session::new(&device, &module(&identities()), &[]).expect("a session");
        let identity = sink.function("f32").expect("it is there");
        call(&mut sink, &identity, [Arg::Consume(table)]).remove(0)
    };
    assert_eq!(returned.read_vec::<f32>().expect("it is f32"), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_session_moves_between_threads() {
    let mut session = Session::new(&device(2), &module(ARITHMETIC), &[]).expect("a session");
    let table = session.function("table").expect("it is there");
    for _ in 0..3 {
        session = std::thread::scope(|scope| {
            let table = &table;
            scope
                .spawn(move || {
                    let result = call(&mut session, table, []).remove(0);
                    assert_eq!(result.read_vec::<f32>().expect("it is f32"), [1.0, 2.0, 3.0, 4.0]);
                    session
                })
                .join()
                .expect("no panic")
        });
    }
}

const ELEMENTS: [&str; 10] = ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "ui8", "i1"];

/// For each element type a function of that name that gives back what it gets.
fn identities() -> String {
    let functions = ELEMENTS.map(|element| {
        let tensor = format!("tensor<4x{element}>");
        format!("  func.func @{element}(%a: {tensor}) -> {tensor} {{\n    return %a : {tensor}\n  }}\n")
    });
    format!("module @identities {{\n{}}}\n", functions.concat())
}

fn goes_through<T: Element + PartialEq + std::fmt::Debug>(element: &str, values: &[T; 4]) {
    let device = device(1);
    let a = BufferView::from_slice(&device, &[4], values).expect("a view");
    assert_eq!(a.element_type(), T::TYPE);
    let mut session = Session::new(&device, &module(&identities()), &[]).expect("a session");
    let identity = session.function(element).expect("it is there");
    let result = call(&mut session, &identity, [Arg::View(&a)]).remove(0);
    assert_eq!(result.read_vec::<T>().expect("the same type"), values, "{element}");
}

#[test]
fn every_element_type_goes_through() {
    goes_through("f64", &[0.0_f64, -0.5, f64::MAX, f64::MIN_POSITIVE]);
    goes_through("f32", &[0.0_f32, -0.5, f32::MAX, f32::MIN_POSITIVE]);
    goes_through("f16", &[f16::ZERO, f16::NEG_ONE, f16::MAX, f16::MIN_POSITIVE]);
    goes_through("bf16", &[bf16::ZERO, bf16::NEG_ONE, bf16::MAX, bf16::MIN_POSITIVE]);
    goes_through("i64", &[0_i64, -1, i64::MAX, i64::MIN]);
    goes_through("i32", &[0_i32, -1, i32::MAX, i32::MIN]);
    goes_through("i16", &[0_i16, -1, i16::MAX, i16::MIN]);
    goes_through("i8", &[0_i8, -1, i8::MAX, i8::MIN]);
    goes_through("ui8", &[0_u8, 1, 127, 255]);

    let device = device(1);
    let mut session = Session::new(&device, &module(&identities()), &[]).expect("a session");
    let identity = session.function("i1").expect("it is there");
    let a = BufferView::from_bytes(&device, &[4], ElementType::I1, &[0, 1, 1, 0]).expect("a view");
    let result = call(&mut session, &identity, [Arg::View(&a)]).remove(0);
    assert_eq!(result.element_type(), ElementType::I1);
    assert_eq!(result.read_vec::<u8>().expect("bytes"), [0, 1, 1, 0]);
}

/// Two layers of matrix and nonlinearity, large enough to be split over workers.
const NETWORK: &str = r#"
module @network {
  func.func @run(%x: tensor<64x256xf32>, %a: tensor<256x512xf32>, %b: tensor<512x256xf32>) -> tensor<64x256xf32> {
    %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0]
      : (tensor<64x256xf32>, tensor<256x512xf32>) -> tensor<64x512xf32>
    %1 = stablehlo.logistic %0 : tensor<64x512xf32>
    %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0]
      : (tensor<64x512xf32>, tensor<512x256xf32>) -> tensor<64x256xf32>
    return %2 : tensor<64x256xf32>
  }
}
"#;

#[test]
fn results_do_not_depend_on_the_number_of_workers() {
    let module = module(NETWORK);
    // Small integers and halves: every product and sum of the first layer is exact in f32.
    let values = |count: usize| -> Vec<f32> { (0..count).map(|i| (i * 7 % 9) as f32 * 0.5 - 2.0).collect() };
    let (x, a, b) = (values(64 * 256), values(256 * 512), values(512 * 256));
    let run = |workers: u32| {
        let device = device(workers);
        assert_eq!(device.workers().get(), workers);
        let mut session = Session::new(&device, &module, &[]).expect("a session");
        let run = session.function("run").expect("it is there");
        let x = BufferView::from_slice(&device, &[64, 256], &x).expect("a view");
        let a = BufferView::from_slice(&device, &[256, 512], &a).expect("a view");
        let b = BufferView::from_slice(&device, &[512, 256], &b).expect("a view");
        let result = call(&mut session, &run, [Arg::View(&x), Arg::View(&a), Arg::View(&b)]).remove(0);
        result.read_vec::<f32>().expect("it is f32")
    };
    let one = run(1);
    for workers in [2, 3] {
        assert_eq!(one, run(workers), "{workers} workers");
    }

    let expected = reference(&x, &a, &b);
    let worst =
        one.iter().zip(&expected).map(|(got, wanted)| (f64::from(*got) - wanted).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-3, "off by {worst}");
}

/// The same in f64.
fn reference(x: &[f32], a: &[f32], b: &[f32]) -> Vec<f64> {
    let product = |left: &[f64], right: &[f32], inner: usize, columns: usize| -> Vec<f64> {
        let mut out = vec![0.0; left.len() / inner * columns];
        for (row, out) in out.chunks_mut(columns).enumerate() {
            for k in 0..inner {
                let factor = left[row * inner + k];
                out.iter_mut()
                    .zip(&right[k * columns..])
                    .for_each(|(sum, value)| *sum += factor * f64::from(*value));
            }
        }
        out
    };
    let x: Vec<f64> = x.iter().copied().map(f64::from).collect();
    let hidden: Vec<f64> =
        product(&x, a, 256, 512).iter().map(|value| 1.0 / (1.0 + (-value).exp())).collect();
    product(&hidden, b, 512, 256)
}
