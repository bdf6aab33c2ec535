//! Pointer, wheel and keys on the stage.

use super::stage::Stage;
use crate::state::graph::explorer::Step;
use leptos::prelude::*;
use studio_graph::{Item, Point};
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

/// A pointer that moved less than this was a click.
const STILL: f32 = 4.0;

/// Pointers that are down on the stage.
#[derive(Default)]
struct Down {
    pointers: Vec<(i32, Point)>,
    /// How far the first has moved.
    moved: f32,
}

/// What the stage does with what a person does.
#[derive(Clone, Copy)]
pub(super) struct Input {
    stage: Stage,
    down: StoredValue<Down>,
}

fn place(event: &MouseEvent) -> Point {
    Point::new(event.offset_x() as f32, event.offset_y() as f32)
}

impl Input {
    pub(super) fn new(stage: Stage) -> Self {
        Self { stage, down: StoredValue::new(Down::default()) }
    }

    pub(super) fn press(&self, event: &PointerEvent) {
        if event.button() > 1 {
            return;
        }
        if let Some(canvas) = self.stage.canvas.get_untracked() {
            // Without it a drag would end at the canvas's edge, no more.
            drop(canvas.set_pointer_capture(event.pointer_id()));
        }
        self.down.update_value(|down| {
            if down.pointers.is_empty() {
                down.moved = 0.0;
            }
            down.pointers.push((event.pointer_id(), place(event)));
        });
    }

    pub(super) fn motion(&self, event: &PointerEvent) {
        let at = place(event);
        let moved = self.down.try_update_value(|down| {
            let others: Vec<Point> =
                down.pointers.iter().filter(|(id, _)| *id != event.pointer_id()).map(|(_, at)| *at).collect();
            let pointer = down.pointers.iter_mut().find(|(id, _)| *id == event.pointer_id())?;
            let before = std::mem::replace(&mut pointer.1, at);
            down.moved += distance(before, at);
            Some((before, others.first().copied()))
        });
        match moved.flatten() {
            Some((before, Some(other))) => self.stage.look(|inner| {
                let factor = distance(other, at) / distance(other, before).max(1.0);
                inner.camera = inner.camera.zoomed(factor, other);
            }),
            Some((before, None)) => self.stage.look(|inner| {
                inner.camera = inner.camera.moved(Point::new(at.x - before.x, at.y - before.y));
            }),
            None => self.point(at),
        }
    }

    /// Marks the box under the pointer.
    fn point(&self, at: Point) {
        let under = self.stage.at(at).map(|drawn| drawn.item);
        if self.stage.peek(|inner| inner.pointed) != under {
            self.stage.look(|inner| inner.pointed = under);
        }
    }

    pub(super) fn release(&self, event: &PointerEvent) {
        let clicked = self.down.try_update_value(|down| {
            let known = down.pointers.iter().any(|(id, _)| *id == event.pointer_id());
            down.pointers.retain(|(id, _)| *id != event.pointer_id());
            known && down.pointers.is_empty() && down.moved < STILL
        });
        if clicked == Some(true) && event.type_() == "pointerup" {
            self.click(place(event));
        }
    }

    pub(super) fn leave(&self) {
        if self.stage.peek(|inner| inner.pointed.is_some()) {
            self.stage.look(|inner| inner.pointed = None);
        }
    }

    /// On the knob it opens or closes, on a chip it chooses that, elsewhere the box.
    fn click(&self, at: Point) {
        let drawn = self.stage.at(at);
        let inside = self.stage.peek(|inner| inner.camera.to_drawing(at));
        if let Some(drawn) = &drawn
            && drawn.knob().is_some_and(|knob| knob.contains(inside))
        {
            self.stage.toggle(drawn.item);
            return;
        }
        let chip = drawn.as_ref().and_then(|drawn| drawn.chip_at(inside)).map(|chip| Item::Node(chip.node));
        self.stage.change(|inner| inner.explorer.choose(chip.or(drawn.map(|drawn| drawn.item))));
    }

    pub(super) fn double(&self, event: &MouseEvent) {
        if let Some(drawn) = self.stage.at(place(event))
            && drawn.look.is_scope()
        {
            self.stage.toggle(drawn.item);
        }
    }

    /// With Ctrl, as a pinch on a touchpad sends it, it zooms. Otherwise the graph moves while it has the focus; the
    /// page does while it has not.
    pub(super) fn wheel(&self, event: &WheelEvent, focused: bool) {
        let line = if event.delta_mode() == WheelEvent::DOM_DELTA_LINE { 16.0 } else { 1.0 };
        let (x, y) = (event.delta_x() as f32 * line, event.delta_y() as f32 * line);
        if event.ctrl_key() || event.meta_key() {
            event.prevent_default();
            let at = place(event);
            self.stage.look(|inner| inner.camera = inner.camera.zoomed((-y / 240.0).exp(), at));
        } else if focused {
            event.prevent_default();
            let by = if event.shift_key() { Point::new(-y, -x) } else { Point::new(-x, -y) };
            self.stage.look(|inner| inner.camera = inner.camera.moved(by));
        }
    }

    /// Arrows walk, Enter opens, Backspace goes out, signs zoom. Whether the key meant something.
    pub(super) fn key(&self, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        match event.key().as_str() {
            "ArrowUp" => self.step(Step::Up),
            "ArrowDown" => self.step(Step::Down),
            "ArrowLeft" => self.step(Step::Left),
            "ArrowRight" => self.step(Step::Right),
            "Enter" | " " => self.open(),
            "Backspace" => {
                let parent = self.stage.peek(|inner| inner.explorer.parent(inner.explorer.chosen()?));
                if parent.is_some() {
                    self.stage.change(|inner| inner.explorer.choose(parent));
                    self.stage.show_chosen();
                }
            }
            "Escape" if self.stage.peek(|inner| inner.explorer.chosen().is_some()) => {
                self.stage.change(|inner| inner.explorer.choose(None));
            }
            "+" | "=" => self.stage.zoom(1.4),
            "-" => self.stage.zoom(1.0 / 1.4),
            "0" | "Home" => self.stage.fit(),
            _ => return false,
        }
        true
    }

    fn step(&self, step: Step) {
        if let Some(item) = self.stage.peek(|inner| inner.explorer.step(step)) {
            self.stage.change(|inner| inner.explorer.choose(Some(item)));
            self.stage.show_chosen();
        }
    }

    fn open(&self) {
        let item = self.stage.peek(|inner| {
            let drawn = inner.explorer.chosen_box()?;
            drawn.look.is_scope().then_some(drawn.item)
        });
        if let Some(item) = item {
            self.stage.toggle(item);
            self.stage.show_chosen();
        }
    }
}

fn distance(a: Point, b: Point) -> f32 {
    (a.x - b.x).hypot(a.y - b.y)
}
