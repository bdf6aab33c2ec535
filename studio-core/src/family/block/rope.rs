//! Rotary positions: each pair of a head's numbers is turned by an angle that grows with the position.
//!
//! The pairs are number `i` of a head's first half and number `i` of its second half; the rows of the query and key
//! matrices are put in that order when they are stored ([`RowOrder::RopeHalves`](crate::graph::RowOrder)). Sines and
//! cosines come from a table that is computed at export, so that every target and every compiler has the same.

use crate::family::decoder::Decoder;
use crate::family::request::capacity;
use crate::family::{BuildError, names};
use crate::graph::{
    ElementType, FunctionBuilder, GraphError, ParamSource, ParamSpec, Reduction, Role, Storage, Val,
};
use crate::options::{ExportOptions, GraphKind};
use gguf_file::{BlockFormat, Gguf, ReadAt};

/// The most numbers of a table: 256 MiB.
const MAX_TABLE_LENGTH: u64 = 1 << 26;

/// The table: for each position, the matrix `[from half, to half]` of each pair, as `[positions, 2, 2, head_dim / 2]`.
pub(in crate::family) fn table(
    decoder: &Decoder,
    gguf: &Gguf,
    sources: &[&dyn ReadAt],
    options: &ExportOptions,
) -> Result<ParamSpec, BuildError> {
    let positions = options.graphs.iter().map(|kind| match kind {
        GraphKind::Redecode => u64::from(options.seq),
        GraphKind::Kv => capacity(options),
    });
    let positions = positions.max().unwrap_or(0);
    let half = decoder.hyper.head_dim / 2;
    if positions.saturating_mul(4 * half) > MAX_TABLE_LENGTH {
        return Err(BuildError::Option {
            option: "context",
            value: options.context.to_string(),
            reason: format!("choose at most {} for heads of this size", MAX_TABLE_LENGTH / (4 * half)),
        });
    }
    let frequencies = frequencies(decoder, &factors(decoder, gguf, sources)?);
    let mut values = Vec::with_capacity((positions * 4 * half) as usize);
    for position in 0..positions {
        let angles: Vec<f64> = frequencies.iter().map(|frequency| position as f64 * frequency).collect();
        values.extend(angles.iter().map(|&angle| libm::cos(angle) as f32));
        values.extend(angles.iter().map(|&angle| libm::sin(angle) as f32));
        values.extend(angles.iter().map(|&angle| -libm::sin(angle) as f32));
        values.extend(angles.iter().map(|&angle| libm::cos(angle) as f32));
    }
    Ok(ParamSpec {
        name: "rope".to_owned(),
        shape: vec![positions, 2, 2, half],
        element_type: ElementType::F32,
        source: ParamSource::Values(values.into()),
        storage: Storage::Dense,
    })
}

/// Radians by position, for each pair of a head. Pairs past the rotated dimensions stand still.
fn frequencies(decoder: &Decoder, factors: &[f32]) -> Vec<f64> {
    let hyper = &decoder.hyper;
    let (base, rotated) = (f64::from(hyper.rope_freq_base), hyper.rope_dimension_count);
    let frequency = |pair: u64| {
        let factor = factors.get(pair as usize).map_or(1.0, |&factor| f64::from(factor));
        libm::pow(base, -((2 * pair) as f64) / rotated as f64) / factor
    };
    (0..hyper.head_dim / 2).map(|pair| if 2 * pair < rotated { frequency(pair) } else { 0.0 }).collect()
}

/// What each frequency is divided by, if the model has such factors.
fn factors(decoder: &Decoder, gguf: &Gguf, sources: &[&dyn ReadAt]) -> Result<Vec<f32>, BuildError> {
    let name = names::ROPE_FACTORS;
    let Some(tensor) = gguf.tensor(name) else { return Ok(Vec::new()) };
    let error = |reason| BuildError::TensorData { name: name.to_owned(), reason };
    let expected = [decoder.hyper.rope_dimension_count / 2];
    if tensor.dims() != expected {
        let (expected, found) = (expected.to_vec(), tensor.dims().to_vec());
        return Err(BuildError::TensorDims { name: name.to_owned(), expected, found });
    }
    if tensor.format() != BlockFormat::F32 {
        return Err(error("rope factors must be F32"));
    }
    let source = sources.get(tensor.shard()).ok_or_else(|| error("its source was not given"))?;
    // Small: at most a head's numbers, as was just checked.
    let mut bytes = vec![0; tensor.size_bytes() as usize];
    source
        .read_at(tensor.offset(), &mut bytes)
        .map_err(|source| BuildError::Read { name: name.to_owned(), source })?;
    let mut factors = vec![0.0; expected[0] as usize];
    if tensor.format().decode_endian(gguf.endian(), &bytes, &mut factors).is_err() {
        return Err(error("its length is not that of its elements"));
    }
    if factors.iter().any(|factor| !factor.is_finite() || *factor <= 0.0) {
        return Err(error("rope factors must be positive and finite"));
    }
    Ok(factors)
}

/// The table's rows for a run of `count` positions from `first` on, or from 0: `[count, 2, 2, head_dim / 2]`.
pub(in crate::family) fn rows(
    f: &mut FunctionBuilder<'_>,
    table: &ParamSpec,
    first: Option<Val>,
    count: u64,
) -> Result<Val, GraphError> {
    f.scoped("rope", |f| {
        let table = f.parameter(table.clone())?;
        f.role(|f| {
            let [_, from, to, half] = f.dims(table)?;
            let rows = match first {
                None => f.slice(table, 0, 0..count)?,
                Some(first) => {
                    let zero = f.i32(0)?;
                    f.dynamic_slice(table, &[first, zero, zero, zero], &[count, from, to, half])?
                }
            };
            let output = f.named("rotation", rows);
            Ok((output, Role::RopeRows { table, first, output }))
        })
    })
}

/// Turns `[M, heads, head_dim]` by the rotations of its M positions.
pub(in crate::family) fn rotate(
    f: &mut FunctionBuilder<'_>,
    scope: &str,
    input: Val,
    rotation: Val,
) -> Result<Val, GraphError> {
    f.scoped(scope, |f| {
        f.role(|f| {
            let [rows, heads, head_dim] = f.dims(input)?;
            let half = head_dim / 2;
            let pairs = f.reshape(input, &[rows, heads, 2, half])?;
            let by_target = [rows, heads, 2, 2, half];
            let pairs = f.broadcast(pairs, &by_target, &[0, 1, 2, 4])?;
            let angles = f.broadcast(rotation, &by_target, &[0, 2, 3, 4])?;
            let terms = f.multiply(pairs, angles)?;
            let rotated = f.reduce(Reduction::Sum, terms, 2)?;
            let output = f.reshape(rotated, &[rows, heads, head_dim])?;
            Ok((output, Role::Rope { input, rotation, output }))
        })
    })
}
