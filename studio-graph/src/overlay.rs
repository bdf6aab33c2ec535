//! A number for each operation, shown as colour.

use crate::analysis::Analysis;
use crate::drawing::{Drawing, Item};
use crate::module::{Function, Module, NodeId};
use crate::view::View;
use std::collections::HashMap;

/// A number for each box of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlay {
    values: HashMap<Item, u64>,
    most: u64,
}

impl Overlay {
    /// Bytes of the parameters that each box loads, as their source stores them.
    #[must_use]
    pub fn bytes(
        module: &Module,
        function: &Function,
        analysis: &Analysis,
        view: &View,
        drawing: &Drawing,
    ) -> Self {
        let by_node =
            function.nodes().iter().map(|node| module.parameter_of(node).map_or(0, |p| p.bytes)).collect();
        Self::new(function, analysis, view, drawing, by_node)
    }

    /// Floating-point operations of each box in one call.
    #[must_use]
    pub fn flops(function: &Function, analysis: &Analysis, view: &View, drawing: &Drawing) -> Self {
        Self::new(function, analysis, view, drawing, function.nodes().iter().map(|node| node.flops).collect())
    }

    /// Any number by node, added up for the boxes that are closed. Members of a group are all counted.
    #[must_use]
    pub fn new(
        function: &Function,
        analysis: &Analysis,
        view: &View,
        drawing: &Drawing,
        by_node: Vec<u64>,
    ) -> Self {
        let mut values: HashMap<Item, u64> = HashMap::new();
        for (index, value) in by_node.into_iter().enumerate().filter(|(_, value)| *value > 0) {
            let path = drawing.around(function, analysis, view, NodeId(index as u32));
            if let Some(&item) = path.last() {
                let sum = values.entry(item).or_default();
                *sum = sum.saturating_add(value);
            }
        }
        // An open group shows one member's share, not the sum that lands on its boxes.
        for drawn in drawing.boxes.iter().filter(|drawn| !drawn.look.is_open()) {
            let mut times = 1;
            let mut parent = drawn.parent;
            while let Some(above) = parent.and_then(|index| drawing.boxes.get(index)) {
                if let Item::Group(group) = above.item {
                    times *= analysis.group(group).members.len() as u64;
                }
                parent = above.parent;
            }
            if times > 1
                && let Some(value) = values.get_mut(&drawn.item)
            {
                *value /= times;
            }
        }
        let most =
            drawing.boxes.iter().filter_map(|drawn| values.get(&drawn.item)).max().copied().unwrap_or(0);
        Self { values, most }
    }

    /// The number of a box.
    #[must_use]
    pub fn value(&self, item: Item) -> u64 {
        self.values.get(&item).copied().unwrap_or(0)
    }

    /// The greatest number of a closed box.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.most
    }

    /// From 0 to 1: how much of the colour a box has. The square root tells small ones apart.
    #[must_use]
    pub fn heat(&self, item: Item) -> f32 {
        if self.most == 0 { 0.0 } else { (self.value(item) as f64 / self.most as f64).sqrt() as f32 }
    }
}
