//! What the colours of an overlay stand for, to be painted beside a drawing.

use crate::color::Palette;
use crate::geometry::{Point, Rect};
use crate::overlay::Overlay;
use crate::paint::{Surface, TextStyle, Weight};
use crate::place::{SMALL_SIZE, TITLE_SIZE, small_width};

/// The width and the height of a legend, as large as a drawing's words.
pub const LEGEND: (f32, f32) = (320.0, 72.0);

/// The space around it.
const MARGIN: f32 = 16.0;
/// Steps of the ramp: fine enough to look like one.
const STEPS: u16 = 48;

/// Paints a title, a ramp of the colours and what three of them stand for; `at` is its upper left corner.
pub fn legend(at: Point, palette: Palette, overlay: &Overlay, surface: &mut impl Surface) {
    let (left, top) = (at.x + MARGIN, at.y + MARGIN);
    let style = |size, weight, mono| TextStyle {
        size,
        color: palette.ink,
        weight,
        mono,
        ends: false,
        halo: Some(palette.paper),
    };
    let title = overlay.measure().title();
    surface.text(Point::new(left, top + 10.0), title, style(TITLE_SIZE, Weight::Strong, false));
    let ramp = Rect::new(left, top + 18.0, LEGEND.0 - 2.0 * MARGIN, 10.0);
    let step = ramp.w / f32::from(STEPS);
    for index in 0..STEPS {
        let heat = f32::from(index) / f32::from(STEPS - 1);
        // A little wider, so that no seam is seen.
        let part = Rect::new(ramp.x + f32::from(index) * step, ramp.y, step + 0.5, ramp.h);
        surface.rect(part, 0.0, Some(palette.panel.towards(palette.hot, heat)), None);
    }
    surface.rect(ramp, 0.0, None, Some((palette.line, 1.0)));
    let [none, half, all] = overlay.ticks().map(|tick| overlay.measure().words(tick));
    let base = ramp.bottom() + 14.0;
    let starts = [
        (ramp.x, none),
        (ramp.center().x - small_width(&half) / 2.0, half),
        (ramp.right() - small_width(&all), all),
    ];
    for (start, words) in starts {
        surface.text(Point::new(start, base), &words, style(SMALL_SIZE, Weight::Regular, true));
    }
}
