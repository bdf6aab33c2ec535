//! The entry points for attention.

/// Defines them for an instruction set. Each memory reference is a pointer and an offset in elements.
macro_rules! attention_entries {
    ($isa:ty, $(#[$features:meta])*) => {
        $crate::attention::attention_entries!(@ $isa, [$(#[$features])*], f32,
            look_f32, attend_f32, append_f32, attend_chunk_f32);
        $crate::attention::attention_entries!(@ $isa, [$(#[$features])*], $crate::attention::F16,
            look_f16, attend_f16, append_f16, attend_chunk_f16);

        /// The kernels for a type of cache.
        #[cfg(not(studio_bitcode))]
        pub fn attention(cache: $crate::abi::CacheType) -> $crate::native::Attention {
            match cache {
                $crate::abi::CacheType::F16 => $crate::native::Attention {
                    attend: attend_f16,
                    append: append_f16,
                    attend_chunk: attend_chunk_f16,
                },
                $crate::abi::CacheType::F32 => $crate::native::Attention {
                    attend: attend_f32,
                    append: append_f32,
                    attend_chunk: attend_chunk_f32,
                },
            }
        }
    };
    (@ $isa:ty, [$(#[$features:meta])*], $element:ty, $look:ident, $attend:ident, $append:ident, $attend_chunk:ident) => {
        $(#[$features])*
        #[inline(never)]
        unsafe fn $look(
            batch: &mut $crate::attention::Batch,
            keys: *const $element,
            values: *const $element,
            range: [usize; 2],
            softcap: f32,
        ) {
            batch.look::<$isa, $element>(keys, values, range, softcap);
        }

        /// Adds one token's key and value to the cache and attends over it.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $attend(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            q: *const f32,
            q_offset: usize,
            k: *const f32,
            k_offset: usize,
            v: *const f32,
            v_offset: usize,
            cache: *mut u8,
            cache_offset: usize,
            rope: *const f32,
            rope_offset: usize,
            partials: *mut f32,
            partials_offset: usize,
            y: *mut f32,
            y_offset: usize,
            position: usize,
            layer: usize,
            heads: usize,
            kv_heads: usize,
            head_dim: usize,
            rotated: usize,
            capacity: usize,
            window: usize,
            scale: f32,
            softcap: f32,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let new = $crate::attention::New {
                keys: k.add(k_offset),
                values: v.add(v_offset),
                rope: $crate::attention::Rope { table: rope.add(rope_offset), rotated },
            };
            let token = $crate::attention::Token {
                queries: q.add(q_offset),
                new,
                partials: partials.add(partials_offset),
                results: y.add(y_offset),
                position,
            };
            let cache = cache.cast::<$element>().add(cache_offset);
            let scoring = $crate::attention::Scoring { scale, softcap, window, ahead: 0 };
            let shape = $crate::attention::Shape { layer, heads, kv_heads, head_dim, capacity };
            $crate::attention::attend::<$isa, $element>(phase, token, cache, scoring, shape, $look);
        }

        /// Adds the keys and values of a chunk of tokens to the cache.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $append(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            k: *const f32,
            k_offset: usize,
            v: *const f32,
            v_offset: usize,
            cache: *mut u8,
            cache_offset: usize,
            rope: *const f32,
            rope_offset: usize,
            rows: usize,
            position: usize,
            layer: usize,
            kv_heads: usize,
            head_dim: usize,
            rotated: usize,
            capacity: usize,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let new = $crate::attention::New {
                keys: k.add(k_offset),
                values: v.add(v_offset),
                rope: $crate::attention::Rope { table: rope.add(rope_offset), rotated },
            };
            let cache = cache.cast::<$element>().add(cache_offset);
            let shape = $crate::attention::Shape { layer, heads: kv_heads, kv_heads, head_dim, capacity };
            $crate::attention::append::<$isa, $element>(phase, new, cache, rows, position, shape);
        }

        /// Attends for each token of a chunk.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $attend_chunk(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            q: *const f32,
            q_offset: usize,
            cache: *const u8,
            cache_offset: usize,
            rope: *const f32,
            rope_offset: usize,
            y: *mut f32,
            y_offset: usize,
            rows: usize,
            position: usize,
            layer: usize,
            heads: usize,
            kv_heads: usize,
            head_dim: usize,
            rotated: usize,
            capacity: usize,
            window: usize,
            ahead: usize,
            scale: f32,
            softcap: f32,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let tokens = $crate::attention::Tokens {
                queries: q.add(q_offset),
                rope: $crate::attention::Rope { table: rope.add(rope_offset), rotated },
                results: y.add(y_offset),
                rows,
                position,
            };
            let cache = cache.cast::<$element>().add(cache_offset);
            let scoring = $crate::attention::Scoring { scale, softcap, window, ahead };
            let shape = $crate::attention::Shape { layer, heads, kv_heads, head_dim, capacity };
            $crate::attention::attend_chunk::<$isa, $element>(phase, tokens, cache, scoring, shape, $look);
        }
    };
}
pub(crate) use attention_entries;
