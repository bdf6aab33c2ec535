//! Products with weights, and what becomes part of them.

use super::super::call::{Access, Buffer, Pointer, Scalar};
use super::pending::PrologueInputs;
use super::{CpuError, Held, Lowering, Rows};
use crate::graph::{Activation, Handle, Role, Value};
use crate::options::Activations;
use studio_kernels::TileFormat;
use studio_kernels::abi::{self, Epilogue, MAX_K, MAX_ROW, Precision};

/// What becomes of a product, as part of its kernel.
pub(super) struct Finish {
    /// What it is multiplied by.
    scale: f32,
    /// What is added to it then.
    residual: Option<Handle<Value>>,
    /// The value that it is in the end.
    output: Handle<Value>,
}

impl Lowering<'_> {
    /// The role that gives a value.
    fn role_that_gives(&self, value: Handle<Value>) -> Option<&Role> {
        self.function.role_of(self.origin(value)).map(|span| &span.role)
    }

    /// Whether a product is part of the kernel of its only reader.
    pub(super) fn fused(&self, output: Handle<Value>) -> bool {
        if self.readers.get(&output) != Some(&1) {
            return false;
        }
        self.function.roles.iter().any(|span| match &span.role {
            Role::Residual { branch: part, .. } | Role::Scale { input: part, .. } => {
                self.origin(*part) == output
            }
            Role::GatedActivation { gate, up, .. } => {
                [*gate, *up].iter().any(|&part| self.origin(part) == output)
                    && self.gate_is_one_kernel(*gate, *up)
            }
            _ => false,
        })
    }

    /// Whether one kernel computes both products of a gate.
    pub(super) fn gate_is_one_kernel(&self, gate: Handle<Value>, up: Handle<Value>) -> bool {
        let part = |value| match self.role_that_gives(value)? {
            Role::Linear { input, weight, bias: None, output } if self.readers.get(output) == Some(&1) => {
                Some((self.origin(*input), self.tiles(*weight).ok()?.1))
            }
            _ => None,
        };
        part(gate).is_some() && part(gate) == part(up)
    }

    /// The product that gives a value, if it is part of its only reader's kernel.
    fn fused_product(&self, value: Handle<Value>) -> Option<Handle<Value>> {
        match self.role_that_gives(value) {
            Some(Role::Linear { output, .. }) if self.fused(*output) => Some(*output),
            _ => None,
        }
    }

    /// The hidden state with what is added to it.
    pub(super) fn residual(
        &mut self,
        input: Handle<Value>,
        branch: Handle<Value>,
        scale: f32,
        output: Handle<Value>,
    ) -> Result<(), CpuError> {
        match self.fused_product(branch) {
            Some(product) => self.linear(product, Some(Finish { scale, residual: Some(input), output })),
            None => self.combine(branch, Some(input), scale, output).map(|_written| ()),
        }
    }

    /// A value times a factor.
    pub(super) fn scale(
        &mut self,
        input: Handle<Value>,
        factor: f32,
        output: Handle<Value>,
    ) -> Result<(), CpuError> {
        match self.fused_product(input) {
            Some(product) => self.linear(product, Some(Finish { scale: factor, residual: None, output })),
            None => self.combine(input, None, factor, output).map(|_written| ()),
        }
    }

    /// The product that gives `output`, and what becomes of it if that is part of it.
    pub(super) fn linear(&mut self, output: Handle<Value>, finish: Option<Finish>) -> Result<(), CpuError> {
        let Some(Role::Linear { input, weight, bias, .. }) = self.role_that_gives(output).cloned() else {
            return Err(self.no_kernel("a product that is none"));
        };
        let [_, k] = self.dims(input)?;
        let [_, n] = self.dims(output)?;
        let rows = self.rows(output);
        let (w, format) = self.tiles(weight)?;
        self.check_length(k)?;
        let mut epilogue = Epilogue(0);
        let unused = self.unused();
        let bias = match bias {
            Some(bias) => {
                epilogue = epilogue.and(Epilogue::BIAS);
                self.vector(bias)?
            }
            None => unused.clone(),
        };
        let Finish { scale, residual, output } =
            finish.unwrap_or(Finish { scale: 1.0, residual: None, output });
        let added = match residual {
            Some(hidden) => {
                epilogue = epilogue.and(Epilogue::RESIDUAL);
                self.read(hidden)?
            }
            None => unused,
        };
        let (epilogue, scale) = (Scalar::Index(epilogue.0 as u64), Scalar::Float(scale));
        if rows == Rows::One && k <= MAX_K as u64 {
            let PrologueInputs { prologue, x, aux, gain, epsilon, .. } = self.prologue(input)?;
            let y = self.output_pointer(output, n)?;
            let prologue = Scalar::Index(prologue as u64);
            let epsilon = Scalar::Float(epsilon);
            let scalars = vec![Scalar::Index(k), Scalar::Index(n), prologue, epilogue, epsilon, scale];
            self.call(self.entry("matvec", format), vec![w, x, aux, gain, bias, added, y], scalars);
        } else {
            let activations = self.prepare(input, self.precision(format))?;
            let y = self.output_pointer(output, rows.max() * n)?;
            let scalars = vec![rows.scalar(), Scalar::Index(k), Scalar::Index(n), epilogue, scale];
            self.call(self.entry("matmul", format), vec![w, activations, bias, added, y], scalars);
        }
        Ok(())
    }

    /// `activation(gate) · up`, both being products of the same input.
    pub(super) fn gated(
        &mut self,
        parts: [Handle<Value>; 2],
        activation: Activation,
        output: Handle<Value>,
    ) -> Result<(), CpuError> {
        let linear = |value| match self.role_that_gives(value) {
            Some(Role::Linear { input, weight, .. }) => Some((*input, *weight)),
            _ => None,
        };
        let [Some((input, gate)), Some((_, up))] = parts.map(linear) else {
            return Err(self.no_kernel("a gate that is no product"));
        };
        let [_, k] = self.dims(input)?;
        let [_, n] = self.dims(output)?;
        let rows = self.rows(output);
        let (gate, format) = self.tiles(gate)?;
        let (up, _) = self.tiles(up)?;
        self.check_length(k)?;
        let activation = Scalar::Index(match activation {
            Activation::Silu => abi::Activation::Silu as u64,
            Activation::GeluTanh => abi::Activation::Gelu as u64,
        });
        if rows == Rows::One && k <= MAX_K as u64 {
            let PrologueInputs { prologue, x, aux, gain, epsilon, .. } = self.prologue(input)?;
            let y = self.output_pointer(output, n)?;
            let prologue = Scalar::Index(prologue as u64);
            let scalars =
                vec![Scalar::Index(k), Scalar::Index(n), prologue, activation, Scalar::Float(epsilon)];
            self.call(self.entry("gated_matvec", format), vec![gate, up, x, aux, gain, y], scalars);
        } else {
            let activations = self.prepare(input, self.precision(format))?;
            let y = self.output_pointer(output, rows.max() * n)?;
            let scalars = vec![rows.scalar(), Scalar::Index(k), Scalar::Index(n), activation];
            self.call(self.entry("gated_matmul", format), vec![gate, up, activations, y], scalars);
        }
        Ok(())
    }

    /// The activations of a value of many rows, as `matmul` reads them. Made once for all that read the value.
    pub(super) fn prepare(
        &mut self,
        value: Handle<Value>,
        precision: Precision,
    ) -> Result<Pointer, CpuError> {
        let key = (self.origin(value), precision.name());
        if let Some(&slot) = self.prepared.get(&key) {
            return Ok(self.slot(slot, Access::Read));
        }
        if !self.fits_a_product(value)? {
            let _computed = self.read(value)?;
        }
        // Plain rows of floats are activations as they are.
        if precision == Precision::Float32 && matches!(self.held_as(value)?, Held::Slot(_)) {
            return self.read(value);
        }
        let slot = self.prepared_slot(value, precision)?;
        self.prepared.insert(key, slot);
        Ok(self.slot(slot, Access::Read))
    }

    fn prepared_slot(&mut self, value: Handle<Value>, precision: Precision) -> Result<usize, CpuError> {
        let rows = self.rows(value);
        let k = self.elements(value) / rows.max().max(1);
        self.check_length(k)?;
        let PrologueInputs { prologue, x, aux, gain, epsilon, .. } = self.prologue(value)?;
        let bytes = rows.max() * precision.row_bytes(k as usize) as u64;
        let slot = self.new_slot(bytes.div_ceil(size_of::<f32>() as u64));
        let pointers = vec![x, aux, gain, self.whole(Buffer::Slot(slot), self.slots[slot], Access::Write)];
        let prologue = Scalar::Index(prologue as u64);
        let scalars = vec![rows.scalar(), Scalar::Index(k), prologue, Scalar::Float(epsilon)];
        self.call(format!("prepare_{}", precision.name()), pointers, scalars);
        Ok(slot)
    }

    /// What activations are kept in for weights of a format.
    pub(super) fn precision(&self, format: TileFormat) -> Precision {
        match self.options.activations {
            Activations::I8 if Precision::Int8.supports(format) => Precision::Int8,
            Activations::I8 | Activations::F32 => Precision::Float32,
        }
    }

    pub(super) fn entry(&self, kernel: &str, format: TileFormat) -> String {
        format!("{kernel}_{}_{}", format.name(), self.precision(format).name())
    }

    pub(super) fn check_length(&self, k: u64) -> Result<(), CpuError> {
        if k <= MAX_ROW as u64 {
            return Ok(());
        }
        Err(self.no_kernel(format!("vectors of {k} numbers: they must be at most {MAX_ROW}")))
    }
}
