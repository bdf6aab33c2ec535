//! The stage: the canvas, what is painted on it, and when.

use super::pen::Pen;
use crate::browser;
use crate::state::graph::camera::Camera;
use crate::state::graph::explorer::Explorer;
use leptos::html;
use leptos::prelude::*;
use studio_graph::{DrawnBox, Item, Palette, Point, Rect, Scene, Surface, paint};
use web_sys::HtmlCanvasElement;

/// How long the camera takes to its goal, in milliseconds.
const FLIGHT_MS: f64 = 220.0;
/// The minimap's size, in pixels of the screen.
const MAP: Point = Point { x: 132.0, y: 180.0 };

/// Everything that moves.
pub(super) struct Inner {
    pub(super) explorer: Explorer,
    pub(super) camera: Camera,
    flight: Option<Flight>,
    /// In pixels of the screen.
    pub(super) size: Point,
    pub(super) pointed: Option<Item>,
    /// Whether a frame was asked for already.
    awaited: bool,
    opened: bool,
}

/// The camera's way to a goal.
struct Flight {
    from: Camera,
    to: Camera,
    start_ms: f64,
}

/// The stage. Copies are the same stage.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    inner: StoredValue<Inner, LocalStorage>,
    pub(super) canvas: NodeRef<html::Canvas>,
    pub(super) map: NodeRef<html::Canvas>,
    /// Counts changes of what is chosen or open.
    pub(super) revision: RwSignal<u64>,
    dark: Memo<bool>,
}

impl Stage {
    pub(super) fn new(explorer: Explorer, dark: Memo<bool>) -> Self {
        let inner = Inner {
            explorer,
            camera: Camera::default(),
            flight: None,
            size: Point::default(),
            pointed: None,
            awaited: false,
            opened: false,
        };
        Self {
            inner: StoredValue::new_local(inner),
            canvas: NodeRef::new(),
            map: NodeRef::new(),
            revision: RwSignal::new(0),
            dark,
        }
    }

    /// Reads, and is read again when something changed.
    pub(super) fn with<T>(&self, read: impl FnOnce(&Explorer) -> T) -> T {
        self.revision.track();
        self.inner.with_value(|inner| read(&inner.explorer))
    }

    /// Reads now.
    pub(super) fn peek<T>(&self, read: impl FnOnce(&Inner) -> T) -> T {
        self.inner.with_value(read)
    }

    /// Changes what is chosen or open.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Inner) -> T) -> Option<T> {
        let changed = self.inner.try_update_value(change);
        self.revision.update(|revision| *revision += 1);
        self.repaint();
        changed
    }

    /// Changes where one looks.
    pub(super) fn look(&self, change: impl FnOnce(&mut Inner)) {
        self.inner.update_value(|inner| {
            inner.flight = None;
            change(inner);
        });
        self.repaint();
    }

    /// Flies to a camera, or jumps where people want no motion.
    pub(super) fn fly(&self, goal: impl FnOnce(&Inner) -> Camera) {
        let still = window()
            .match_media("(prefers-reduced-motion: reduce)")
            .ok()
            .flatten()
            .is_some_and(|media| media.matches());
        self.inner.update_value(|inner| {
            let to = goal(inner);
            if still {
                inner.camera = to;
            } else {
                inner.flight = Some(Flight { from: inner.camera, to, start_ms: browser::now_ms() });
            }
        });
        self.repaint();
    }

    /// All of the drawing.
    pub(super) fn fit(&self) {
        self.fly(|inner| {
            let drawing = inner.explorer.drawing();
            Camera::fit(Rect::new(0.0, 0.0, drawing.width, drawing.height), inner.size, 1.0)
        });
    }

    /// The chosen box, readable.
    pub(super) fn show_chosen(&self) {
        self.fly(|inner| {
            let Some(drawn) = inner.explorer.chosen_box() else { return inner.camera };
            let middle = Point::new(inner.size.x / 2.0, inner.size.y / 2.0);
            let near = if inner.camera.scale < 0.55 {
                inner.camera.zoomed(0.9 / inner.camera.scale, middle)
            } else {
                inner.camera
            };
            near.showing(drawn.rect, inner.size)
        });
    }

    /// Zooms about the middle.
    pub(super) fn zoom(&self, factor: f32) {
        self.fly(|inner| {
            let middle = Point::new(inner.size.x / 2.0, inner.size.y / 2.0);
            let from = inner.flight.as_ref().map_or(inner.camera, |flight| flight.to);
            from.zoomed(factor, middle)
        });
    }

    /// Opens or closes a box.
    pub(super) fn toggle(&self, item: Item) {
        self.change(|inner| inner.camera = inner.explorer.toggle(item, inner.camera));
    }

    /// Opens what something lies in, chooses it, and flies there.
    pub(super) fn reveal(&self, item: Item) {
        self.change(|inner| inner.explorer.reveal(item));
        self.show_chosen();
    }

    /// Starts another drawing at its beginning.
    pub(super) fn begin(&self) {
        self.look(|inner| {
            let drawing = inner.explorer.drawing();
            inner.camera = Camera::opening(drawing.width, drawing.height, inner.size);
        });
    }

    /// The box at a point of the screen.
    pub(super) fn at(&self, point: Point) -> Option<DrawnBox> {
        self.peek(|inner| inner.explorer.drawing().at(inner.camera.to_drawing(point)).cloned())
    }

    /// Paints as soon as the browser does.
    pub(super) fn repaint(&self) {
        let asked = self.inner.try_update_value(|inner| std::mem::replace(&mut inner.awaited, true));
        if asked == Some(false) {
            let stage = *self;
            request_animation_frame(move || stage.frame());
        }
    }

    fn frame(&self) {
        let Some(canvas) = self.canvas.try_get_untracked().flatten() else {
            _ = self.inner.try_update_value(|inner| inner.awaited = false);
            return;
        };
        let flying = self.inner.try_update_value(|inner| {
            inner.awaited = false;
            inner.size = Point::new(canvas.client_width() as f32, canvas.client_height() as f32);
            if !inner.opened && inner.size.x > 0.0 {
                inner.opened = true;
                let drawing = inner.explorer.drawing();
                if inner.flight.is_none() {
                    inner.camera = Camera::opening(drawing.width, drawing.height, inner.size);
                }
            }
            inner.fly()
        });
        self.paint(&canvas);
        if let Some(map) = self.map.try_get_untracked().flatten() {
            self.paint_map(&map);
        }
        if flying == Some(true) {
            self.repaint();
        }
    }

    fn paint(&self, canvas: &HtmlCanvasElement) {
        let palette = self.palette();
        self.peek(|inner| {
            let ratio = prepare(canvas, inner.size);
            let Inner { camera, explorer, .. } = inner;
            let mut pen = Pen::default();
            pen.transform(ratio, Point::default());
            pen.rect(Rect::new(0.0, 0.0, inner.size.x, inner.size.y), 0.0, Some(palette.paper), None);
            pen.transform(camera.scale * ratio, Point::new(camera.offset.x * ratio, camera.offset.y * ratio));
            let scene = Scene {
                palette,
                scale: camera.scale,
                sight: camera.sight(inner.size),
                chosen: explorer.chosen().and_then(|item| explorer.box_item(item)),
                pointed: inner.pointed,
                highlight: explorer.highlight(),
                overlay: explorer.overlay(),
            };
            paint(explorer.drawing(), &scene, &mut pen);
            pen.paint(canvas);
        });
        // What waits for pixels, a benchmark for one, finds them here.
        drop(canvas.set_attribute("data-painted", "true"));
    }

    /// The outer boxes, and what of them is in sight.
    fn paint_map(&self, map: &HtmlCanvasElement) {
        let palette = self.palette();
        self.peek(|inner| {
            let ratio = prepare(map, MAP);
            let drawing = inner.explorer.drawing();
            let camera = map_camera(drawing.width, drawing.height);
            let mut pen = Pen::default();
            pen.transform(camera.scale * ratio, Point::new(camera.offset.x * ratio, camera.offset.y * ratio));
            for drawn in &drawing.boxes {
                if drawn.depth > 0 && (drawn.rect.w * camera.scale < 1.5 || drawn.depth > 3) {
                    continue;
                }
                let [w, h] = [drawn.rect.w, drawn.rect.h].map(|side| side.max(1.5 / camera.scale));
                let color = if drawn.look.is_open() { palette.line } else { palette.edge };
                let color = color.towards(palette.panel, 0.35);
                pen.rect(Rect::new(drawn.rect.x, drawn.rect.y, w, h), 0.0, Some(color), None);
            }
            let sight = inner.camera.sight(inner.size);
            pen.rect(sight, 0.0, None, Some((palette.accent, 1.5 / camera.scale)));
            pen.paint(map);
        });
    }

    /// Moves the sight's middle to a point of the minimap.
    pub(super) fn look_from_map(&self, at: Point) {
        self.look(|inner| {
            let drawing = inner.explorer.drawing();
            let wanted = map_camera(drawing.width, drawing.height).to_drawing(at);
            let scale = inner.camera.scale;
            inner.camera.offset =
                Point::new(inner.size.x / 2.0 - wanted.x * scale, inner.size.y / 2.0 - wanted.y * scale);
        });
    }

    /// The colours of the page's theme.
    pub(super) fn palette(&self) -> Palette {
        if self.dark.get_untracked() { Palette::DARK } else { Palette::LIGHT }
    }
}

impl Inner {
    /// Moves the camera on its way. Whether it has further to go.
    fn fly(&mut self) -> bool {
        let Some(flight) = &self.flight else { return false };
        let share = ((browser::now_ms() - flight.start_ms) / FLIGHT_MS).clamp(0.0, 1.0) as f32;
        // Quick at first, gentle at the end.
        self.camera = flight.from.towards(flight.to, 1.0 - (1.0 - share).powi(3));
        if share >= 1.0 {
            self.flight = None;
        }
        share < 1.0
    }
}

fn map_camera(width: f32, height: f32) -> Camera {
    let scale = ((MAP.x - 8.0) / width.max(1.0)).min((MAP.y - 8.0) / height.max(1.0));
    let offset = Point::new((MAP.x - width * scale) / 2.0, (MAP.y - height * scale) / 2.0);
    Camera { offset, scale }
}

/// Gives a canvas of a size as many pixels as the screen has there; how many for one of the page's.
fn prepare(canvas: &HtmlCanvasElement, size: Point) -> f32 {
    let ratio = window().device_pixel_ratio().clamp(1.0, 3.0) as f32;
    let pixels = [size.x, size.y].map(|side| (side * ratio).round() as u32);
    if canvas.width() != pixels[0] {
        canvas.set_width(pixels[0]);
    }
    if canvas.height() != pixels[1] {
        canvas.set_height(pixels[1]);
    }
    ratio
}
