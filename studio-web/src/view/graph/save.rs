//! The drawing as a file.

use super::super::save::save;
use super::pen::Pen;
use super::stage::Stage;
use leptos::prelude::*;
use studio_graph::{Point, Rect, Scene, Surface, legend, paint, svg};
use wasm_bindgen::JsCast;
use web_sys::HtmlCanvasElement;

/// The longest side of a picture, in pixels: browsers make none that are much longer.
const LONGEST: f32 = 12_000.0;

/// What is drawn, as SVG.
pub(super) fn svg(stage: Stage) {
    let palette = stage.palette();
    let (text, name) = stage.peek(|inner| {
        let explorer = &inner.explorer;
        let title = format!("{} {}", explorer.module().name, explorer.function().name());
        (svg::print(explorer.drawing(), &title, palette, explorer.overlay()), title)
    });
    let text = String::from(js_sys::encode_uri_component(&text));
    save(&format!("data:image/svg+xml;charset=utf-8,{text}"), &format!("{name}.svg"));
}

/// What is drawn, as PNG, as large as a picture may be.
pub(super) fn png(stage: Stage) {
    let Ok(canvas) = document().create_element("canvas") else { return };
    let Ok(canvas) = canvas.dyn_into::<HtmlCanvasElement>() else { return };
    let palette = stage.palette();
    let name = stage.peek(|inner| {
        let explorer = &inner.explorer;
        let drawing = explorer.drawing();
        let overlay = explorer.overlay();
        let (width, height) = svg::size(drawing, overlay);
        let scale = (LONGEST / width.max(height).max(1.0)).min(2.0);
        canvas.set_width((width * scale).ceil() as u32);
        canvas.set_height((height * scale).ceil() as u32);
        let all = Rect::new(0.0, 0.0, width, height);
        let mut pen = Pen::default();
        pen.transform(scale, Point::default());
        pen.rect(all, 0.0, Some(palette.paper), None);
        let scene =
            Scene { palette, scale, sight: all, chosen: None, pointed: None, highlight: None, overlay };
        paint(drawing, &scene, &mut pen);
        if let Some(overlay) = overlay {
            legend(Point::new(0.0, drawing.height), palette, overlay, &mut pen);
        }
        pen.paint(&canvas);
        format!("{} {}.png", explorer.module().name, explorer.function().name())
    });
    if let Ok(url) = canvas.to_data_url() {
        save(&url, &name);
    }
}
