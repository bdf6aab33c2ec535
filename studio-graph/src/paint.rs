//! Paints a drawing on any surface: what is in sight, as much of it as can be read.

use crate::color::{Color, Palette};
use crate::drawing::{Chip, ChipKind, Drawing, DrawnBox, DrawnEdge, Item, Look};
use crate::geometry::{Point, Rect};
use crate::overlay::Overlay;
use crate::place::{SMALL_SIZE, TITLE_SIZE, small_width, title_width};
use std::collections::HashSet;

/// What can be painted on.
pub trait Surface {
    /// A rectangle with round corners.
    fn rect(&mut self, rect: Rect, radius: f32, fill: Option<Color>, stroke: Option<(Color, f32)>);
    /// A line through points, bent where it changes sides, straight down elsewhere.
    fn line(&mut self, points: &[Point], color: Color, width: f32);
    /// A line of text from a point of its base line.
    fn text(&mut self, at: Point, text: &str, style: TextStyle);
}

/// How text looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextStyle {
    /// Height of an em.
    pub size: f32,
    /// Its colour.
    pub color: Color,
    /// How strong.
    pub weight: Weight,
    /// Whether all characters are as wide.
    pub mono: bool,
    /// Whether the point is its end rather than its start.
    pub ends: bool,
    /// What is painted around it, so that it can be read on lines.
    pub halo: Option<Color>,
}

/// How strong text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// As usual.
    Regular,
    /// Stronger.
    Strong,
}

/// What is painted beside the drawing itself.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The colours.
    pub palette: Palette,
    /// Pixels of the surface for one of the drawing.
    pub scale: f32,
    /// The part of the drawing that is in sight.
    pub sight: Rect,
    /// The box that is chosen.
    pub chosen: Option<Item>,
    /// The box under the pointer.
    pub pointed: Option<Item>,
    /// What is near the chosen one; the rest steps back.
    pub highlight: Option<&'a Highlight>,
    /// Numbers as colours.
    pub overlay: Option<&'a Overlay>,
}

/// Boxes and values that stand out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Highlight {
    /// The boxes.
    pub items: HashSet<Item>,
    /// The nodes whose values run along the edges.
    pub values: HashSet<crate::module::NodeId>,
    /// Whether the rest steps back.
    pub dims: bool,
}

/// Text smaller than this on the surface is left out.
const READABLE: f32 = 5.0;

/// Paints what is in sight.
pub fn paint(drawing: &Drawing, scene: &Scene<'_>, surface: &mut impl Surface) {
    let painter = Painter { scene, surface, legible: TITLE_SIZE * scene.scale >= READABLE };
    painter.paint(drawing);
}

struct Painter<'a, S> {
    scene: &'a Scene<'a>,
    surface: &'a mut S,
    legible: bool,
}

impl<S: Surface> Painter<'_, S> {
    fn paint(mut self, drawing: &Drawing) {
        let sight = self.scene.sight.grown(40.0);
        let seen = |drawn: &&DrawnBox| drawn.rect.meets(&sight);
        for drawn in drawing.boxes.iter().filter(seen).filter(|drawn| drawn.look.is_open()) {
            self.container(drawn);
        }
        let mut raised = Vec::new();
        for edge in &drawing.edges {
            if !Rect::around(&edge.points).is_some_and(|around| around.meets(&sight)) {
                continue;
            }
            if self.stands_out(drawing, edge) {
                raised.push(edge);
            } else {
                self.edge(edge, false);
            }
        }
        for edge in raised {
            self.edge(edge, true);
        }
        for drawn in drawing.boxes.iter().filter(seen) {
            if drawn.look.is_open() { self.head(drawn) } else { self.closed(drawn) }
        }
    }

    fn stands_out(&self, drawing: &Drawing, edge: &DrawnEdge) -> bool {
        let Some(highlight) = self.scene.highlight else { return false };
        let lit = |index: Option<usize>| {
            index
                .and_then(|index| drawing.boxes.get(index))
                .is_none_or(|drawn| highlight.items.contains(&drawn.item))
        };
        highlight.values.contains(&edge.value.node) && lit(edge.from) && lit(edge.to)
    }

    /// Whether something else is in the light.
    fn steps_back(&self, item: Item) -> bool {
        self.scene.highlight.is_some_and(|highlight| highlight.dims && !highlight.items.contains(&item))
    }

    /// A colour, or its shade where it steps back.
    fn shade(&self, color: Color, back: bool) -> Color {
        if back { color.towards(self.scene.palette.paper, 0.62) } else { color }
    }

    fn frame(&self, item: Item, back: bool) -> (Color, f32) {
        let palette = &self.scene.palette;
        // A frame is seen at every scale.
        let thin = (0.6 / self.scene.scale).max(1.0);
        if self.scene.chosen == Some(item) {
            (palette.accent, (1.6 / self.scene.scale).max(2.0))
        } else if self.scene.pointed == Some(item) {
            (palette.accent, thin)
        } else {
            (self.shade(palette.line, back), thin)
        }
    }

    fn container(&mut self, drawn: &DrawnBox) {
        let palette = &self.scene.palette;
        let fill = if drawn.depth.is_multiple_of(2) { palette.well } else { palette.paper };
        let stroke = self.frame(drawn.item, false);
        if drawn.look == Look::OpenStack {
            self.stack_behind(drawn.rect, 12.0, fill, stroke);
        }
        self.surface.rect(drawn.rect, 12.0, Some(fill), Some(stroke));
    }

    /// The edges of the equal ones that lie behind.
    fn stack_behind(&mut self, rect: Rect, radius: f32, fill: Color, stroke: (Color, f32)) {
        for step in [6.0, 3.0] {
            self.surface.rect(rect.moved(Point::new(step, step)), radius, Some(fill), Some(stroke));
        }
    }

    fn edge(&mut self, edge: &DrawnEdge, raised: bool) {
        let palette = &self.scene.palette;
        let back = self.scene.highlight.is_some_and(|highlight| highlight.dims) && !raised;
        let color = if raised { palette.accent } else { self.shade(palette.edge, back) };
        let width: f32 = if raised { 2.0 } else { 1.25 };
        self.surface.line(&edge.points, color, width.max(0.5 / self.scene.scale));
        if self.scene.scale * SMALL_SIZE < 6.5 || back {
            return;
        }
        if let (Some(label), Some(start)) = (&edge.label, edge.points.first()) {
            let at = Point::new(start.x + 6.0, start.y + 14.0);
            let color = if raised { palette.accent } else { palette.ink_2 };
            self.small(at, label, color, Some(palette.paper));
        }
    }

    fn closed(&mut self, drawn: &DrawnBox) {
        let palette = self.scene.palette;
        let back = self.steps_back(drawn.item);
        let radius = match drawn.look {
            Look::End => drawn.rect.h / 2.0,
            Look::Closed | Look::Stack => 8.0,
            _ => 6.0,
        };
        let plain =
            if drawn.look == Look::Quiet { palette.well.towards(palette.panel, 0.5) } else { palette.panel };
        let heat = self.scene.overlay.map_or(0.0, |overlay| overlay.heat(drawn.item));
        let fill = self.shade(plain.towards(palette.hot, heat), back);
        let stroke = self.frame(drawn.item, back);
        if drawn.look == Look::Stack {
            self.stack_behind(drawn.rect, radius, fill, stroke);
        }
        self.surface.rect(drawn.rect, radius, Some(fill), Some(stroke));
        if !self.legible {
            return;
        }
        let words = if heat > 0.6 { palette.on_hot } else { palette.ink };
        let lesser = if heat > 0.35 { words } else { palette.ink_2 };
        let (words, lesser) = (self.shade(words, back), self.shade(lesser, back));
        let strong = drawn.look.is_scope() || matches!(drawn.look, Look::Operation | Look::End);
        let base = Point::new(drawn.rect.x + 12.0, drawn.rect.y + 19.5);
        let title = if drawn.look == Look::Quiet { lesser } else { words };
        self.knob(drawn, lesser);
        self.title(Point::new(drawn.rect.x + drawn.title_x(), base.y), &drawn.title, title, strong);
        if self.scene.scale * SMALL_SIZE < READABLE {
            return;
        }
        if !drawn.detail.is_empty() {
            let right = Point::new(drawn.rect.right() - 12.0, base.y);
            self.small_end(right, &drawn.detail, lesser);
        }
        if !drawn.note.is_empty() {
            self.small(Point::new(base.x, base.y + 16.0), &drawn.note, lesser, None);
        }
        for chip in &drawn.chips {
            self.chip(chip, heat, back);
        }
    }

    fn chip(&mut self, chip: &Chip, heat: f32, back: bool) {
        let palette = self.scene.palette;
        let (fill, ink) = match chip.kind {
            ChipKind::Weight => (palette.accent_soft, palette.accent),
            ChipKind::Shared => (palette.named_soft, palette.named),
            ChipKind::Constant => (palette.well, palette.ink_2),
            ChipKind::Named => (palette.named, palette.panel),
        };
        let fill =
            if heat > 0.0 && chip.kind != ChipKind::Named { fill.towards(palette.panel, 0.4) } else { fill };
        self.surface.rect(chip.rect, 5.0, Some(self.shade(fill, back)), None);
        let base = chip.rect.y + 14.0;
        self.small(Point::new(chip.rect.x + 8.0, base), &chip.text, self.shade(ink, back), None);
        if !chip.detail.is_empty() {
            let right = Point::new(chip.rect.right() - 8.0, base);
            self.small_end(right, &chip.detail, self.shade(palette.ink_2, back));
        }
    }

    /// The title of an open container: never too small to be read while there is room for it.
    fn head(&mut self, drawn: &DrawnBox) {
        let palette = self.scene.palette;
        let fill = if drawn.depth.is_multiple_of(2) { palette.well } else { palette.paper };
        let room = (drawn.rect.w - 24.0) / title_width(&drawn.title).max(1.0);
        let size = TITLE_SIZE * (10.5 / (TITLE_SIZE * self.scene.scale)).clamp(1.0, room.max(1.0));
        if size * self.scene.scale < READABLE {
            return;
        }
        let plain = size == TITLE_SIZE;
        let left = if plain { drawn.title_x() } else { 12.0 };
        let base = Point::new(drawn.rect.x + left, drawn.rect.y + 7.0 + size);
        let style = TextStyle {
            size,
            color: palette.ink,
            weight: Weight::Strong,
            mono: false,
            ends: false,
            halo: Some(fill),
        };
        self.surface.text(base, &drawn.title, style);
        if plain {
            self.knob(drawn, palette.ink_2);
        }
        if plain && self.scene.scale * SMALL_SIZE >= READABLE {
            let x = base.x + title_width(&drawn.title) + 10.0;
            if x + small_width(&drawn.detail) < drawn.rect.right() - 10.0 {
                self.small(Point::new(x, base.y), &drawn.detail, palette.ink_2, Some(fill));
            }
        }
    }

    /// What a scope is opened and closed by.
    fn knob(&mut self, drawn: &DrawnBox, color: Color) {
        if let Some(knob) = drawn.knob().filter(|_| TITLE_SIZE * self.scene.scale >= READABLE) {
            let center = knob.center();
            let frame = Rect::new(center.x - 6.0, center.y - 6.0, 12.0, 12.0);
            self.surface.rect(frame, 3.0, None, Some((color, 1.0)));
            self.surface.rect(Rect::new(center.x - 3.0, center.y - 0.5, 6.0, 1.0), 0.0, Some(color), None);
            if !drawn.look.is_open() {
                self.surface.rect(
                    Rect::new(center.x - 0.5, center.y - 3.0, 1.0, 6.0),
                    0.0,
                    Some(color),
                    None,
                );
            }
        }
    }

    fn title(&mut self, at: Point, text: &str, color: Color, strong: bool) {
        let weight = if strong { Weight::Strong } else { Weight::Regular };
        self.surface.text(
            at,
            text,
            TextStyle { size: TITLE_SIZE, color, weight, mono: false, ends: false, halo: None },
        );
    }

    fn small(&mut self, at: Point, text: &str, color: Color, halo: Option<Color>) {
        let style =
            TextStyle { size: SMALL_SIZE, color, weight: Weight::Regular, mono: true, ends: false, halo };
        self.surface.text(at, text, style);
    }

    fn small_end(&mut self, at: Point, text: &str, color: Color) {
        let style = TextStyle {
            size: SMALL_SIZE,
            color,
            weight: Weight::Regular,
            mono: true,
            ends: true,
            halo: None,
        };
        self.surface.text(at, text, style);
    }
}
