//! A feed-forward of experts: which ones each row has is known only when it runs, so their matrices lie one behind the
//! other and kernels find those that they need.

use super::super::call::{Access, Pointer, Scalar};
use super::{CpuError, Lowering, Rows};
use crate::graph::{Activation, Experts, Handle, Value};
use studio_kernels::TILE_ROWS;
use studio_kernels::abi::{ExpertsMode, Precision, Prologue};

/// Which experts the rows have chosen.
struct Chosen {
    rows: Rows,
    /// Experts that there are.
    count: u64,
    /// Experts of each row.
    used: u64,
    /// `[rows][used]` of `i32`.
    indices: Pointer,
    /// `[rows][used]`
    shares: Pointer,
}

/// The matrices of all experts.
struct Matrices {
    tiles: Pointer,
    kernel: String,
    precision: Precision,
    /// Of each.
    inputs: u64,
    /// Of each.
    outputs: u64,
}

impl Lowering<'_> {
    pub(super) fn experts(&mut self, experts: &Experts) -> Result<(), CpuError> {
        let &Experts { input, gate, up, down, activation, output, .. } = experts;
        let chosen = self.route(experts)?;
        let [gate, up, down] = [gate, up, down].map(|weights| self.matrices(weights, chosen.count));
        let (gate, up, down) = (gate?, up?, down?);
        let gates = self.each(input, &gate, &chosen)?;
        let ups = self.each(input, &up, &chosen)?;
        let hidden = self.hidden([gates, ups], activation, &down, &chosen)?;
        let sum = self.output_pointer(output, chosen.rows.max() * down.outputs)?;
        self.products(ExpertsMode::Sum, &down, [hidden, sum], &chosen);
        Ok(())
    }

    /// Chooses.
    fn route(&mut self, experts: &Experts) -> Result<Chosen, CpuError> {
        let &Experts { input, router_logits, used, normalised, scale, .. } = experts;
        let [_, count] = self.dims(router_logits)?;
        let rows = self.rows(input);
        if used == 0 || used > count {
            return Err(self.no_kernel(format!("{used} experts of {count}")));
        }
        let logits = self.read(router_logits)?;
        let places = rows.max() * used;
        let [indices, shares] = [self.new_slot(places), self.new_slot(places)];
        let pointers = vec![logits, self.slot(indices, Access::Write), self.slot(shares, Access::Write)];
        let scalars = vec![
            rows.scalar(),
            Scalar::Index(count),
            Scalar::Index(used),
            Scalar::Index(u64::from(normalised)),
            Scalar::Float(scale),
        ];
        self.call("route".to_owned(), pointers, scalars);
        let [indices, shares] = [indices, shares].map(|slot| self.slot(slot, Access::Read));
        Ok(Chosen { rows, count, used, indices, shares })
    }

    fn matrices(&mut self, weights: Handle<Value>, count: u64) -> Result<Matrices, CpuError> {
        let (tiles, format) = self.tiles(weights)?;
        let [rows, inputs] = self.dims(weights)?;
        let outputs = rows / count.max(1);
        self.check_length(inputs)?;
        if outputs * count != rows || !outputs.is_multiple_of(TILE_ROWS as u64) {
            let what =
                format!("experts whose matrices have {outputs} rows: they must be a multiple of {TILE_ROWS}");
            return Err(self.no_kernel(what));
        }
        let (kernel, precision) = (self.entry("experts", format), self.precision(format));
        Ok(Matrices { tiles, kernel, precision, inputs, outputs })
    }

    /// The products of each row with each of its experts: `[rows][used][outputs]`.
    fn each(
        &mut self,
        input: Handle<Value>,
        matrices: &Matrices,
        chosen: &Chosen,
    ) -> Result<Pointer, CpuError> {
        let activations = self.prepare(input, matrices.precision)?;
        let slot = self.new_slot(chosen.rows.max() * chosen.used * matrices.outputs);
        let y = self.slot(slot, Access::Write);
        self.products(ExpertsMode::Each, matrices, [activations, y], chosen);
        Ok(self.slot(slot, Access::Read))
    }

    fn products(
        &mut self,
        mode: ExpertsMode,
        matrices: &Matrices,
        [activations, y]: [Pointer; 2],
        chosen: &Chosen,
    ) {
        let Chosen { rows, count, used, indices, shares } = chosen;
        let pointers = vec![matrices.tiles.clone(), activations, indices.clone(), shares.clone(), y];
        let sizes = [*used, *count, matrices.inputs, matrices.outputs, mode as u64];
        let scalars = [rows.scalar()].into_iter().chain(sizes.map(Scalar::Index)).collect();
        self.call(matrices.kernel.clone(), pointers, scalars);
    }

    /// `activation(gate) · up` of each choice, as the experts' last matrices read it.
    fn hidden(
        &mut self,
        [gates, ups]: [Pointer; 2],
        activation: Activation,
        down: &Matrices,
        chosen: &Chosen,
    ) -> Result<Pointer, CpuError> {
        let Matrices { precision, inputs, .. } = *down;
        let prologue = match activation {
            Activation::Silu => Prologue::SiluMul,
            Activation::GeluTanh => Prologue::GeluMul,
        };
        let bytes = chosen.rows.max() * chosen.used * precision.row_bytes(inputs as usize) as u64;
        let slot = self.new_slot(bytes.div_ceil(size_of::<f32>() as u64));
        let pointers = vec![gates, ups, self.unused(), self.slot(slot, Access::Write)];
        let scalars = vec![
            chosen.rows.times(chosen.used),
            Scalar::Index(inputs),
            Scalar::Index(prologue as u64),
            Scalar::Float(0.0),
        ];
        self.call(format!("prepare_{}", precision.name()), pointers, scalars);
        Ok(self.slot(slot, Access::Read))
    }
}
