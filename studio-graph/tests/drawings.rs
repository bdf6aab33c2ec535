//! What a drawing shows, and what must hold for each.

mod common;

use common::{Maker, decoder, only};
use proptest::prelude::*;
use std::collections::HashSet;
use studio_graph::{
    Analysis, ChipKind, Direction, Drawing, Function, GroupId, Item, Look, Module, NodeId, NodeKind, Overlay,
    Palette, ScopeId, View, find, nearby, path_of, search, svg,
};

fn draw(module: &Module, view: &View) -> (Analysis, Drawing) {
    let analysis = Analysis::new(module, only(module));
    let drawing = Drawing::new(module, only(module), &analysis, view);
    (analysis, drawing)
}

fn titles(drawing: &Drawing) -> Vec<&str> {
    drawing.boxes.iter().map(|drawn| drawn.title.as_str()).collect()
}

fn open(module: &Module, paths: &[&str]) -> View {
    let analysis = Analysis::new(module, only(module));
    let mut view = View::default();
    for path in paths {
        match find(module, only(module), &analysis, path) {
            Some(Item::Scope(scope)) => view.reveal_whole(&analysis, scope),
            other => panic!("{path}: {other:?}"),
        }
    }
    view
}

#[test]
fn equal_layers_are_one_box_with_their_number() {
    let module = decoder(30);
    let (_, drawing) = draw(&module, &View::default());
    assert_eq!(
        titles(&drawing),
        ["tokens", "position", "mask", "embedding", "layer 0 … 29", "argmax", "next"]
    );
    let layers = &drawing.boxes[4];
    assert_eq!((layers.look, layers.detail.as_str()), (Look::Stack, "× 30"));
    // 7 operations and 3 weights of 320 bytes in each; conversions count as operations.
    assert_eq!(layers.note, "300 ops · 28.8 kB");
}

#[test]
fn a_layer_that_differs_stands_for_itself() {
    let mut m = Maker::new("main");
    let mut value = m.named(NodeKind::Argument, "argument", Some("x"), "4xf32", &[], ScopeId::ROOT, None);
    for (index, ops) in
        [["add", "tanh"], ["add", "tanh"], ["add", "exponential"], ["add", "tanh"]].iter().enumerate()
    {
        let scope = m.scope(ScopeId::ROOT, &format!("block {index}"));
        for op in ops {
            value = m.add(NodeKind::Operation, op, "4xf32", &[value], scope);
        }
    }
    let module = m.finish();
    let (analysis, drawing) = draw(&module, &View::default());
    assert_eq!(titles(&drawing), ["x", "block 0 … 1", "block 2", "block 3"]);
    assert_eq!(analysis.groups.len(), 1);
}

#[test]
fn weights_and_named_values_are_chips_and_no_edges() {
    let module = decoder(3);
    let (_, drawing) = draw(&module, &open(&module, &["layer 0/attention/mix"]));
    let chips = |title: &str| {
        let drawn = drawing.boxes.iter().find(|drawn| drawn.title == title).unwrap();
        drawn
            .chips
            .iter()
            .map(|chip| (chip.kind, chip.text.as_str(), chip.detail.as_str()))
            .collect::<Vec<_>>()
    };
    assert_eq!(chips("q_proj"), [(ChipKind::Weight, "attn_q.weight", "8×8 Q4_1")]);
    assert_eq!(chips("select"), [(ChipKind::Shared, "visible", "")]);
    assert_eq!(chips("multiply"), [(ChipKind::Constant, "constant", "")]);
    assert!(chips("mask").contains(&(ChipKind::Named, "visible", "")));
    let mask = only(&module).ids().find(|(_, node)| module.text(node.op) == "compare").unwrap().0;
    assert!(drawing.edges.iter().all(|edge| edge.value.node != mask));
}

#[test]
fn a_folded_group_shows_any_of_its_members() {
    let module = decoder(3);
    let mut view = open(&module, &["layer 0/attention"]);
    for member in [0, 2] {
        view.show_member(GroupId(0), member);
        let analysis = Analysis::new(&module, only(&module));
        for index in 0..only(&module).scopes().len() {
            view.set_open(Item::Scope(ScopeId(index as u32)), true);
        }
        let drawing = Drawing::new(&module, only(&module), &analysis, &view);
        let names: Vec<&str> = drawing.boxes.iter().map(|drawn| drawn.title.as_str()).collect();
        assert!(names.contains(&format!("layer {member}").as_str()), "{names:?}");
        // What comes from the embedding goes in, what argmax reads comes out, whichever member is shown.
        check_paths(&module, &analysis, &view, &drawing);
    }
}

#[test]
fn unfolded_members_are_boxes_of_their_own() {
    let module = decoder(3);
    let mut view = View::default();
    view.set_unfolded(GroupId(0), true);
    let (analysis, drawing) = draw(&module, &view);
    let layers = titles(&drawing).into_iter().filter(|title| title.starts_with("layer")).collect::<Vec<_>>();
    assert_eq!(layers, ["layer 0", "layer 1", "layer 2"]);
    check_paths(&module, &analysis, &view, &drawing);
    // One column.
    let x: HashSet<i32> = drawing
        .boxes
        .iter()
        .filter(|drawn| drawn.title.starts_with("layer"))
        .map(|drawn| drawn.rect.center().x as i32)
        .collect();
    assert_eq!(x.len(), 1);
}

#[test]
fn paths_name_items_and_lead_back() {
    let module = decoder(3);
    let analysis = Analysis::new(&module, only(&module));
    let function = only(&module);
    for (id, _) in function.ids() {
        let path = path_of(&module, function, &analysis, Item::Node(id));
        assert_eq!(find(&module, function, &analysis, &path), Some(Item::Node(id)), "{path}");
    }
    assert_eq!(find(&module, function, &analysis, "layer 1/nothing"), None);
    assert_eq!(find(&module, function, &analysis, ""), None);
    let node = function.ids().find(|(_, node)| module.text(node.op) == "select").unwrap().0;
    assert_eq!(path_of(&module, function, &analysis, Item::Node(node)), "layer 0/attention/mix/select");
}

#[test]
fn search_finds_by_name_operation_shape_type_and_format() {
    let module = decoder(3);
    let analysis = Analysis::new(&module, only(&module));
    let found = |query: &str| search(&module, only(&module), &analysis, query, 100).1;
    assert_eq!(found("dot_general"), 12);
    assert_eq!(found("8x8xf16"), 9);
    assert_eq!(found("Q4_1 blk.1"), 3);
    assert_eq!(found("4×4xi1"), 1);
    assert_eq!(found("no such thing"), 0);
    let (first, _) = search(&module, only(&module), &analysis, "layer 2", 1);
    assert_eq!(first[0].item, find(&module, only(&module), &analysis, "layer 2").unwrap());
}

#[test]
fn hops_count_boxes_and_not_conversions() {
    let module = decoder(1);
    let analysis = Analysis::new(&module, only(&module));
    let function = only(&module);
    let node = |op: &str| function.ids().find(|(_, node)| module.text(node.op) == op).unwrap().0;
    let ops = |direction, hops| {
        nearby(function, &analysis, &[node("dot_general")], direction, hops)
            .into_iter()
            .map(|id| module.text(function.node(id).op))
            .collect::<Vec<_>>()
    };
    assert_eq!(ops(Direction::Inputs, 1), ["gather", "parameter", "convert", "dot_general"]);
    assert_eq!(ops(Direction::Outputs, 1), ["dot_general", "dot_general"]);
    assert!(ops(Direction::Both, 9).contains(&"argmax"));
}

#[test]
fn an_overlay_adds_up_what_is_closed() {
    let module = decoder(3);
    let (analysis, drawing) = draw(&module, &View::default());
    let bytes = Overlay::bytes(&module, only(&module), &analysis, &View::default(), &drawing);
    assert_eq!(bytes.value(drawing.boxes[4].item), 9 * 320);
    assert_eq!(bytes.most(), 9 * 320);
    let view = open(&module, &["layer 1/attention"]);
    let (analysis, drawing) = draw(&module, &view);
    let bytes = Overlay::bytes(&module, only(&module), &analysis, &view, &drawing);
    let q_proj = drawing.boxes.iter().find(|drawn| drawn.title == "q_proj").unwrap();
    assert_eq!(bytes.value(q_proj.item), 320);
}

#[test]
fn a_picture_is_always_the_same() {
    let module = decoder(3);
    let (_, drawing) = draw(&module, &open(&module, &["layer 0/attention"]));
    let text = svg::print(&drawing, "tiny <main>", Palette::LIGHT, None);
    expect_test::expect_file!["out/decoder.svg"].assert_eq(&text);
}

#[test]
fn a_coloured_picture_says_what_its_colours_stand_for() {
    let module = decoder(3);
    let (analysis, drawing) = draw(&module, &View::default());
    let bytes = Overlay::bytes(&module, only(&module), &analysis, &View::default(), &drawing);
    let text = svg::print(&drawing, "tiny", Palette::LIGHT, Some(&bytes));
    let words = ["Parameter bytes", "0 B", "720 B", "2.88 kB"];
    assert_eq!(words.map(|words| text.matches(&format!(">{words}</text>")).count()), [1; 4]);
    // The hottest colour is the ramp's end and the hottest box, which is a stack of three.
    assert_eq!(text.matches(&format!("fill=\"{}\"", Palette::LIGHT.hot)).count(), 4);
    let (width, height) = svg::size(&drawing, Some(&bytes));
    assert!(text.contains(&format!("viewBox=\"0 0 {width} {height}\"")));
    assert!(height > drawing.height && svg::size(&drawing, None) == (drawing.width, drawing.height));
}

/// No two boxes overlap but for a box and what it lies in, and no content leaves its box.
fn check_boxes(drawing: &Drawing) {
    for (index, drawn) in drawing.boxes.iter().enumerate() {
        if let Some(parent) = drawn.parent {
            let around = drawing.boxes[parent].rect;
            assert!(parent < index);
            assert!(drawn.rect.x >= around.x && drawn.rect.right() <= around.right() + 0.5, "{drawn:?}");
            assert!(drawn.rect.y >= around.y && drawn.rect.bottom() <= around.bottom() + 0.5, "{drawn:?}");
        }
        for other in &drawing.boxes[..index] {
            let apart = drawn.rect.right() <= other.rect.x + 1.0
                || other.rect.right() <= drawn.rect.x + 1.0
                || drawn.rect.bottom() <= other.rect.y + 0.5
                || other.rect.bottom() <= drawn.rect.y + 0.5;
            let nested =
                std::iter::successors(Some(drawn), |drawn| drawn.parent.map(|at| &drawing.boxes[at]))
                    .any(|above| above.item == other.item);
            assert!(apart || nested, "{drawn:?}\n{other:?}");
        }
    }
}

/// From each box that reads a value, edges lead back to the box that gives it.
fn check_paths(module: &Module, analysis: &Analysis, view: &View, drawing: &Drawing) {
    let function = only(module);
    for (user, node) in function.ids() {
        for operand in &node.operands {
            let named = analysis.is_shared(operand.node) && node.kind != NodeKind::Result;
            if analysis.is_inline(operand.node) || named {
                continue;
            }
            let last = |id: NodeId| {
                *drawing.around(function, analysis, view, id).last().expect("a node is drawn somewhere")
            };
            let (from, to) = (last(operand.node), last(user));
            if from == to || between_members(function, analysis, operand.node, user) {
                continue;
            }
            assert!(leads(drawing, from, to), "from {from:?} to {to:?}: {:?}", drawing.edges);
        }
    }
}

fn between_members(function: &Function, analysis: &Analysis, a: NodeId, b: NodeId) -> bool {
    let members = |id: NodeId| {
        let scope = function.node(analysis.home(id)).scope;
        analysis.tree.upwards(scope).filter_map(|scope| analysis.group_of(scope)).collect::<Vec<_>>()
    };
    members(a).iter().any(|(group, member)| members(b).iter().any(|(g, m)| g == group && m != member))
}

/// Whether edges that touch one another run from one box to another, through frames.
fn leads(drawing: &Drawing, from: Item, to: Item) -> bool {
    let (from, to) =
        (drawing.index_of(from).expect("it is drawn"), drawing.index_of(to).expect("it is drawn"));
    let touches =
        |a: studio_graph::Point, b: studio_graph::Point| (a.x - b.x).abs() < 1.5 && (a.y - b.y).abs() < 1.5;
    let mut seen = vec![false; drawing.edges.len()];
    let mut left: Vec<usize> =
        (0..drawing.edges.len()).filter(|&e| drawing.edges[e].from == Some(from)).collect();
    while let Some(index) = left.pop() {
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        let edge = &drawing.edges[index];
        if edge.to == Some(to) {
            return true;
        }
        let end = *edge.points.last().expect("an edge has points");
        for (next, other) in drawing.edges.iter().enumerate() {
            if touches(end, other.points[0]) {
                left.push(next);
            }
        }
    }
    false
}

#[test]
fn boxes_nest_and_edges_lead_from_giver_to_reader() {
    for layers in [1, 2, 5] {
        let module = decoder(layers);
        let analysis = Analysis::new(&module, only(&module));
        let mut all = View::default();
        all.open_all(&analysis, only(&module));
        let mut unfolded = View::default();
        unfolded.unfold_all(&analysis, only(&module));
        for view in [View::default(), open(&module, &["layer 0"]), all, unfolded] {
            let (analysis, drawing) = draw(&module, &view);
            check_boxes(&drawing);
            check_paths(&module, &analysis, &view, &drawing);
        }
    }
}

/// Functions of any shape: scopes in scopes, values read from anywhere before.
fn functions() -> impl Strategy<Value = (Module, Vec<bool>)> {
    let nodes = prop::collection::vec((0_usize..5, 0_usize..60, 0_usize..60, 0_usize..12), 1..40);
    (nodes, prop::collection::vec(any::<bool>(), 12)).prop_map(|(nodes, open)| {
        let mut m = Maker::new("main");
        let mut scopes = vec![ScopeId::ROOT];
        let mut made = Vec::new();
        for (index, (kind, a, b, scope)) in nodes.into_iter().enumerate() {
            let parent = scopes[scope % scopes.len()];
            if scope % 3 == 0 && scopes.len() < 12 {
                scopes.push(m.scope(parent, &format!("s{}", scopes.len())));
            }
            let scope = scopes[(scope + a) % scopes.len()];
            let pick = |at: usize| made.get(at % made.len().max(1)).copied();
            let node = match kind {
                0 => m.add(NodeKind::Constant, "constant", "f32", &[], scope),
                1 => m.add(NodeKind::Parameter, "parameter", "f32", &[], scope),
                _ => {
                    let operands: Vec<NodeId> = [pick(a), pick(b)].into_iter().flatten().collect();
                    m.add(
                        NodeKind::Operation,
                        ["add", "reshape", "dot_general"][index % 3],
                        "f32",
                        &operands,
                        scope,
                    )
                }
            };
            made.push(node);
        }
        (m.finish(), open)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn every_function_is_drawn_whole((module, open) in functions()) {
        let analysis = Analysis::new(&module, only(&module));
        let mut view = View::default();
        for (index, &open) in open.iter().enumerate().take(only(&module).scopes().len()) {
            view.set_open(Item::Scope(ScopeId(index as u32)), open);
        }
        let drawing = Drawing::new(&module, only(&module), &analysis, &view);
        check_boxes(&drawing);
        check_paths(&module, &analysis, &view, &drawing);
    }
}
