//! Attention: one kernel for a token; for many, one that adds to the cache and one that looks at it.

use super::super::call::{Access, Address, Buffer, OwnCache, Pointer, Scalar};
use super::{CpuError, Held, Lowering, Rows};
use crate::graph::{Attention, ElementType, Handle, Role, Value};
use crate::options::CacheElement;
use studio_kernels::abi::{self, MAX_HEAD_DIM};

/// What the positions of a cache are a multiple of.
const CAPACITY_MULTIPLE: u64 = 64;

/// The sizes of an attention.
struct Sizes {
    heads: u64,
    kv_heads: u64,
    head_dim: u64,
    /// Numbers of a head that rope turns.
    rotated: u64,
    capacity: u64,
    rows: Rows,
    /// Whether positions see later ones.
    ahead: bool,
}

/// The cache that an attention adds to.
struct Memory {
    cache: Pointer,
    element_type: ElementType,
    layer: u64,
    position: Scalar,
}

impl Lowering<'_> {
    pub(super) fn attention(&mut self, attention: &Attention) -> Result<(), CpuError> {
        let [_, heads, head_dim] = self.dims(attention.query)?;
        let [_, kv_heads, _] = self.dims(attention.key)?;
        let [_, seen] = self.dims(attention.mask)?;
        let capacity = seen.next_multiple_of(CAPACITY_MULTIPLE);
        if head_dim % 8 != 0 || head_dim > MAX_HEAD_DIM as u64 || head_dim == 0 {
            let what =
                format!("heads of {head_dim} numbers: they must be a multiple of 8, at most {MAX_HEAD_DIM}");
            return Err(self.no_kernel(what));
        }
        let (query, table) = self.turned(attention.query, attention)?;
        let (key, key_table) = self.turned(attention.key, attention)?;
        if table != key_table {
            return Err(self.no_kernel("queries that are turned by other angles than keys"));
        }
        let value = self.read(attention.value)?;
        let (rope, rotated) = match table {
            Some(table) => (self.vector(table)?, 2 * self.shape(table).last().copied().unwrap_or(0)),
            None => (self.unused(), 0),
        };
        let rows = self.rows(attention.query);
        let ahead = self.sees_ahead(attention)?;
        let sizes = Sizes { heads, kv_heads, head_dim, rotated, capacity, rows, ahead };
        let memory = self.memory(attention, &sizes)?;
        if sizes.rows == Rows::One && !ahead {
            self.attend([query, key, value, rope], memory, &sizes, attention)
        } else {
            self.attend_chunk([query, key, value, rope], memory, &sizes, attention)
        }
    }

    fn attend(
        &mut self,
        [query, key, value, rope]: [Pointer; 4],
        memory: Memory,
        sizes: &Sizes,
        attention: &Attention,
    ) -> Result<(), CpuError> {
        let &Sizes { heads, kv_heads, head_dim, rotated, capacity, .. } = sizes;
        let partials = abi::attend_partials_len(heads as usize, head_dim as usize, capacity as usize);
        let partials = self.new_slot(partials as u64);
        let partials = self.slot(partials, Access::ReadWrite);
        let y = self.output_pointer(attention.output, heads * head_dim)?;
        let cache = Pointer { access: Access::ReadWrite, ..memory.cache };
        let mut scalars = vec![memory.position];
        scalars.extend([memory.layer, heads, kv_heads, head_dim, rotated, capacity].map(Scalar::Index));
        scalars.extend(scoring(attention));
        let kernel = format!("attend_{}", memory.element_type);
        self.call(kernel, vec![query, key, value, cache, rope, partials, y], scalars);
        Ok(())
    }

    fn attend_chunk(
        &mut self,
        [query, key, value, rope]: [Pointer; 4],
        memory: Memory,
        sizes: &Sizes,
        attention: &Attention,
    ) -> Result<(), CpuError> {
        let &Sizes { heads, kv_heads, head_dim, rotated, capacity, rows, ahead } = sizes;
        let mut scalars = vec![rows.scalar(), memory.position];
        scalars.extend([memory.layer, kv_heads, head_dim, rotated, capacity].map(Scalar::Index));
        let cache = Pointer { access: Access::Write, ..memory.cache.clone() };
        let kernel = format!("append_{}", memory.element_type);
        self.call(kernel, vec![key, value, cache, rope.clone()], scalars);

        let y = self.output_pointer(attention.output, rows.max() * heads * head_dim)?;
        let mut scalars = vec![rows.scalar(), memory.position];
        scalars.extend([memory.layer, heads, kv_heads, head_dim, rotated, capacity].map(Scalar::Index));
        let [window, scale, softcap] = scoring(attention);
        scalars.extend([window, Scalar::Index(u64::from(ahead)), scale, softcap]);
        let kernel = format!("attend_chunk_{}", memory.element_type);
        self.call(kernel, vec![query, memory.cache, rope, y], scalars);
        Ok(())
    }

    /// Heads before the turn that the kernel gives them, and the table of rotations that it turns them by, if it does.
    fn turned(
        &mut self,
        heads: Handle<Value>,
        attention: &Attention,
    ) -> Result<(Pointer, Option<Handle<Value>>), CpuError> {
        let Held::Turned { input, rotation } = self.held_as(heads)? else {
            return Ok((self.read(heads)?, None));
        };
        let first = attention.memory.map(|memory| memory.position);
        // All rows of a table are the table: nothing computes them.
        if first.is_none() && self.parameter(rotation).is_ok() {
            return Ok((self.read(input)?, Some(rotation)));
        }
        match self.function.role_of(rotation).map(|span| &span.role) {
            Some(&Role::RopeRows { table, first: found, .. }) if found == first => {
                Ok((self.read(input)?, Some(table)))
            }
            _ => Err(self.no_kernel("rope by other positions than the cache's")),
        }
    }

    /// Whether positions see those after them. Kernels know two masks: a causal one, and that of all that are there.
    fn sees_ahead(&self, attention: &Attention) -> Result<bool, CpuError> {
        let first = attention.memory.map(|memory| memory.position);
        match self.function.role_of(attention.mask).map(|span| &span.role) {
            Some(Role::CausalMask { first: found, window, .. })
                if *found == first && *window == attention.window =>
            {
                Ok(false)
            }
            Some(Role::CountMask { count, .. })
                if attention.memory.is_none() && attention.window.is_none() =>
            {
                let count = self.scalar_argument(*count)?;
                match self.rows(attention.query) {
                    Rows::Counted { argument, .. } if argument == count => Ok(true),
                    _ => Err(self.no_kernel("a mask that counts something else than the call's positions")),
                }
            }
            _ => Err(self.no_kernel("a mask that is neither causal nor of all positions")),
        }
    }

    /// The layer's part of the cache that the function is given, or the one that it has for itself.
    fn memory(&mut self, attention: &Attention, sizes: &Sizes) -> Result<Memory, CpuError> {
        let layer_length = 2 * sizes.kv_heads * sizes.capacity * sizes.head_dim;
        let Some(memory) = attention.memory else {
            // Each layer's keys and values are of use to that layer only: one layer's room serves all in turn.
            let element_type = match self.options.cache {
                CacheElement::F16 => ElementType::F16,
                CacheElement::F32 => ElementType::F32,
            };
            self.own_cache = Some(OwnCache { length: layer_length, element_type });
            let cache = self.whole(Buffer::OwnCache, layer_length, Access::Read);
            return Ok(Memory { cache, element_type, layer: 0, position: Scalar::Index(0) });
        };
        let argument = self.cache_argument(memory.before)?;
        let position = self.scalar_argument(memory.position)?;
        let start = attention.layer * layer_length;
        let [layers, cached_heads, capacity, head_dim] = self.dims(memory.before)?;
        let fits = attention.layer < layers
            && cached_heads == 2 * sizes.kv_heads
            && capacity == sizes.capacity
            && head_dim == sizes.head_dim;
        if !fits {
            return Err(self.no_kernel("a cache of this shape"));
        }
        // The kernel is given the whole cache and finds its layer itself.
        let cache = Pointer {
            buffer: Buffer::Argument(argument),
            range: start..start + layer_length,
            address: Address::Buffer,
            access: Access::Read,
        };
        self.bound(position, 0, capacity.saturating_sub(sizes.rows.max()));
        let element_type = match self.function.values[memory.before].ty.as_tensor() {
            Some(tensor) => tensor.element_type,
            None => return Err(self.no_kernel("a cache that is no tensor")),
        };
        if !matches!(element_type, ElementType::F16 | ElementType::F32) {
            return Err(self.no_kernel("a cache of this element type"));
        }
        Ok(Memory { cache, element_type, layer: attention.layer, position: Scalar::Argument(position) })
    }

    /// The argument that a cache was before all updates.
    fn cache_argument(&self, cache: Handle<Value>) -> Result<usize, CpuError> {
        let mut before = cache;
        while let Some(Role::Attention(Attention { memory: Some(memory), .. })) =
            self.function.role_of(before).map(|span| &span.role)
        {
            before = memory.before;
        }
        self.argument(before)
    }
}

/// How scores are made, in the entry points' order.
fn scoring(attention: &Attention) -> [Scalar; 3] {
    [
        Scalar::Index(attention.window.unwrap_or(0)),
        Scalar::Float(attention.scale),
        Scalar::Float(attention.softcap.unwrap_or(0.0)),
    ]
}
