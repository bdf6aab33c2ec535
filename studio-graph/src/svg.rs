//! A drawing as an SVG document: text stays text.

use crate::color::{Color, Palette};
use crate::drawing::Drawing;
use crate::geometry::{Point, Rect};
use crate::legend::{LEGEND, legend};
use crate::overlay::Overlay;
use crate::paint::{Scene, Surface, TextStyle, Weight, paint};
use std::fmt::Write;

/// A drawing as SVG, and below it what its colours stand for. Equal arguments give equal text.
#[must_use]
pub fn print(drawing: &Drawing, title: &str, palette: Palette, overlay: Option<&Overlay>) -> String {
    let (width, height) = size(drawing, overlay);
    let all = Rect::new(0.0, 0.0, width, height);
    let mut page = Page::default();
    let scene =
        Scene { palette, scale: 1.0, sight: all, chosen: None, pointed: None, highlight: None, overlay };
    page.rect(all, 0.0, Some(palette.paper), None);
    paint(drawing, &scene, &mut page);
    if let Some(overlay) = overlay {
        legend(Point::new(0.0, drawing.height), palette, overlay, &mut page);
    }
    let (width, height) = (number(width), number(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\">\n<title>{}</title>\n<style>text{{white-space:pre}}.s{{font-family:system-ui,-apple-system,\
         'Segoe UI',Roboto,'Helvetica Neue','Noto Sans','Liberation Sans',sans-serif}}.m{{font-family:ui-monospace,\
         'SF Mono',Consolas,'Liberation Mono','DejaVu Sans Mono',monospace}}.b{{font-weight:600}}path{{fill:none}}\
         .h{{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}}</style>\n{}</svg>\n",
        Escaped(title),
        page.text
    )
}

/// The width and the height of a drawing with the legend of its colours below it.
#[must_use]
pub fn size(drawing: &Drawing, overlay: Option<&Overlay>) -> (f32, f32) {
    match overlay {
        Some(_) => (drawing.width.max(LEGEND.0), drawing.height + LEGEND.1),
        None => (drawing.width, drawing.height),
    }
}

#[derive(Default)]
struct Page {
    text: String,
}

/// At most one digit behind the point, and none that says nothing.
fn number(value: f32) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

impl Page {
    fn put(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.push_str(&line.to_string());
    }
}

impl Surface for Page {
    fn rect(&mut self, rect: Rect, radius: f32, fill: Option<Color>, stroke: Option<(Color, f32)>) {
        let [x, y, w, h, r] = [rect.x, rect.y, rect.w, rect.h, radius].map(number);
        let fill = fill.map_or_else(|| "none".to_owned(), |color| color.to_string());
        self.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"{r}\" fill=\"{fill}\""
        ));
        if let Some((color, width)) = stroke {
            self.put(format_args!(" stroke=\"{color}\" stroke-width=\"{}\"", number(width)));
        }
        self.put(format_args!("/>\n"));
    }

    fn line(&mut self, points: &[Point], color: Color, width: f32) {
        let Some(first) = points.first() else { return };
        let mut path = format!("M{} {}", number(first.x), number(first.y));
        for pair in points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if (a.x - b.x).abs() < 0.25 {
                path.push_str(&format!("V{}", number(b.y)));
            } else {
                let (ax, bx, middle) = (number(a.x), number(b.x), number(bend(a, b)));
                path.push_str(&format!("C{ax} {middle} {bx} {middle} {bx} {}", number(b.y)));
            }
        }
        self.put(format_args!("<path d=\"{path}\" stroke=\"{color}\" stroke-width=\"{width:.2}\"/>\n"));
    }

    fn text(&mut self, at: Point, text: &str, style: TextStyle) {
        let [x, y, size] = [at.x, at.y, style.size].map(number);
        let mut class = if style.mono { "m" } else { "s" }.to_owned();
        if style.weight == Weight::Strong {
            class.push_str(" b");
        }
        if style.halo.is_some() {
            class.push_str(" h");
        }
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" class=\"{class}\" fill=\"{}\"",
            style.color
        ));
        if style.ends {
            self.put(format_args!(" text-anchor=\"end\""));
        }
        if let Some(halo) = style.halo {
            self.put(format_args!(" stroke=\"{halo}\""));
        }
        self.put(format_args!(">{}</text>\n", Escaped(text)));
    }
}

/// The height at which an edge between two points changes sides.
#[must_use]
pub fn bend(a: Point, b: Point) -> f32 {
    (a.y + b.y) / 2.0
}

struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                c if c.is_control() => f.write_str(" ")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
