//! What isn't computed by itself: it is done by whoever reads it, on the way, or by `combine` where no reader can.

use super::super::call::{Pointer, Scalar};
use super::value::Held;
use super::{CpuError, Lowering};
use crate::graph::{Activation, Handle, Value};
use studio_kernels::abi::{Epilogue, Prologue};

/// What is done to values on the way to their readers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pending {
    RmsNorm { input: Handle<Value>, gain: Handle<Value>, epsilon: f32 },
    LayerNorm { input: Handle<Value>, gain: Handle<Value>, bias: Option<Handle<Value>>, epsilon: f32 },
    Gated { gate: Handle<Value>, up: Handle<Value>, activation: Activation },
    Activated { input: Handle<Value>, activation: Activation },
    SoftCapped { input: Handle<Value>, cap: f32 },
    RowGated { input: Handle<Value>, logits: Handle<Value> },
}

/// What a kernel reads before it does what it is there for.
pub(super) struct PrologueInputs {
    pub(super) prologue: Prologue,
    pub(super) x: Pointer,
    pub(super) aux: Pointer,
    pub(super) gain: Pointer,
    pub(super) epsilon: f32,
    /// Rows of gains, which repeat.
    gains: u64,
}

impl Lowering<'_> {
    /// What a product reads of `value`: itself, or what it is made of, where the product can make it.
    pub(super) fn prologue(&mut self, value: Handle<Value>) -> Result<PrologueInputs, CpuError> {
        if !self.fits_a_product(value)? {
            let _computed = self.read(value)?;
        }
        self.inputs(value)
    }

    /// Whether a value is there, or products can make it of what it is made of: all but norms of parts of their rows, and
    /// what only `combine` does.
    pub(super) fn fits_a_product(&self, value: Handle<Value>) -> Result<bool, CpuError> {
        let Held::Pending(pending) = self.held_as(value)? else { return Ok(true) };
        Ok(match pending {
            Pending::RmsNorm { .. } | Pending::LayerNorm { .. } => self.shape(self.origin(value)).len() == 2,
            Pending::Gated { .. } | Pending::Activated { .. } => true,
            Pending::SoftCapped { .. } | Pending::RowGated { .. } => false,
        })
    }

    /// What `combine` reads for a value.
    fn inputs(&mut self, value: Handle<Value>) -> Result<PrologueInputs, CpuError> {
        let unused = self.unused();
        let plain = |x: Pointer| PrologueInputs {
            prologue: Prologue::None,
            x,
            aux: unused.clone(),
            gain: unused.clone(),
            epsilon: 0.0,
            gains: 1,
        };
        let Held::Pending(pending) = self.held_as(value)? else { return Ok(plain(self.read(value)?)) };
        Ok(match pending {
            Pending::RmsNorm { input, gain, epsilon } => PrologueInputs {
                prologue: Prologue::RmsNorm,
                gain: self.vector(gain)?,
                gains: self.gains(input, gain),
                epsilon,
                ..plain(self.read(input)?)
            },
            Pending::LayerNorm { input, gain, bias, epsilon } => PrologueInputs {
                prologue: if bias.is_some() { Prologue::BiasedLayerNorm } else { Prologue::LayerNorm },
                aux: bias.map_or_else(|| Ok(unused.clone()), |bias| self.vector(bias))?,
                gain: self.vector(gain)?,
                gains: self.gains(input, gain),
                epsilon,
                ..plain(self.read(input)?)
            },
            Pending::Gated { gate, up, activation } => PrologueInputs {
                prologue: match activation {
                    Activation::Silu => Prologue::SiluMul,
                    Activation::GeluTanh => Prologue::GeluMul,
                },
                aux: self.read(up)?,
                ..plain(self.read(gate)?)
            },
            Pending::Activated { input, activation } => PrologueInputs {
                prologue: match activation {
                    Activation::Silu => Prologue::Silu,
                    Activation::GeluTanh => Prologue::Gelu,
                },
                ..plain(self.read(input)?)
            },
            Pending::SoftCapped { input, cap } => {
                PrologueInputs { prologue: Prologue::SoftCap, epsilon: cap, ..plain(self.read(input)?) }
            }
            Pending::RowGated { input, logits } => PrologueInputs {
                prologue: Prologue::RowGate,
                aux: self.read(logits)?,
                ..plain(self.read(input)?)
            },
        })
    }

    /// Rows of a norm's gains: one, or one for each head.
    fn gains(&self, input: Handle<Value>, gain: Handle<Value>) -> u64 {
        let width = self.shape(input).last().copied().unwrap_or(1);
        self.elements(gain).checked_div(width).unwrap_or(1).max(1)
    }

    /// Computes `scale · value`, plus `residual`: the value `output`. Gives where it is.
    pub(super) fn combine(
        &mut self,
        value: Handle<Value>,
        residual: Option<Handle<Value>>,
        scale: f32,
        output: Handle<Value>,
    ) -> Result<Pointer, CpuError> {
        let inputs = self.inputs(value)?;
        let added = match residual {
            Some(residual) => self.read(residual)?,
            None => self.unused(),
        };
        // Norms of heads are norms of shorter rows.
        let rows = self.rows(value);
        let width = self.shape(self.origin(value)).last().copied().unwrap_or(1);
        let in_row = (self.elements(value) / rows.max().max(1)).checked_div(width).unwrap_or(1);
        let y = self.output_pointer(output, self.elements(value))?;
        let epilogue = if residual.is_some() { Epilogue::RESIDUAL } else { Epilogue::default() };
        let PrologueInputs { prologue, x, aux, gain, epsilon, gains } = inputs;
        let scalars = vec![
            rows.times(in_row),
            Scalar::Index(width),
            Scalar::Index(gains),
            Scalar::Index(prologue as u64),
            Scalar::Index(epilogue.0 as u64),
            Scalar::Float(epsilon),
            Scalar::Float(scale),
        ];
        self.call("combine".to_owned(), vec![x, aux, gain, added, y.clone()], scalars);
        Ok(y)
    }
}
