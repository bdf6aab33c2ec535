//! A number for each operation, shown as colour.

use crate::analysis::Analysis;
use crate::drawing::{Drawing, Item};
use crate::labels::{bytes, count, time};
use crate::module::{Function, Module, NodeId};
use crate::view::View;
use std::collections::HashMap;

/// What a number for each operation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Bytes of the parameters that it loads, as their source stores them.
    Bytes,
    /// Floating-point operations of one call.
    Flops,
    /// Nanoseconds of one call.
    Time,
}

impl Measure {
    /// What is measured.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Measure::Bytes => "Parameter bytes",
            Measure::Flops => "FLOPs of a call",
            Measure::Time => "Time of a call",
        }
    }

    /// A number of it, with its unit.
    #[must_use]
    pub fn words(self, value: u64) -> String {
        match self {
            Measure::Bytes => bytes(value),
            Measure::Flops => format!("{} FLOPs", count(value)),
            Measure::Time => time(value),
        }
    }
}

/// A number for each box of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlay {
    measure: Measure,
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
        Self::new(Measure::Bytes, function, analysis, view, drawing, by_node)
    }

    /// Floating-point operations of each box in one call.
    #[must_use]
    pub fn flops(function: &Function, analysis: &Analysis, view: &View, drawing: &Drawing) -> Self {
        let by_node = function.nodes().iter().map(|node| node.flops).collect();
        Self::new(Measure::Flops, function, analysis, view, drawing, by_node)
    }

    /// Any number by node, added up for the boxes that are closed. Members of a group are all counted.
    #[must_use]
    pub fn new(
        measure: Measure,
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
        Self { measure, values, most }
    }

    /// What the numbers say.
    #[must_use]
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// What no colour, half of it and all of it stand for.
    #[must_use]
    pub fn ticks(&self) -> [u64; 3] {
        // The half of a square root.
        [0, self.most / 4, self.most]
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
