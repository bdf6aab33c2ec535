//! Graphs out of MLIR text.

use studio_graph::{Analysis, Function, Module, NodeKind, mlir};

fn ops<'m>(module: &'m Module, function: &Function) -> Vec<&'m str> {
    function.nodes().iter().map(|node| module.text(node.op)).collect()
}

/// The studio's own text, as its printer's snapshot has it.
#[test]
fn the_studios_own_text() {
    let text = include_str!("../../studio-core/tests/out/tied-kv-f16.mlir");
    let module = mlir::parse(text).unwrap();
    let names: Vec<&str> = module.functions().iter().map(Function::name).collect();
    assert_eq!((module.name.as_str(), names), ("llama", vec!["prefill", "decode"]));
    let (_, prefill) = module.function("prefill").unwrap();
    let count = |kind| prefill.nodes().iter().filter(|node| node.kind == kind).count();
    assert_eq!(count(NodeKind::Argument), 4);
    assert_eq!(count(NodeKind::Result), 3);
    // One for each `util.global.load` of the function.
    let body = text.split("func.func public @prefill").nth(1).unwrap().split("func.func").next().unwrap();
    assert_eq!(count(NodeKind::Parameter), body.matches("util.global.load").count());
    let analysis = Analysis::new(&module, prefill);
    assert_eq!(analysis.groups.len(), 1);
    assert_eq!(analysis.groups[0].members.len(), 2);
    let product =
        prefill.nodes().iter().find(|node| module.text(node.op) == "stablehlo.dot_general").unwrap();
    // [4, 32] times [32, 32], an addition and a multiplication for each.
    assert_eq!(product.flops, 2 * 4 * 32 * 32);
    assert_eq!(module.text(product.types[0]), "4x32xf32");
}

/// As JAX prints it: names of locations behind, private functions that are called, loops with regions.
const JAX: &str = r##"#loc = loc(unknown)
#loc1 = loc("x")
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32> loc("x"), %arg1: tensor<8x8xf32> {mhlo.sharding = "{replicated}"} loc("w")) -> (tensor<4x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc(#loc4)
    %1 = call @silu(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc5)
    %c = stablehlo.constant dense<0> : tensor<i32> loc(#loc)
    %2:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %1) : tensor<i32>, tensor<4x8xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32> loc(#loc)
      %4 = stablehlo.compare  LT, %iterArg, %c_1,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1> loc(#loc)
      stablehlo.return %4 : tensor<i1> loc(#loc)
    } do {
      %4 = func.call @silu(%iterArg_0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc(#loc)
      %c_1 = stablehlo.constant dense<1> : tensor<i32> loc(#loc)
      %5 = stablehlo.add %iterArg, %c_1 : tensor<i32> loc(#loc)
      stablehlo.return %5, %4 : tensor<i32>, tensor<4x8xf32> loc(#loc)
    } loc(#loc6)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(#loc)
    %3 = stablehlo.reduce(%2#1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32> loc(#loc7)
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32> loc(#loc)
    return %4 : tensor<4x8xf32> loc(#loc)
  } loc(#loc)
  func.func private @silu(%arg0: tensor<4x8xf32> loc(unknown)) -> tensor<4x8xf32> {
    %0 = stablehlo.logistic %arg0 : tensor<4x8xf32> loc(#loc)
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x8xf32> loc(#loc)
    return %1 : tensor<4x8xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc2 = loc("model.py":3:8)
#loc4 = loc("jit(f)/jit(main)/block_0/dense/dot_general"(#loc2))
#loc5 = loc("jit(f)/jit(main)/block_0/jit(silu)"(#loc2))
#loc6 = loc("jit(f)/jit(main)/while"(#loc2))
#loc7 = loc("jit(f)/jit(main)/reduce_sum"(#loc2))
"##;

#[test]
fn a_text_of_jax() {
    let module = mlir::parse(JAX).unwrap();
    assert_eq!(module.functions().len(), 1);
    let main = &module.functions()[0];
    assert_eq!(
        ops(&module, main),
        [
            "argument",
            "argument",
            "stablehlo.dot_general",
            "stablehlo.logistic",
            "stablehlo.multiply",
            "stablehlo.constant",
            "region_argument",
            "region_argument",
            "stablehlo.constant",
            "stablehlo.compare",
            "region_argument",
            "region_argument",
            "stablehlo.logistic",
            "stablehlo.multiply",
            "stablehlo.constant",
            "stablehlo.add",
            "stablehlo.while",
            "stablehlo.constant",
            "stablehlo.reduce",
            "stablehlo.broadcast_in_dim",
            "result",
        ]
    );
    let names: Vec<&str> = main.scopes().iter().skip(1).map(|scope| module.text(scope.name)).collect();
    assert_eq!(names, ["block_0", "dense", "silu", "while", "while 2", "silu"]);
    let arguments: Vec<&str> = main.nodes()[..2].iter().map(|node| module.text(node.name.unwrap())).collect();
    assert_eq!(arguments, ["x", "w"]);
    assert_eq!(main.nodes()[2].flops, 2 * 4 * 8 * 8);
    // The loop gives two things; the reduction reads the second.
    let reduce = main.nodes().iter().find(|node| module.text(node.op) == "stablehlo.reduce").unwrap();
    assert_eq!(reduce.operands[0].result, 1);
    let said = |node: &studio_graph::Node, name: &str| {
        node.attributes
            .iter()
            .find(|(key, _)| module.text(*key) == name)
            .map(|(_, value)| module.text(*value).to_owned())
    };
    assert_eq!(said(reduce, "applies").as_deref(), Some("stablehlo.add"));
    assert_eq!(said(reduce, "dimensions").as_deref(), Some("[1]"));
    let compare = main.nodes().iter().find(|node| module.text(node.op) == "stablehlo.compare").unwrap();
    assert_eq!(said(compare, "direction").as_deref(), Some("LT"));
}

/// What JAX really prints (see texts/make_jax.py), in both forms: the same graph.
#[test]
fn real_texts_of_jax() {
    let pretty = mlir::parse(include_str!("texts/jax.mlir")).unwrap();
    let generic = mlir::parse(include_str!("texts/jax-generic.mlir")).unwrap();
    for module in [&pretty, &generic] {
        assert_eq!(module.functions().len(), 1);
        let main = &module.functions()[0];
        let analysis = Analysis::new(module, main);
        let members: Vec<&str> = analysis.groups[0]
            .members
            .iter()
            .map(|scope| module.text(main.scopes()[scope.index()].name))
            .collect();
        // JAX writes constants once, in the first layer: that keeps it from being equal no more.
        assert_eq!(members, ["layer_0", "layer_1", "layer_2"]);
        // Seven products with weights and two of attention, in each layer.
        assert_eq!(ops(module, main).iter().filter(|op| **op == "stablehlo.dot_general").count(), 27);
    }
    let count = |module: &Module| module.functions()[0].nodes().len();
    assert_eq!(count(&pretty), count(&generic));
    let flops = |module: &Module| module.functions()[0].nodes().iter().map(|node| node.flops).sum::<u64>();
    assert_eq!(flops(&pretty), flops(&generic));
}

/// The generic form, which every tool prints on demand.
#[test]
fn the_generic_form() {
    let text = r#""builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x3xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %3 = "stablehlo.dot_general"(%1, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    "func.return"(%1) : (tensor<2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"#;
    let module = mlir::parse(text).unwrap();
    let main = &module.functions()[0];
    assert_eq!(main.name(), "main");
    assert_eq!(
        ops(&module, main),
        ["argument", "stablehlo.constant", "stablehlo.reduce", "stablehlo.dot_general", "result"]
    );
    assert_eq!(main.nodes()[2].flops, 6);
    assert_eq!(main.nodes()[3].flops, 4);
    let value = main.nodes()[1].attributes.iter().find(|(name, _)| module.text(*name) == "value").unwrap().1;
    assert_eq!(module.text(value), "0.0");
}

#[test]
fn errors_name_line_and_column() {
    let error = |text: &str| mlir::parse(text).unwrap_err().to_string();
    let body = |line: &str| format!("func.func @f(%x: i32) {{\n  {line}\n  return\n}}\n");
    assert_eq!(
        error(&body("%y = stablehlo.add %x, %z : i32")),
        "line 2, column 26: %z is not defined before it is used"
    );
    assert_eq!(error(&body("%y = ]")), "line 2, column 8: an operation is missing before `]`");
    assert_eq!(error(&body("%y = a.b [1, 2 : i32")), "line 4, column 1: this `}` closes nothing");
    assert_eq!(error(&body("%y = a.b \"text : i32")), "line 2, column 12: this string has no end");
    assert_eq!(error("func.func @f() {\n"), "line 2, column 1: a `}` is missing before the end of the text");
    assert_eq!(error(""), "line 1, column 1: there is no function with a body in this text");
    assert_eq!(error("func.func {\n}"), "line 1, column 11: the function's name is missing before `{`");
}

#[test]
fn hostile_texts_end_soon() {
    let deep = format!("func.func @f() {{\n{}", "a.b {\n%x = a.c : i32\n".repeat(50_000));
    assert!(mlir::parse(&deep).unwrap_err().message.contains("nested deeper"));
    let brackets = format!("func.func @f() {{\n%x = a.b {}", "[".repeat(1_000_000));
    assert!(mlir::parse(&brackets).unwrap_err().message.contains("too long"));
    // Each function calls the one before twice: 2^40 operations, were all put in place.
    let mut text =
        "func.func private @f0(%x: i32) -> i32 {\n  %a = a.b %x : i32\n  return %a : i32\n}\n".to_owned();
    for at in 1..40 {
        let before = at - 1;
        let call = |name: &str, of: &str| format!("  {name} = call @f{before}({of}) : (i32) -> i32\n");
        text += &format!(
            "func.func private @f{at}(%x: i32) -> i32 {{\n{}{}  return %b : i32\n}}\n",
            call("%a", "%x"),
            call("%b", "%a")
        );
    }
    text += "func.func public @main(%x: i32) -> i32 {\n  %a = call @f39(%x) : (i32) -> i32\n  return %a : i32\n}\n";
    assert!(mlir::parse(&text).unwrap_err().message.contains("more than 200000"));
    // A function that calls itself.
    let own = "func.func @f(%x: i32) -> i32 {\n  %a = call @f(%x) : (i32) -> i32\n  return %a : i32\n}\n";
    assert!(mlir::parse(own).is_ok());
}

proptest::proptest! {
    /// Whatever is cut off or changed, an answer comes, and no panic.
    #[test]
    fn broken_texts_are_judged(cut in 0_usize..4_000, at in 0_usize..4_000, with in "[(){}<>\\[\\]%:=\"ü ,a]{0,3}") {
        let mut text: String = JAX.chars().take(cut.max(40)).collect();
        let place = text.char_indices().map(|(place, _)| place).nth(at.min(text.len() / 2)).unwrap_or(0);
        text.insert_str(place, &with);
        drop(mlir::parse(&text));
    }
}
