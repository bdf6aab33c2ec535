//! The explorer on a small module, without a browser.

use super::camera::Camera;
use super::explorer::{Explorer, Step};
use super::link;
use std::sync::Arc;
use studio_graph::{Direction, Item, Point, Rect, mlir};

const TEXT: &str = "module @m {
  util.global private @w = #stream.parameter.named<\"model\"::\"w\"> : tensor<8x8xf32>
  func.func public @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %w = util.global.load @w : tensor<8x8xf32> loc(\"layer 0 / proj\")
    %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc(\"layer 0 / proj\")
    %b = stablehlo.tanh %a : tensor<4x8xf32> loc(\"layer 0\")
    %w1 = util.global.load @w : tensor<8x8xf32> loc(\"layer 1 / proj\")
    %c = stablehlo.dot_general %b, %w1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc(\"layer 1 / proj\")
    %d = stablehlo.tanh %c : tensor<4x8xf32> loc(\"layer 1\")
    return %d : tensor<4x8xf32>
  }
}
";

fn explorer() -> Explorer {
    Explorer::new(Arc::new(mlir::parse(TEXT).unwrap())).unwrap()
}

fn titles(explorer: &Explorer) -> Vec<&str> {
    explorer.drawing().boxes.iter().map(|drawn| drawn.title.as_str()).collect()
}

#[test]
fn an_address_opens_a_place_and_says_where_one_is() {
    let mut explorer = explorer();
    assert_eq!(titles(&explorer), ["x", "layer 0 … 1", "result 0"]);
    assert!(explorer.follow("main", "layer 1/tanh"));
    assert_eq!(titles(&explorer), ["x", "layer 1", "proj", "tanh", "result 0"]);
    assert_eq!(explorer.chosen_box().unwrap().title, "tanh");
    assert_eq!(explorer.address(), "#graph=main/layer%201/tanh");
    assert_eq!(link::parse(&explorer.address()), Some(("main".to_owned(), "layer 1/tanh".to_owned())));
    assert!(!explorer.follow("main", "layer 7"));
    assert!(!explorer.follow("nothing", ""));
}

#[test]
fn an_address_may_hold_anything() {
    for (function, path) in [("f", ""), ("f", "a/b c/ü%"), ("f", "%zz/%4")] {
        assert_eq!(link::parse(&link::hash(function, path)), Some((function.to_owned(), path.to_owned())));
    }
    assert_eq!(link::parse("#model"), None);
    assert_eq!(link::parse("#graph=a%2"), Some(("a%2".to_owned(), String::new())));
    assert_eq!(link::parse("#graph=%ff"), None);
}

#[test]
fn arrows_walk_along_edges_and_into_what_is_open() {
    let mut explorer = explorer();
    let title = |explorer: &Explorer, item: Item| explorer.drawing().of(item).unwrap().title.clone();
    let first = explorer.step(Step::Down).unwrap();
    assert_eq!(title(&explorer, first), "x");
    explorer.choose(Some(first));
    let layers = explorer.step(Step::Down).unwrap();
    assert_eq!(title(&explorer, layers), "layer 0 … 1");
    explorer.choose(Some(layers));
    explorer.toggle(layers, Camera::default());
    let inside = explorer.step(Step::Down).unwrap();
    assert_eq!(title(&explorer, inside), "proj");
    explorer.choose(Some(inside));
    assert_eq!(explorer.step(Step::Up), Some(first));
    assert_eq!(explorer.parent(inside), Some(layers));
    assert_eq!(explorer.step(Step::Left), None);
}

#[test]
fn what_is_opened_stays_where_it_was_on_the_screen() {
    let mut explorer = explorer();
    let group = explorer.drawing().boxes[1].item;
    let camera = Camera { offset: Point::new(10.0, 20.0), scale: 0.5 };
    let corner = |explorer: &Explorer, camera: &Camera| {
        let rect = explorer.drawing().of(group).unwrap().rect;
        camera.to_screen(Point::new(rect.center().x, rect.y))
    };
    let before = corner(&explorer, &camera);
    let camera = explorer.toggle(group, camera);
    let after = corner(&explorer, &camera);
    assert!((before.x - after.x).abs() < 0.01 && (before.y - after.y).abs() < 0.01);
}

#[test]
fn light_falls_as_far_as_asked() {
    let mut explorer = explorer();
    explorer.follow("main", "layer 0/tanh");
    let lit = |explorer: &Explorer| explorer.highlight().map_or(0, |highlight| highlight.items.len());
    assert!(!explorer.highlight().unwrap().dims);
    explorer.set_reach(1, Direction::Inputs);
    assert_eq!(lit(&explorer), 2);
    explorer.set_reach(9, Direction::Inputs);
    assert_eq!(lit(&explorer), 3);
    assert!(explorer.highlight().unwrap().dims);
    explorer.choose(None);
    assert!(explorer.highlight().is_none());
}

#[test]
fn cameras_keep_points_where_they_are() {
    let camera = Camera { offset: Point::new(30.0, -20.0), scale: 0.8 };
    let at = Point::new(200.0, 100.0);
    let zoomed = camera.zoomed(1.7, at);
    let (a, b) = (camera.to_drawing(at), zoomed.to_drawing(at));
    assert!((a.x - b.x).abs() < 0.01 && (a.y - b.y).abs() < 0.01);
    let size = Point::new(800.0, 600.0);
    let fitted = Camera::fit(Rect::new(0.0, 0.0, 4000.0, 300.0), size, 1.0);
    let sight = fitted.sight(size);
    assert!(sight.x <= 0.0 && sight.right() >= 4000.0);
    let shown = camera.showing(Rect::new(5000.0, 5000.0, 100.0, 40.0), size);
    assert!(shown.sight(size).contains(Point::new(5050.0, 5020.0)));
    let half = camera.towards(zoomed, 1.0);
    assert!((half.scale - zoomed.scale).abs() < 1e-4);
}
