//! What attention remembers between calls.

use crate::graph::{AttentionMemory, Binary, CACHE, ElementType, FunctionBuilder, GraphError, Role, Val};

/// The cache as it is at some point of a function: `[layers, 2 · kv heads, T, head_dim]`, a layer's key heads before
/// its value heads. One tensor for all, which a compiler can update in place.
pub(in crate::family) struct Cache {
    value: Val,
    /// The call's first position: `tensor<i32>`.
    position: Val,
    /// 0, in a way that a compiler can't tell.
    zero: Val,
}

impl Cache {
    /// The cache that a function is given.
    pub(in crate::family) fn new(
        f: &mut FunctionBuilder<'_>,
        value: Val,
        position: Val,
    ) -> Result<Self, GraphError> {
        // With plain constants as layer numbers a compiler makes kernels for each layer, where one for all would do.
        let zero = f.role(|f| {
            let zero = f.i32(0)?;
            let zero = f.binary(Binary::Minimum, position, zero)?;
            let output = f.named("zero", zero);
            Ok::<(Val, Role), GraphError>((output, Role::HiddenZero { of: position, output }))
        })?;
        Ok(Self { value, position, zero })
    }

    /// What an attention says of it, `before` being the cache before its update.
    pub(in crate::family) fn role(&self, before: Val) -> AttentionMemory {
        AttentionMemory { before, after: self.value, position: self.position, zero: self.zero }
    }

    /// The cache with all updates.
    pub(in crate::family) fn value(&self) -> Val {
        self.value
    }

    /// Adds a layer's new keys and values, `[kv heads, M, head_dim]` each, and gives all that it has now, `[kv heads,
    /// T, head_dim]` each.
    pub(in crate::family) fn remember(
        &mut self,
        f: &mut FunctionBuilder<'_>,
        layer: i32,
        key: Val,
        value: Val,
    ) -> Result<[Val; 2], GraphError> {
        let layer = f.i32(layer)?;
        let layer = f.add(layer, self.zero)?;
        let layer = f.named("layer", layer);
        let [kv_heads, _, _] = f.dims(key)?;
        let [key_head, value_head] = [f.i32(0)?, f.i32(kv_heads as i32)?];
        self.put(f, [layer, key_head], key)?;
        self.put(f, [layer, value_head], value)?;
        // Both updates come first: reading in between would make a compiler copy.
        let keys = self.all(f, [layer, key_head], kv_heads)?;
        let values = self.all(f, [layer, value_head], kv_heads)?;
        Ok([f.named("keys", keys), f.named("values", values)])
    }

    fn put(&mut self, f: &mut FunctionBuilder<'_>, place: [Val; 2], new: Val) -> Result<(), GraphError> {
        let [heads, rows, head_dim] = f.dims(new)?;
        let new = f.convert(new, f.ty(self.value).element_type)?;
        let new = f.reshape(new, &[1, heads, rows, head_dim])?;
        let start = self.start(f, place, self.position)?;
        let updated = f.dynamic_update(self.value, new, &start)?;
        self.value = f.named(CACHE, updated);
        Ok(())
    }

    fn all(&self, f: &mut FunctionBuilder<'_>, place: [Val; 2], heads: u64) -> Result<Val, GraphError> {
        let [_, _, positions, head_dim] = f.dims(self.value)?;
        let first = f.i32(0)?;
        let start = self.start(f, place, first)?;
        let all = f.dynamic_slice(self.value, &start, &[1, heads, positions, head_dim])?;
        let all = f.reshape(all, &[heads, positions, head_dim])?;
        f.convert(all, ElementType::F32)
    }

    fn start(
        &self,
        f: &mut FunctionBuilder<'_>,
        [layer, head]: [Val; 2],
        position: Val,
    ) -> Result<[Val; 4], GraphError> {
        Ok([layer, head, position, f.i32(0)?])
    }
}
