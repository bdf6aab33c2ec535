//! The spread of the scales of a tensor's blocks: by how much the blocks of one tensor differ.

use serde::{Deserialize, Serialize};

/// The magnitudes of the scales (`d`) of a tensor's blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scales {
    /// All blocks.
    pub blocks: u64,
    /// Blocks whose scale is 0: all of their values are alike.
    pub zeros: u64,
    /// Blocks whose scale is NaN or infinite.
    pub not_finite: u64,
    /// The least magnitude that isn't 0; absent where there is none, as is the next.
    pub min: Option<f64>,
    /// The greatest.
    pub max: Option<f64>,
    /// Blocks by the power of two at or below the scale's magnitude: `[exponent, blocks]`, every exponent from the
    /// least to the greatest.
    pub octaves: Vec<(i32, u64)>,
}

/// The exponents of f16, from that of its least subnormal on.
const FIRST: i32 = -24;
const OCTAVES: usize = 40;

#[derive(Debug, Clone)]
pub(super) struct ScaleCounts {
    blocks: u64,
    zeros: u64,
    not_finite: u64,
    min: f32,
    max: f32,
    octaves: [u64; OCTAVES],
}

impl Default for ScaleCounts {
    fn default() -> Self {
        Self { blocks: 0, zeros: 0, not_finite: 0, min: f32::INFINITY, max: 0.0, octaves: [0; OCTAVES] }
    }
}

impl ScaleCounts {
    pub(super) fn take(&mut self, scale: f32) {
        self.blocks += 1;
        let magnitude = scale.abs();
        if !magnitude.is_finite() {
            self.not_finite += 1;
        } else if magnitude == 0.0 {
            self.zeros += 1;
        } else {
            self.min = self.min.min(magnitude);
            self.max = self.max.max(magnitude);
            // No f16 is a subnormal f32.
            let exponent = (magnitude.to_bits() >> 23).cast_signed() - 127;
            if let Some(count) = self.octaves.get_mut((exponent - FIRST) as usize) {
                *count += 1;
            }
        }
    }

    pub(super) fn finish(self) -> Option<Scales> {
        if self.blocks == 0 {
            return None;
        }
        let any = self.max > 0.0;
        let first = self.octaves.iter().position(|count| *count > 0).unwrap_or(0);
        let end = self.octaves.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        let octaves = self.octaves.get(first..end).unwrap_or_default();
        Some(Scales {
            blocks: self.blocks,
            zeros: self.zeros,
            not_finite: self.not_finite,
            min: any.then_some(f64::from(self.min)),
            max: any.then_some(f64::from(self.max)),
            octaves: (FIRST + first as i32..).zip(octaves.iter().copied()).collect(),
        })
    }
}
