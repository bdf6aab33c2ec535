//! Calls into real modules: values, shapes, element types, scalars, workers.

mod common;

use common::{Compiled, call, device};
use half::{bf16, f16};
use iree_runtime::{Arg, BufferView, ElementType, Session, Value};

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
  func.func @table() -> tensor<4xf32> {
    %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"#;

#[test]
fn tensors_go_in_and_come_out() {
    let compiled = Compiled::new(ARITHMETIC);
    let (device, module) = (device(1), compiled.module());
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
    assert_eq!(
        a.read_vec::<f32>().expect("it is f32"),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        "arguments stay as they were"
    );
}
