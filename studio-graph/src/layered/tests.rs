//! What must hold for every graph.

use super::*;
use proptest::prelude::*;

/// Boxes of differing sizes, links from earlier to later ones.
fn graphs() -> impl Strategy<Value = (Vec<Spec>, Vec<Link>)> {
    (1_usize..40).prop_flat_map(|count| {
        let specs = prop::collection::vec((8.0_f32..260.0, 8.0_f32..120.0), count);
        let links = prop::collection::vec((0..count, 0..count), 0..count * 2);
        (specs, links).prop_map(|(specs, links)| {
            let spec = |(width, height)| Spec { width, height, pin: Pin::Free };
            let link = |(a, b): (usize, usize)| Link {
                from: a.min(b),
                to: a.max(b),
                from_x: None,
                to_x: None,
                bundle: 0,
            };
            (
                specs.into_iter().map(spec).collect(),
                links.into_iter().map(link).filter(|l| l.from != l.to).collect(),
            )
        })
    })
}

proptest! {
    #[test]
    fn boxes_do_not_overlap((specs, links) in graphs()) {
        let placed = place(&specs, &links);
        for a in 0..specs.len() {
            for b in 0..a {
                let apart_x = placed.boxes[a].x + specs[a].width <= placed.boxes[b].x + 1.0
                    || placed.boxes[b].x + specs[b].width <= placed.boxes[a].x + 1.0;
                let apart_y = placed.boxes[a].y + specs[a].height <= placed.boxes[b].y
                    || placed.boxes[b].y + specs[b].height <= placed.boxes[a].y;
                prop_assert!(apart_x || apart_y, "{a} and {b}: {placed:?}");
            }
        }
    }

    #[test]
    fn edges_run_down_from_box_to_box((specs, links) in graphs()) {
        let placed = place(&specs, &links);
        for (link, route) in links.iter().zip(&placed.routes) {
            let (start, end) = (route[0], route[route.len() - 1]);
            let (from, to) = (placed.boxes[link.from], placed.boxes[link.to]);
            prop_assert!((start.y - from.y - specs[link.from].height).abs() < 1.0);
            prop_assert!((end.y - to.y).abs() < 1.0);
            prop_assert!(start.x >= from.x - 1.0 && start.x <= from.x + specs[link.from].width + 1.0);
            prop_assert!(end.x >= to.x - 1.0 && end.x <= to.x + specs[link.to].width + 1.0);
            prop_assert!(route.windows(2).all(|pair| pair[1].y >= pair[0].y - 1.0), "{route:?}");
        }
    }

    #[test]
    fn no_edge_crosses_a_box((specs, links) in graphs()) {
        let placed = place(&specs, &links);
        for (link, route) in links.iter().zip(&placed.routes) {
            for (index, spec) in specs.iter().enumerate() {
                if index == link.from || index == link.to { continue; }
                let at = placed.boxes[index];
                // Between rows an edge bends; beside a box it runs straight down.
                for pair in route.windows(2).filter(|pair| (pair[0].x - pair[1].x).abs() < 0.3) {
                    let beside = pair[0].x <= at.x + 1.0 || pair[0].x >= at.x + spec.width - 1.0;
                    let above = pair[1].y <= at.y + 1.0 || pair[0].y >= at.y + spec.height - 1.0;
                    prop_assert!(beside || above, "{link:?} crosses {index}: {placed:?}");
                }
            }
        }
    }
}

fn spec(pin: Pin) -> Spec {
    Spec { width: 100.0, height: 30.0, pin }
}

fn link(from: usize, to: usize) -> Link {
    Link { from, to, from_x: None, to_x: None, bundle: 0 }
}

#[test]
fn a_chain_is_a_column() {
    let placed = place(&[spec(Pin::Free); 4], &[link(0, 1), link(1, 2), link(2, 3)]);
    assert!(placed.boxes.windows(2).all(|pair| pair[0].x == pair[1].x && pair[1].y > pair[0].y + 30.0));
    assert_eq!(placed.width, 100.0);
}

#[test]
fn pins_hold_and_what_nothing_holds_stands_over_its_user() {
    let specs = [spec(Pin::Top), spec(Pin::Free), spec(Pin::Free), spec(Pin::Free), spec(Pin::Bottom)];
    // 3 has no operands and is used by 2 only.
    let placed = place(&specs, &[link(0, 1), link(1, 2), link(3, 2), link(2, 4)]);
    assert_eq!(placed.boxes[0].y, 0.0);
    assert_eq!(placed.boxes[3].y, placed.boxes[1].y);
    assert_eq!(placed.boxes[4].y + 30.0, placed.height);
}

#[test]
fn a_cycle_is_drawn_with_one_edge_upwards() {
    let placed = place(&[spec(Pin::Free); 3], &[link(0, 1), link(1, 2), link(2, 0)]);
    let ups = placed.routes.iter().filter(|route| route[0].y > route[route.len() - 1].y).count();
    assert_eq!(ups, 1);
}
