//! Rotary positions: each pair of a head's numbers is turned by an angle that grows with the position.
//!
//! The pairs are number `i` of a head's first half and number `i` of its second half; the rows of the query and key
//! matrices are put in that order when they are stored ([`RowOrder`](crate::graph::RowOrder)). Sines and
//! cosines come from a table that is computed at export, so that every target and every compiler has the same.

use crate::family::BuildError;
use crate::family::request::{capacity, most_context};
use crate::family::rope::Rope;
use crate::graph::{
    ElementType, FunctionBuilder, GraphError, ParamSource, ParamSpec, Reduction, Role, Storage, Val,
};
use crate::options::{ExportOptions, GraphKind};
use gguf_file::{BlockFormat, Gguf, ReadAt, TensorInfo};

/// The most numbers of a table: 256 MiB.
const MAX_TABLE_LENGTH: u64 = 1 << 26;

/// The table: for each position, the matrix `[from half, to half]` of each pair, as `[positions, 2, 2, head_dim / 2]`.
pub(in crate::family) fn table(
    rope: &Rope,
    head_dim: u64,
    gguf: &Gguf,
    sources: &[&dyn ReadAt],
    options: &ExportOptions,
) -> Result<ParamSpec, BuildError> {
    let factors = match &rope.factors {
        Some(name) => factors(name, rope.rotated / 2, gguf, sources)?,
        None => Vec::new(),
    };
    table_of(rope, &factors, head_dim, options)
}

/// The same as if frequencies had no factors of their own. Of those it has only the entry in the header is looked at.
pub(in crate::family) fn table_without_factors(
    rope: &Rope,
    head_dim: u64,
    gguf: &Gguf,
    options: &ExportOptions,
) -> Result<ParamSpec, BuildError> {
    if let Some(name) = &rope.factors {
        factors_tensor(name, rope.rotated / 2, gguf)?;
    }
    table_of(rope, &[], head_dim, options)
}

fn table_of(
    rope: &Rope,
    factors: &[f32],
    head_dim: u64,
    options: &ExportOptions,
) -> Result<ParamSpec, BuildError> {
    let half = head_dim / 2;
    let room = MAX_TABLE_LENGTH / (4 * half).max(1);
    let mut positions = 0;
    for kind in &options.graphs {
        let (option, value, wanted, most) = match kind {
            GraphKind::Redecode | GraphKind::Embed => ("seq", options.seq, u64::from(options.seq), room),
            GraphKind::Kv => ("context", options.context, capacity(options), most_context(room, options)),
        };
        if wanted > room {
            let reason = format!("choose at most {most} for heads of this size");
            return Err(BuildError::Option { option, value: value.to_string(), reason });
        }
        positions = positions.max(wanted);
    }
    let pairs: Vec<(f64, f64)> = (0..half).map(|pair| rope.frequency(pair, factors)).collect();
    let mut values = Vec::with_capacity((positions * 4 * half) as usize);
    for position in 0..positions {
        let turns = pairs.iter().map(|&(frequency, magnitude)| {
            let angle = position as f64 * frequency;
            (libm::cos(angle) * magnitude, libm::sin(angle) * magnitude)
        });
        let turns: Vec<(f64, f64)> = turns.collect();
        values.extend(turns.iter().map(|&(cos, _)| cos as f32));
        values.extend(turns.iter().map(|&(_, sin)| sin as f32));
        values.extend(turns.iter().map(|&(_, sin)| -sin as f32));
        values.extend(turns.iter().map(|&(cos, _)| cos as f32));
    }
    Ok(ParamSpec {
        name: rope.name.to_owned(),
        shape: vec![positions, 2, 2, half],
        element_type: ElementType::F32,
        source: ParamSource::Values(values.into()),
        storage: Storage::Dense,
    })
}

/// The tensor of the `count` numbers that frequencies are divided by, as the header describes it.
fn factors_tensor<'a>(name: &str, count: u64, gguf: &'a Gguf) -> Result<&'a TensorInfo, BuildError> {
    let missing = || BuildError::MissingTensor { name: name.to_owned() };
    let tensor = gguf.tensor(name).ok_or_else(missing)?;
    if tensor.dims() != [count] {
        let (expected, found) = (vec![count], tensor.dims().to_vec());
        return Err(BuildError::TensorDims { name: name.to_owned(), expected, found });
    }
    if tensor.format() != BlockFormat::F32 {
        return Err(BuildError::TensorData { name: name.to_owned(), reason: "rope factors must be F32" });
    }
    Ok(tensor)
}

/// What each frequency is divided by: `count` numbers of a tensor.
fn factors(name: &str, count: u64, gguf: &Gguf, sources: &[&dyn ReadAt]) -> Result<Vec<f32>, BuildError> {
    let tensor = factors_tensor(name, count, gguf)?;
    let error = |reason| BuildError::TensorData { name: name.to_owned(), reason };
    let source = sources.get(tensor.shard()).ok_or_else(|| error("its source was not given"))?;
    // Small: at most a head's numbers, as was just checked.
    let mut bytes = vec![0; tensor.size_bytes() as usize];
    source
        .read_at(tensor.offset(), &mut bytes)
        .map_err(|source| BuildError::Read { name: name.to_owned(), source })?;
    let mut factors = vec![0.0; count as usize];
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
    f.scoped(&table.name, |f| {
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
