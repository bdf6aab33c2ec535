//! A laid-out view: boxes and edges with their places, ready to be painted, independent of any screen.

use crate::analysis::Analysis;
use crate::geometry::{Point, Rect};
use crate::levels;
use crate::module::{Function, Module, NodeId, Operand, ScopeId};
use crate::place;
use crate::repeats::GroupId;
use crate::view::View;
use std::collections::HashMap;

/// What a box stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// One node, and those that stand on its box.
    Node(NodeId),
    /// A scope.
    Scope(ScopeId),
    /// Equal scopes, drawn once.
    Group(GroupId),
}

/// How a box looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// What the function is given or gives.
    End,
    /// Something computed.
    Operation,
    /// Something computed that only changes how values lie.
    Quiet,
    /// A closed scope.
    Closed,
    /// Closed equal scopes.
    Stack,
    /// An open scope: its content lies within.
    Open,
    /// One of several equal scopes, open.
    OpenStack,
}

impl Look {
    /// Whether the content lies within.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Look::Open | Look::OpenStack)
    }

    /// Whether the box can be opened or closed.
    #[must_use]
    pub fn is_scope(self) -> bool {
        matches!(self, Look::Closed | Look::Stack | Look::Open | Look::OpenStack)
    }
}

/// A box.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnBox {
    /// What it stands for.
    pub item: Item,
    /// The box it lies in, by its place in the drawing.
    pub parent: Option<usize>,
    /// How many boxes it lies in.
    pub depth: u32,
    /// Where.
    pub rect: Rect,
    /// How it looks.
    pub look: Look,
    /// What it says.
    pub title: String,
    /// What it says beside, in lesser words.
    pub detail: String,
    /// A line below.
    pub note: String,
    /// Weights, constants and named values.
    pub chips: Vec<Chip>,
}

/// Something that an operation reads, written on its box.
#[derive(Debug, Clone, PartialEq)]
pub struct Chip {
    /// Where.
    pub rect: Rect,
    /// What sort of thing.
    pub kind: ChipKind,
    /// Its name.
    pub text: String,
    /// Its type or number.
    pub detail: String,
    /// The node that it stands for.
    pub node: NodeId,
}

/// What sort of thing a chip stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChipKind {
    /// A parameter, or an argument among very many.
    Weight,
    /// A value computed elsewhere that many parts read.
    Shared,
    /// A constant.
    Constant,
    /// The name by which others read what this box gives.
    Named,
}

/// A part of an edge, within one container.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnEdge {
    /// Its way, downwards.
    pub points: Vec<Point>,
    /// What runs along it.
    pub value: Operand,
    /// The box it comes from, by its place in the drawing; `None` at the frame of the container.
    pub from: Option<usize>,
    /// The box it goes to; `None` at the frame of the container.
    pub to: Option<usize>,
    /// The value's type, where the edge begins, if no edge beside it says so.
    pub label: Option<String>,
}

/// A laid-out view of a function.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawing {
    /// Width of all.
    pub width: f32,
    /// Height of all.
    pub height: f32,
    /// A box comes after the box that it lies in.
    pub boxes: Vec<DrawnBox>,
    /// All edges.
    pub edges: Vec<DrawnEdge>,
    places: HashMap<Item, usize>,
}

/// Space around everything.
const MARGIN: f32 = 24.0;

impl Drawing {
    /// Lays a view out. Equal arguments give equal drawings.
    #[must_use]
    pub fn new(module: &Module, function: &Function, analysis: &Analysis, view: &View) -> Self {
        let levels = levels::build(function, analysis, view);
        let by = Point::new(MARGIN, MARGIN);
        let laid = place::lay(module, function, analysis, view, &levels);
        let mut drawing = Self {
            width: laid.width + 2.0 * MARGIN,
            height: laid.height + 2.0 * MARGIN,
            boxes: laid.boxes,
            edges: laid.edges,
            places: HashMap::new(),
        };
        for drawn in &mut drawing.boxes {
            drawn.rect = drawn.rect.moved(by);
            for chip in &mut drawn.chips {
                chip.rect = chip.rect.moved(by);
            }
        }
        for edge in &mut drawing.edges {
            for point in &mut edge.points {
                *point = point.plus(by);
            }
        }
        drawing.places = drawing.boxes.iter().enumerate().map(|(at, drawn)| (drawn.item, at)).collect();
        drawing
    }

    /// The box of an item.
    #[must_use]
    pub fn of(&self, item: Item) -> Option<&DrawnBox> {
        self.boxes.get(*self.places.get(&item)?)
    }

    /// The place of an item's box.
    #[must_use]
    pub fn index_of(&self, item: Item) -> Option<usize> {
        self.places.get(&item).copied()
    }

    /// The box that a node is drawn as or within, with all boxes around it, outermost first.
    #[must_use]
    pub fn around(&self, function: &Function, analysis: &Analysis, view: &View, node: NodeId) -> Vec<Item> {
        let home = levels::shown(function, analysis, view, analysis.home(node));
        levels::path(function, analysis, view, home)
    }

    /// The innermost box at a point.
    #[must_use]
    pub fn at(&self, point: Point) -> Option<&DrawnBox> {
        self.boxes.iter().rev().find(|drawn| drawn.rect.contains(point))
    }
}

/// Width that the knob takes before a title.
const KNOB: f32 = 17.0;

impl DrawnBox {
    /// Where a scope is opened and closed.
    #[must_use]
    pub fn knob(&self) -> Option<Rect> {
        self.look.is_scope().then(|| Rect::new(self.rect.x + 4.0, self.rect.y + 3.0, 24.0, 24.0))
    }

    /// Where the title begins, from the box's left edge.
    pub(crate) fn title_x(&self) -> f32 {
        if self.look.is_scope() { 12.0 + KNOB } else { 12.0 }
    }

    /// The chip at a point.
    #[must_use]
    pub fn chip_at(&self, point: Point) -> Option<&Chip> {
        self.chips.iter().find(|chip| chip.rect.contains(point))
    }
}
