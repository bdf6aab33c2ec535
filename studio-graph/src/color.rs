//! Colours by what they are for, in two themes.

use std::fmt;

/// An opaque colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color(pub u32);

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:06x}", self.0)
    }
}

impl Color {
    /// A colour between two: at 0 this one, at 1 the other.
    #[must_use]
    pub fn towards(self, other: Color, share: f32) -> Self {
        let share = share.clamp(0.0, 1.0);
        let mixed = [16, 8, 0].map(|shift| {
            let part = |color: Color| ((color.0 >> shift) & 0xff) as f32;
            ((part(self) + (part(other) - part(self)) * share).round() as u32) << shift
        });
        Self(mixed[0] | mixed[1] | mixed[2])
    }
}

/// The colours of a theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// Behind everything.
    pub paper: Color,
    /// Boxes.
    pub panel: Color,
    /// Open containers, every second.
    pub well: Color,
    /// Frames.
    pub line: Color,
    /// Edges.
    pub edge: Color,
    /// Words.
    pub ink: Color,
    /// Lesser words.
    pub ink_2: Color,
    /// What is chosen.
    pub accent: Color,
    /// Behind weights.
    pub accent_soft: Color,
    /// Behind named values.
    pub named_soft: Color,
    /// Named values.
    pub named: Color,
    /// The most of an overlay.
    pub hot: Color,
    /// Words on the most of an overlay.
    pub on_hot: Color,
}

impl Palette {
    /// Dark words on light paper.
    pub const LIGHT: Self = Self {
        paper: Color(0x00f6_f7f9),
        panel: Color(0x00ff_ffff),
        well: Color(0x00ee_f1f5),
        line: Color(0x00cf_d6df),
        edge: Color(0x0094_a0b0),
        ink: Color(0x0016_1b22),
        ink_2: Color(0x0056_606e),
        accent: Color(0x001f_5fd0),
        accent_soft: Color(0x00e8_f0fe),
        named_soft: Color(0x00e4_f5f1),
        named: Color(0x000a_6b5f),
        hot: Color(0x00e0_7b39),
        on_hot: Color(0x0016_1b22),
    };

    /// Light words on dark paper.
    pub const DARK: Self = Self {
        paper: Color(0x000f_1216),
        panel: Color(0x001b_2028),
        well: Color(0x0013_171d),
        line: Color(0x0033_3b47),
        edge: Color(0x006c_7889),
        ink: Color(0x00e8_ebef),
        ink_2: Color(0x00a5_afbc),
        accent: Color(0x006f_a3ff),
        accent_soft: Color(0x0018_253d),
        named_soft: Color(0x0012_2b28),
        named: Color(0x003e_cfba),
        hot: Color(0x00b8_5a1e),
        on_hot: Color(0x00ff_ffff),
    };
}
