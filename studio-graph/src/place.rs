//! From levels to boxes with places: inner containers first, each laid out by itself.

use crate::analysis::Analysis;
use crate::drawing::{Chip, DrawnBox, DrawnEdge, Item, Look};
use crate::geometry::{Point, Rect};
use crate::labels::type_words;
use crate::layered::{self, Link, Pin, Spec};
use crate::levels::{Edge, End, Level, Levels};
use crate::module::{Function, Module, Operand};
use crate::view::View;
use std::collections::HashSet;

mod words;

use words::Words;

/// A container's content, from its own top left corner.
#[derive(Debug, Default)]
pub(crate) struct Laid {
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) boxes: Vec<DrawnBox>,
    pub(crate) edges: Vec<DrawnEdge>,
    /// Where each input comes in, from the left edge.
    inputs: Vec<f32>,
    /// Where each output leaves.
    outputs: Vec<f32>,
}

/// Height of an open container's title.
const HEAD: f32 = 30.0;
/// Space between an open container's sides and its content.
const SIDE: f32 = 18.0;
/// Space below an open container's content.
const FOOT: f32 = 16.0;
/// Height of a line of title.
const TITLE: f32 = 30.0;
/// Height of a note.
const NOTE: f32 = 16.0;
/// Height of a chip, and of the space below it.
const CHIP: [f32; 2] = [20.0, 3.0];
/// Space beside the type of each of several values that leave a box.
const LEAVING: f32 = 18.0;
/// The most room that these take.
const MAX_LEAVING: f32 = 420.0;
/// Space between a box's sides and what it says.
const INSET: f32 = 12.0;

/// Widths of a character of text of size 1: every usual font of the kind is at most so wide on average.
const SANS: f32 = 0.66;
const MONO: f32 = 0.61;
/// Sizes of text.
pub(crate) const TITLE_SIZE: f32 = 12.5;
pub(crate) const SMALL_SIZE: f32 = 11.0;

/// The width of a title.
pub(crate) fn title_width(text: &str) -> f32 {
    text.chars().count() as f32 * TITLE_SIZE * SANS
}

/// The width of lesser words.
pub(crate) fn small_width(text: &str) -> f32 {
    text.chars().count() as f32 * SMALL_SIZE * MONO
}

/// Lays a view's levels out.
pub(crate) fn lay(
    module: &Module,
    function: &Function,
    analysis: &Analysis,
    view: &View,
    levels: &Levels,
) -> Laid {
    let placer = Placer { module, function, levels, words: Words { module, function, analysis, view } };
    placer.level(levels.root(), 0)
}

struct Placer<'a> {
    module: &'a Module,
    function: &'a Function,
    levels: &'a Levels,
    words: Words<'a>,
}

impl Placer<'_> {
    fn level(&self, level: &Level, depth: u32) -> Laid {
        let leaving = self.leaving(level);
        let inner: Vec<Laid> =
            level.items.iter().zip(leaving).map(|(&item, room)| self.item(item, room, depth)).collect();
        let ports = level.inputs.len() + level.outputs.len();
        let mut specs: Vec<Spec> = Vec::with_capacity(inner.len() + ports);
        specs.extend(level.items.iter().zip(&inner).map(|(&item, laid)| Spec {
            width: laid.width,
            height: laid.height,
            pin: self.words.pin(item),
        }));
        let port = |pin| Spec { width: 0.0, height: 0.0, pin };
        specs.extend(level.inputs.iter().map(|_| port(Pin::Top)));
        specs.extend(level.outputs.iter().map(|_| port(Pin::Bottom)));

        let links: Vec<Link> = level.edges.iter().map(|edge| self.link(level, &inner, edge)).collect();
        let placed = layered::place(&specs, &links);
        let mut laid = Laid { width: placed.width, height: placed.height, ..Laid::default() };
        let first_port = level.items.len();
        let first_output = first_port + level.inputs.len();
        laid.inputs = placed.boxes[first_port..first_output].iter().map(|at| at.x).collect();
        laid.outputs = placed.boxes[first_output..].iter().map(|at| at.x).collect();

        let mut indices = Vec::with_capacity(inner.len());
        for (part, &at) in inner.into_iter().zip(&placed.boxes) {
            indices.push(laid.boxes.len());
            take(&mut laid, part, at);
        }
        let mut told: HashSet<(End, Operand)> = HashSet::new();
        for (edge, points) in level.edges.iter().zip(placed.routes) {
            if points.is_empty() {
                continue;
            }
            let index = |end: End| match end {
                End::Item(item) => indices.get(item).copied(),
                End::Port(_) => None,
            };
            let new = self.says_type(level, edge.from) && told.insert((edge.from, edge.value));
            laid.edges.push(DrawnEdge {
                points,
                value: edge.value,
                from: index(edge.from),
                to: index(edge.to),
                label: new.then(|| self.type_of(edge.value)).filter(|label| !label.is_empty()),
            });
        }
        laid
    }

    /// For each item of a level, the room that the types of the values take which leave it, if there are several.
    fn leaving(&self, level: &Level) -> Vec<f32> {
        let mut values: Vec<Vec<Operand>> = vec![Vec::new(); level.items.len()];
        for edge in &level.edges {
            if let End::Item(item) = edge.from
                && !values[item].contains(&edge.value)
            {
                values[item].push(edge.value);
            }
        }
        let room = |value: &Operand| small_width(&self.type_of(*value)) + LEAVING;
        let widest = |values: &[Operand]| values.iter().map(room).fold(0.0, f32::max) * values.len() as f32;
        values
            .iter()
            .map(|values| if values.len() > 1 { widest(values).min(MAX_LEAVING) } else { 0.0 })
            .collect()
    }

    /// Whether an edge's type is written where it begins: not at frames, where it was said within, nor at arguments,
    /// which say it themselves.
    fn says_type(&self, level: &Level, from: End) -> bool {
        match from {
            End::Item(item) => {
                let item = level.items[item];
                self.levels.of(item).is_none() && self.words.look(item) != Look::End
            }
            End::Port(_) => false,
        }
    }

    fn type_of(&self, value: Operand) -> String {
        let ty = self.function.node(value.node).types.get(value.result as usize);
        ty.map(|&ty| type_words(self.module.text(ty))).unwrap_or_default()
    }

    fn link(&self, level: &Level, inner: &[Laid], edge: &Edge) -> Link {
        let first_port = level.items.len();
        // An open container has a port where a value passes its frame.
        let port_of = |item: usize, leaves: bool| {
            let content = self.levels.of(level.items[item])?;
            let (values, places) = match leaves {
                true => (&content.outputs, &inner[item].outputs),
                false => (&content.inputs, &inner[item].inputs),
            };
            values.iter().position(|value| *value == edge.value).and_then(|port| places.get(port).copied())
        };
        let (from, from_x) = match edge.from {
            End::Item(item) => (item, port_of(item, true)),
            End::Port(port) => (first_port + port, None),
        };
        let (to, to_x) = match edge.to {
            End::Item(item) => (item, port_of(item, false)),
            End::Port(port) => (first_port + level.inputs.len() + port, Some(0.0)),
        };
        let bundle = edge.value.node.index() * 64 + (edge.value.result as usize).min(63);
        Link { from, to, from_x, to_x, bundle }
    }

    /// An item below which there must be so much room.
    fn item(&self, item: Item, room: f32, depth: u32) -> Laid {
        match self.levels.of(item) {
            None => self.closed(item, room, depth),
            Some(level) => self.open(item, level, depth),
        }
    }

    fn closed(&self, item: Item, room: f32, depth: u32) -> Laid {
        let mut drawn = self.words.closed(item, depth);
        let gap = if drawn.detail.is_empty() { 0.0 } else { 10.0 };
        let mut width =
            drawn.title_x() - INSET + title_width(&drawn.title) + gap + small_width(&drawn.detail);
        width = width.max(small_width(&drawn.note));
        for chip in &drawn.chips {
            width = width.max(chip_width(chip));
        }
        // Each value that leaves has room for its type. Even widths have their middle on a whole pixel.
        let least = room.max(64.0);
        let width = ((width + 2.0 * INSET).max(least) / 2.0).ceil() * 2.0;
        let mut y = TITLE;
        if !drawn.note.is_empty() {
            y += NOTE;
        }
        for chip in &mut drawn.chips {
            chip.rect = Rect::new(INSET - 4.0, y - 2.0, width - 2.0 * INSET + 8.0, CHIP[0]);
            y += CHIP[0] + CHIP[1];
        }
        let height = if drawn.chips.is_empty() && drawn.note.is_empty() { y } else { y + 6.0 };
        drawn.rect = Rect::new(0.0, 0.0, width, height);
        Laid { width, height, boxes: vec![drawn], ..Laid::default() }
    }

    fn open(&self, item: Item, level: &Level, depth: u32) -> Laid {
        let content = self.level(level, depth + 1);
        let mut drawn = self.words.open(item, depth);
        let head = title_width(&drawn.title) + small_width(&drawn.detail) + 60.0;
        let width = ((content.width + 2.0 * SIDE).max(head) / 2.0).ceil() * 2.0;
        let left = ((width - content.width) / 2.0).round();
        let top = HEAD + if level.inputs.is_empty() { 4.0 } else { 0.0 };
        let foot = if level.outputs.is_empty() { FOOT } else { 0.0 };
        let height = top + content.height + foot;
        drawn.rect = Rect::new(0.0, 0.0, width, height);
        let (inputs, outputs) = (content.inputs.clone(), content.outputs.clone());
        let mut laid = Laid { width, height, boxes: vec![drawn], ..Laid::default() };
        take(&mut laid, content, Point::new(left, top));
        for drawn in laid.boxes.iter_mut().skip(1) {
            drawn.parent.get_or_insert(0);
        }
        // Edges from the frame begin at the frame, above the title.
        for edge in &mut laid.edges {
            if edge.from.is_none()
                && let Some(start) = edge.points.first_mut()
                && (start.y - top).abs() < 0.5
            {
                start.y = 0.0;
            }
        }
        laid.inputs = inputs.iter().map(|x| x + left).collect();
        laid.outputs = outputs.iter().map(|x| x + left).collect();
        laid
    }
}

/// Puts a part's boxes and edges into a whole, at a place.
fn take(whole: &mut Laid, part: Laid, at: Point) {
    let first = whole.boxes.len();
    for mut drawn in part.boxes {
        drawn.rect = drawn.rect.moved(at);
        drawn.parent = drawn.parent.map(|parent| parent + first);
        for chip in &mut drawn.chips {
            chip.rect = chip.rect.moved(at);
        }
        whole.boxes.push(drawn);
    }
    for mut edge in part.edges {
        for point in &mut edge.points {
            *point = point.plus(at);
        }
        edge.from = edge.from.map(|index| index + first);
        edge.to = edge.to.map(|index| index + first);
        whole.edges.push(edge);
    }
}

fn chip_width(chip: &Chip) -> f32 {
    let gap = if chip.detail.is_empty() { 0.0 } else { 14.0 };
    small_width(&chip.text) + gap + small_width(&chip.detail) + 18.0
}

impl Words<'_> {
    fn pin(&self, item: Item) -> Pin {
        match self.look(item) {
            Look::End if self.is_result(item) => Pin::Bottom,
            Look::End => Pin::Top,
            _ => Pin::Free,
        }
    }
}
