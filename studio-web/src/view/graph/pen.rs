//! Writes down what is to be painted; `static/graph.js` replays it on a canvas, in one call.

use js_sys::{Float32Array, Function, Reflect};
use studio_graph::{Color, Point, Rect, Surface, TextStyle, Weight};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlCanvasElement;

const TRANSFORM: f32 = 0.0;
const RECT: f32 = 1.0;
const LINE: f32 = 2.0;
const TEXT: f32 = 3.0;
/// No colour.
const NONE: f32 = -1.0;

/// What was written down.
#[derive(Default)]
pub(super) struct Pen {
    codes: Vec<f32>,
    /// A line for each text.
    words: String,
    /// Pixels for one of the drawing: corners that nobody can see aren't made round.
    scale: f32,
}

/// A colour as a number, which a float holds exactly.
fn code(color: Option<Color>) -> f32 {
    color.map_or(NONE, |color| color.0 as f32)
}

impl Pen {
    /// From here on a drawing's point times the scale plus the offset is a pixel.
    pub(super) fn transform(&mut self, scale: f32, offset: Point) {
        self.scale = scale;
        self.codes.extend([TRANSFORM, scale, offset.x, offset.y]);
    }

    /// Paints it, on an empty canvas.
    pub(super) fn paint(&self, canvas: &HtmlCanvasElement) {
        let painter = Reflect::get(&js_sys::global(), &"paintGraph".into()).ok();
        if let Some(painter) = painter.and_then(|painter| painter.dyn_into::<Function>().ok()) {
            let codes = Float32Array::from(self.codes.as_slice());
            // What can fail is a canvas without a context: nothing is to be seen there anyway.
            drop(painter.call3(&JsValue::NULL, canvas, &codes, &JsValue::from_str(&self.words)));
        }
    }
}

impl Surface for Pen {
    fn rect(&mut self, rect: Rect, radius: f32, fill: Option<Color>, stroke: Option<(Color, f32)>) {
        let radius = if radius * self.scale < 1.5 { 0.0 } else { radius };
        let (stroke, width) = stroke.map_or((NONE, 0.0), |(color, width)| (code(Some(color)), width));
        self.codes.extend([RECT, rect.x, rect.y, rect.w, rect.h, radius, code(fill), stroke, width]);
    }

    fn line(&mut self, points: &[Point], color: Color, width: f32) {
        self.codes.extend([LINE, code(Some(color)), width, points.len() as f32]);
        self.codes.extend(points.iter().flat_map(|point| [point.x, point.y]));
    }

    fn text(&mut self, at: Point, text: &str, style: TextStyle) {
        let strong = u8::from(style.weight == Weight::Strong);
        let flags = strong + 2 * u8::from(style.mono) + 4 * u8::from(style.ends);
        let color = code(Some(style.color));
        self.codes.extend([TEXT, at.x, at.y, style.size, color, f32::from(flags), code(style.halo)]);
        self.words.extend(text.chars().map(|c| if c == '\n' { ' ' } else { c }));
        self.words.push('\n');
    }
}
