//! Graphs that don't fit together: what the builder and the check say of them.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking too")]

use expect_test::{Expect, expect};
use studio_core::emit::stablehlo;
use studio_core::graph::{
    Arena, Argument, ElementType, FunctionBuilder, Graph, GraphBuilder, GraphError, Handle, Op, ParamSource,
    ParamSpec, Relation, RowOrder, Scope, Storage, TensorType, Type, Val, check,
};
use studio_core::options::GraphKind;

fn tensor(shape: &[u64], element_type: ElementType) -> Type {
    Type::Tensor(TensorType::new(shape, element_type))
}

/// A function with the arguments `x: tensor<2x3xf32>`, `i: tensor<i32>` and `n: i32`.
fn build(
    body: impl FnOnce(&mut FunctionBuilder<'_>, [Val; 3]) -> Result<Val, GraphError>,
) -> Result<Graph, GraphError> {
    let mut builder = GraphBuilder::new("test");
    let mut f = builder.function("f", GraphKind::Redecode);
    let x = f.argument("x", tensor(&[2, 3], ElementType::F32), false)?;
    let i = f.argument("i", tensor(&[], ElementType::I32), false)?;
    let n = f.argument("n", Type::Scalar(ElementType::I32), false)?;
    let result = f.scoped("layer 3", |f| f.scoped("part", |f| body(f, [x, i, n])))?;
    f.result("y", result);
    f.finish();
    Ok(builder.finish())
}

/// A graph that is right, to be broken.
fn right() -> Graph {
    build(|f, [x, ..]| f.add(x, x)).unwrap()
}

#[track_caller]
fn check_builder(
    body: impl FnOnce(&mut FunctionBuilder<'_>, [Val; 3]) -> Result<Val, GraphError>,
    expected: Expect,
) {
    expected.assert_eq(&build(body).unwrap_err().to_string());
}

#[track_caller]
fn check_graph(change: impl FnOnce(&mut Graph), expected: Expect) {
    let mut graph = right();
    change(&mut graph);
    expected.assert_eq(&check(&graph).err().map(|error| error.to_string()).unwrap_or_default());
}

#[test]
fn an_operation_that_does_not_fit_is_named_with_its_place() {
    check_builder(
        |f, [x, i, _]| f.add(x, i),
        expect![[
            r#"function f, scope "layer 3 / part", add: operands differ: tensor<2x3xf32> and tensor<i32>"#
        ]],
    );
    check_builder(
        |f, [x, _, n]| f.add(x, n),
        expect![[r#"function f, scope "layer 3 / part", add: needs a tensor, got i32"#]],
    );
    check_builder(
        |f, [_, i, _]| f.scalar_to_tensor(i),
        expect![[r#"function f, scope "layer 3 / part", scalar_to_tensor: needs a scalar, got tensor<i32>"#]],
    );
    check_builder(
        |f, [x, ..]| f.reshape(x, &[4]),
        expect![[
            r#"function f, scope "layer 3 / part", reshape: tensor<2x3xf32> can't become tensor<4xf32>: they hold different numbers of elements"#
        ]],
    );
    check_builder(
        |f, [x, ..]| f.reshape(x, &[u64::MAX, u64::MAX]),
        expect![[
            r#"function f, scope "layer 3 / part", reshape: tensor<2x3xf32> can't become tensor<18446744073709551615x18446744073709551615xf32>: they hold different numbers of elements"#
        ]],
    );
    check_builder(
        |f, [x, ..]| f.broadcast(x, &[2, 2, 3], &[0, 1]),
        expect![[
            r#"function f, scope "layer 3 / part", broadcast_in_dim: operands differ: tensor<2x3xf32> and tensor<2x2x3xf32>"#
        ]],
    );
    check_builder(
        |f, [x, ..]| f.broadcast(x, &[2, 3, 4], &[1, 0]),
        expect![[
            r#"function f, scope "layer 3 / part", broadcast_in_dim: dimensions [1, 0] doesn't fit tensor<2x3xf32>"#
        ]],
    );
    check_builder(
        |f, [x, ..]| f.transpose(x, &[0, 0]),
        expect![[
            r#"function f, scope "layer 3 / part", transpose: permutation [0, 0] doesn't fit tensor<2x3xf32>"#
        ]],
    );
    check_builder(
        |f, [x, ..]| f.slice(x, 1, 2..4),
        expect![[r#"function f, scope "layer 3 / part", slice: limit [2, 4] doesn't fit tensor<2x3xf32>"#]],
    );
    check_builder(
        |f, [x, ..]| f.slice(x, 2, 0..1),
        expect![[
            r#"function f, scope "layer 3 / part", slice: start [0, 0, 0] doesn't fit tensor<2x3xf32>"#
        ]],
    );
    check_builder(
        |f, [x, i, _]| f.dynamic_slice(x, &[i], &[1, 1]),
        expect![[
            r#"function f, scope "layer 3 / part", dynamic_slice: start [1] doesn't fit tensor<2x3xf32>"#
        ]],
    );
    check_builder(
        |f, [x, i, _]| f.dynamic_update(x, x, &[i, x]),
        expect![[
            r#"function f, scope "layer 3 / part", dynamic_update_slice: needs a tensor<i32>, got tensor<2x3xf32>"#
        ]],
    );
    check_builder(
        |f, [x, i, _]| f.take(x, i, 0),
        expect![[r#"function f, scope "layer 3 / part", gather: needs a list of i32, got tensor<i32>"#]],
    );
    check_builder(
        |f, [x, ..]| f.dot(x, x, &[], &[[1, 0]]),
        expect![[
            r#"function f, scope "layer 3 / part", dot_general: operands differ: tensor<2x3xf32> and tensor<2x3xf32>"#
        ]],
    );
    check_builder(
        |f, [x, ..]| f.dot(x, x, &[[0, 0]], &[[0, 0]]),
        expect![[
            r#"function f, scope "layer 3 / part", dot_general: operands differ: tensor<2x3xf32> and tensor<2x3xf32>"#
        ]],
    );
    check_builder(
        |f, [x, ..]| f.arg_max(x, 2),
        expect![[r#"function f, scope "layer 3 / part", argmax: tensor<2x3xf32> has no dimension 2"#]],
    );
    check_builder(
        |f, [x, ..]| f.compare(Relation::Less, x, x).and_then(|p| f.select(p, x, p)),
        expect![[
            r#"function f, scope "layer 3 / part", select: operands differ: tensor<2x3xf32> and tensor<2x3xi1>"#
        ]],
    );
    check_builder(
        |f, [x, ..]| f.concatenate(&[x, x], 2),
        expect![[r#"function f, scope "layer 3 / part", concatenate: tensor<2x3xf32> has no dimension 2"#]],
    );
    check_builder(
        |f, _| f.dims::<1>(Handle::from_index(0)).map(|_| Handle::from_index(0)),
        expect![[
            r#"function f, scope "layer 3 / part", dimensions: needs a tensor of rank 1, got tensor<2x3xf32>"#
        ]],
    );
    check_builder(
        |f, _| f.append(Op::Argument { index: 9 }),
        expect![[r#"function f, scope "layer 3 / part", argument: the function has no argument 9"#]],
    );
    check_builder(
        |f, [x, ..]| f.add(x, Handle::from_index(99)),
        expect![[
            r#"function f, scope "layer 3 / part", add: operand #99 is not an earlier value of the function"#
        ]],
    );
}

#[test]
fn values() {
    check_graph(|_| {}, expect![[""]]);
    check_graph(
        |graph| change_value(graph, 3, |value| value.ty = tensor(&[3, 2], ElementType::F32)),
        expect!["function f, value #3: its operation gives tensor<2x3xf32>, but it says tensor<3x2xf32>"],
    );
    check_graph(
        |graph| {
            let later = Handle::from_index(3);
            change_value(graph, 3, |value| {
                value.op = Op::Transpose { input: later, permutation: vec![1, 0] }
            });
        },
        expect![[
            r#"function f, scope "layer 3 / part", transpose: operand #3 is not an earlier value of the function"#
        ]],
    );
    check_graph(
        |graph| change_value(graph, 3, |value| value.scope = Handle::from_index(7)),
        expect!["function f, value #3: it is in scope #7, which the graph doesn't have"],
    );
    check_graph(
        |graph| change_value(graph, 3, |value| value.name = Some("a b")),
        expect![[
            r#"function f: the name "a b" is not made of letters, digits and underscores, no digit first"#
        ]],
    );
}

#[test]
fn functions() {
    check_graph(|graph| graph.functions.clear(), expect!["the graph has no functions"]);
    check_graph(
        |graph| graph.functions.push(graph.functions[0].clone()),
        expect![[r#"function "f" is there twice"#]],
    );
    check_graph(
        |graph| graph.functions[0].arguments[1].name = "x".to_owned(),
        expect![[r#"argument "x" is there twice"#]],
    );
    check_graph(
        |graph| graph.functions[0].arguments[0].name = "x; }".to_owned(),
        expect![[
            r#"function f: the name "x; }" is not made of letters, digits and underscores, no digit first"#
        ]],
    );
    check_graph(
        |graph| graph.functions[0].arguments[0].consumed = true,
        expect![[
            r#"function f: argument "x" is consumed, but no result of that name and type gives it back"#
        ]],
    );
    check_graph(
        |graph| graph.functions[0].results[0].value = Handle::from_index(2),
        expect![[r#"function f: result "y" is not a tensor of the function"#]],
    );
    check_graph(
        |graph| graph.functions[0].results[0].value = Handle::from_index(99),
        expect![[r#"function f: result "y" is not a tensor of the function"#]],
    );
    check_graph(
        |graph| {
            let ty = tensor(&[1], ElementType::F32);
            graph.functions[0].arguments.push(Argument { name: "i".to_owned(), ty, consumed: false });
        },
        expect![[r#"argument "i" is there twice"#]],
    );
}

#[test]
fn scopes() {
    let orphan = |parent| Scope { name: "orphan".to_owned(), parent };
    check_graph(
        |graph| _ = graph.scopes.append(orphan(None)),
        expect![[r#"scope #3 ("orphan") has no earlier scope as its parent"#]],
    );
    check_graph(
        |graph| _ = graph.scopes.append(orphan(Some(Handle::from_index(3)))),
        expect![[r#"scope #3 ("orphan") has no earlier scope as its parent"#]],
    );
}

#[test]
fn params() {
    let from_tensor =
        |row_order, transpose| ParamSource::Tensor { name: "t".to_owned(), rows: None, row_order, transpose };
    let halves = RowOrder::RopeHalves { head_count: 2, head_dim: 4 };
    let as_stored = RowOrder::AsStored;
    let add = |shape: &[u64], source: ParamSource| {
        let shape = shape.to_vec();
        let spec = ParamSpec {
            name: "p".to_owned(),
            shape,
            element_type: ElementType::F32,
            source,
            storage: Storage::Dense,
        };
        move |graph: &mut Graph| _ = graph.params.append(spec)
    };
    check_graph(add(&[8, 5], from_tensor(halves, false)), expect![[""]]);
    check_graph(
        add(&[5, 8], from_tensor(halves, false)),
        expect![[
            r#"parameter "p" of shape [5, 8] can't be made from its source: its rows are not heads of an even number of rows each"#
        ]],
    );
    check_graph(add(&[5, 8], from_tensor(halves, true)), expect![[""]]);
    check_graph(
        add(&[5, 8, 1], from_tensor(as_stored, true)),
        expect![[
            r#"parameter "p" of shape [5, 8, 1] can't be made from its source: only a matrix can be transposed"#
        ]],
    );
    check_graph(
        add(&[2, 2], ParamSource::Values([0.0; 3].into())),
        expect![[
            r#"parameter "p" of shape [2, 2] can't be made from its source: it has another number of values"#
        ]],
    );
    check_graph(
        add(&[u64::MAX, 2], from_tensor(as_stored, false)),
        expect![[
            r#"parameter "p" of shape [18446744073709551615, 2] can't be made from its source: it has too many elements"#
        ]],
    );
    check_graph(
        |graph| {
            add(&[8, 5], from_tensor(as_stored, false))(graph);
            add(&[8, 4], from_tensor(as_stored, false))(graph);
        },
        expect![[r#"parameter "p" is there twice"#]],
    );
}

#[test]
fn names_and_numbers_are_printed_so_that_mlir_reads_them() {
    let mut builder = GraphBuilder::new("a model");
    let mut f = builder.function("f", GraphKind::Redecode);
    let spec = ParamSpec {
        name: "odd \"key\"\\\u{e9}".to_owned(),
        shape: vec![2],
        element_type: ElementType::F32,
        source: ParamSource::Values([1.0, 2.0].into()),
        storage: Storage::Dense,
    };
    let mut sum = f.parameter(spec).unwrap();
    for number in [0.1, 1e-5, 1e30, 2.0, f32::NEG_INFINITY, f32::MIN_POSITIVE] {
        let number = f.f32(number, &[2]).unwrap();
        let number = f.named("number", number);
        sum = f.add(sum, number).unwrap();
    }
    f.result("sum", sum);
    f.finish();
    let graph = builder.finish();
    expect![[r#"
        module @"a model" {
          util.global private @"odd \"key\"\\\C3\A9" = #stream.parameter.named<"model"::"odd \"key\"\\\C3\A9"> : tensor<2xf32>

          func.func public @f() -> (tensor<2xf32>) {
            // model
            %parameter = util.global.load @"odd \"key\"\\\C3\A9" : tensor<2xf32> loc(#scope0)
            %number = stablehlo.constant dense<0.1> : tensor<2xf32> loc(#scope0)
            %add = stablehlo.add %parameter, %number : tensor<2xf32> loc(#scope0)
            %number.2 = stablehlo.constant dense<1.0e-5> : tensor<2xf32> loc(#scope0)
            %add.2 = stablehlo.add %add, %number.2 : tensor<2xf32> loc(#scope0)
            %number.3 = stablehlo.constant dense<1.0e30> : tensor<2xf32> loc(#scope0)
            %add.3 = stablehlo.add %add.2, %number.3 : tensor<2xf32> loc(#scope0)
            %number.4 = stablehlo.constant dense<2.0> : tensor<2xf32> loc(#scope0)
            %add.4 = stablehlo.add %add.3, %number.4 : tensor<2xf32> loc(#scope0)
            %number.5 = stablehlo.constant dense<0xFF800000> : tensor<2xf32> loc(#scope0)
            %add.5 = stablehlo.add %add.4, %number.5 : tensor<2xf32> loc(#scope0)
            %number.6 = stablehlo.constant dense<1.1754944e-38> : tensor<2xf32> loc(#scope0)
            %add.6 = stablehlo.add %add.5, %number.6 : tensor<2xf32> loc(#scope0)
            return %add.6 : tensor<2xf32>
          }
        }

        #scope0 = loc("model")
    "#]].assert_eq(&stablehlo::print(&check(&graph).unwrap()));
}

fn change_value(graph: &mut Graph, index: usize, change: impl FnOnce(&mut studio_core::graph::Value)) {
    let values = &mut graph.functions[0].values;
    let mut changed = Arena::default();
    let mut change = Some(change);
    for (handle, value) in values.iter() {
        let mut value = value.clone();
        if handle.index() == index
            && let Some(change) = change.take()
        {
            change(&mut value);
        }
        changed.append(value);
    }
    *values = changed;
}
