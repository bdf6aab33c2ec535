//! Where one looks: a drawing's point times the scale plus the offset is a point of the screen.

use studio_graph::{Point, Rect};

/// The least and the greatest scale.
const SCALES: (f32, f32) = (0.01, 4.0);
/// Space around what is fitted, in pixels of the screen.
const AROUND: f32 = 24.0;

/// Where one looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where the drawing's corner is on the screen.
    pub offset: Point,
    /// Pixels of the screen for one of the drawing.
    pub scale: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self { offset: Point::default(), scale: 1.0 }
    }
}

impl Camera {
    /// A camera that has a rectangle in the middle of a screen of this size, as large as it may be, no larger than
    /// `most`. What is too high for a readable scale begins at the top.
    #[must_use]
    pub fn fit(rect: Rect, size: Point, most: f32) -> Self {
        let room = Point::new((size.x - 2.0 * AROUND).max(1.0), (size.y - 2.0 * AROUND).max(1.0));
        let scale = (room.x / rect.w.max(1.0)).min(room.y / rect.h.max(1.0));
        let scale = scale.min(most).clamp(SCALES.0, SCALES.1);
        let center = rect.center();
        Self { offset: Point::new(size.x / 2.0 - center.x * scale, size.y / 2.0 - center.y * scale), scale }
    }

    /// A camera for the beginning: the width fits, and the top is seen.
    #[must_use]
    pub fn opening(width: f32, height: f32, size: Point) -> Self {
        let whole = Self::fit(Rect::new(0.0, 0.0, width, height), size, 1.0);
        let readable = ((size.x - 2.0 * AROUND).max(1.0) / width.max(1.0)).clamp(0.5, 1.0);
        if whole.scale >= 0.55 {
            return whole;
        }
        let x = (size.x - width * readable) / 2.0;
        Self { offset: Point::new(x, 0.0), scale: readable }
    }

    /// The same point of the drawing at another scale.
    #[must_use]
    pub fn zoomed(self, factor: f32, at: Point) -> Self {
        let scale = (self.scale * factor).clamp(SCALES.0, SCALES.1);
        let kept = self.to_drawing(at);
        Self { offset: Point::new(at.x - kept.x * scale, at.y - kept.y * scale), scale }
    }

    /// Moved by pixels of the screen.
    #[must_use]
    pub fn moved(self, by: Point) -> Self {
        Self { offset: self.offset.plus(by), ..self }
    }

    /// A point of the screen in the drawing.
    #[must_use]
    pub fn to_drawing(&self, at: Point) -> Point {
        Point::new((at.x - self.offset.x) / self.scale, (at.y - self.offset.y) / self.scale)
    }

    /// A point of the drawing on the screen.
    #[must_use]
    pub fn to_screen(&self, at: Point) -> Point {
        Point::new(at.x * self.scale + self.offset.x, at.y * self.scale + self.offset.y)
    }

    /// The part of the drawing that a screen of this size shows.
    #[must_use]
    pub fn sight(&self, size: Point) -> Rect {
        let corner = self.to_drawing(Point::default());
        Rect::new(corner.x, corner.y, size.x / self.scale, size.y / self.scale)
    }

    /// Moved no further than needed to have a rectangle in sight, a little away from the edges.
    #[must_use]
    pub fn showing(self, rect: Rect, size: Point) -> Self {
        let corner = self.to_screen(Point::new(rect.x, rect.y));
        let far = self.to_screen(Point::new(rect.right(), rect.bottom()));
        let shift = |low: f32, high: f32, room: f32| {
            let margin = 40.0_f32.min(room / 8.0);
            if high - low > room - 2.0 * margin {
                // Too large: its beginning is shown.
                margin - low
            } else if low < margin {
                margin - low
            } else if high > room - margin {
                room - margin - high
            } else {
                0.0
            }
        };
        self.moved(Point::new(shift(corner.x, far.x, size.x), shift(corner.y, far.y, size.y)))
    }

    /// A camera between two: at 0 this one, at 1 the other.
    #[must_use]
    pub fn towards(self, other: Self, share: f32) -> Self {
        let mix = |a: f32, b: f32| a + (b - a) * share;
        // Scales are mixed as people see them: by their logarithms.
        let scale = mix(self.scale.ln(), other.scale.ln()).exp();
        Self {
            offset: Point::new(mix(self.offset.x, other.offset.x), mix(self.offset.y, other.offset.y)),
            scale,
        }
    }
}
