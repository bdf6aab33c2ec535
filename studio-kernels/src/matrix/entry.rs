//! The entry points for matrices. Each memory reference is a pointer and an offset in elements.

/// Defines the entry points for an instruction set.
macro_rules! matrix_entries {
    ($isa:ty, $(#[$features:meta])*) => {
        $crate::matrix::matrix_entries!(@all $isa, [$(#[$features])*]
            products:
            [Q4_0, Int8, Int8, matvec_q4_0_i8, gated_matvec_q4_0_i8, matmul_q4_0_i8, gated_matmul_q4_0_i8, experts_q4_0_i8]
            [Q4_0, Float32, Expanded, matvec_q4_0_f32, gated_matvec_q4_0_f32, matmul_q4_0_f32, gated_matmul_q4_0_f32, experts_q4_0_f32]
            [Q4_1, Int8, Int8, matvec_q4_1_i8, gated_matvec_q4_1_i8, matmul_q4_1_i8, gated_matmul_q4_1_i8, experts_q4_1_i8]
            [Q4_1, Float32, Expanded, matvec_q4_1_f32, gated_matvec_q4_1_f32, matmul_q4_1_f32, gated_matmul_q4_1_f32, experts_q4_1_f32]
            [Q5_0, Int8, Int8, matvec_q5_0_i8, gated_matvec_q5_0_i8, matmul_q5_0_i8, gated_matmul_q5_0_i8, experts_q5_0_i8]
            [Q5_0, Float32, Expanded, matvec_q5_0_f32, gated_matvec_q5_0_f32, matmul_q5_0_f32, gated_matmul_q5_0_f32, experts_q5_0_f32]
            [Q5_1, Int8, Int8, matvec_q5_1_i8, gated_matvec_q5_1_i8, matmul_q5_1_i8, gated_matmul_q5_1_i8, experts_q5_1_i8]
            [Q5_1, Float32, Expanded, matvec_q5_1_f32, gated_matvec_q5_1_f32, matmul_q5_1_f32, gated_matmul_q5_1_f32, experts_q5_1_f32]
            [Q8_0, Int8, Int8, matvec_q8_0_i8, gated_matvec_q8_0_i8, matmul_q8_0_i8, gated_matmul_q8_0_i8, experts_q8_0_i8]
            [Q8_0, Float32, Expanded, matvec_q8_0_f32, gated_matvec_q8_0_f32, matmul_q8_0_f32, gated_matmul_q8_0_f32, experts_q8_0_f32]
            [Q4_K, Int8, Int8, matvec_q4_k_i8, gated_matvec_q4_k_i8, matmul_q4_k_i8, gated_matmul_q4_k_i8, experts_q4_k_i8]
            [Q4_K, Float32, Expanded, matvec_q4_k_f32, gated_matvec_q4_k_f32, matmul_q4_k_f32, gated_matmul_q4_k_f32, experts_q4_k_f32]
            [Q5_K, Int8, Int8, matvec_q5_k_i8, gated_matvec_q5_k_i8, matmul_q5_k_i8, gated_matmul_q5_k_i8, experts_q5_k_i8]
            [Q5_K, Float32, Expanded, matvec_q5_k_f32, gated_matvec_q5_k_f32, matmul_q5_k_f32, gated_matmul_q5_k_f32, experts_q5_k_f32]
            [Q6_K, Int8, Int8, matvec_q6_k_i8, gated_matvec_q6_k_i8, matmul_q6_k_i8, gated_matmul_q6_k_i8, experts_q6_k_i8]
            [Q6_K, Float32, Expanded, matvec_q6_k_f32, gated_matvec_q6_k_f32, matmul_q6_k_f32, gated_matmul_q6_k_f32, experts_q6_k_f32]
            [F16, Float32, Numbers, matvec_f16_f32, gated_matvec_f16_f32, matmul_f16_f32, gated_matmul_f16_f32, experts_f16_f32]
            [BF16, Float32, Numbers, matvec_bf16_f32, gated_matvec_bf16_f32, matmul_bf16_f32, gated_matmul_bf16_f32, experts_bf16_f32]
            [F32, Float32, Numbers, matvec_f32_f32, gated_matvec_f32_f32, matmul_f32_f32, gated_matmul_f32_f32, experts_f32_f32]
            embeddings:
            [Q4_0, Expanded, embed_q4_0]
            [Q4_1, Expanded, embed_q4_1]
            [Q5_0, Expanded, embed_q5_0]
            [Q5_1, Expanded, embed_q5_1]
            [Q8_0, Expanded, embed_q8_0]
            [Q4_K, Expanded, embed_q4_k]
            [Q5_K, Expanded, embed_q5_k]
            [Q6_K, Expanded, embed_q6_k]
            [F16, Numbers, embed_f16]
            [BF16, Numbers, embed_bf16]
            [F32, Numbers, embed_f32]
        );
    };

    (@all $isa:ty, $features:tt
        products: $([
            $format:ident, $precision:ident, $product:ident,
            $matvec:ident, $gated_matvec:ident, $matmul:ident, $gated_matmul:ident, $experts:ident
        ])*
        embeddings: $([$table:ident, $weights:ident, $embed:ident])*
    ) => {
        $($crate::matrix::matrix_entries!(@product $isa, $features,
            $crate::matrix::$product<$crate::format::$format>, ($matvec, $gated_matvec, $matmul, $gated_matmul, $experts));)*
        $($crate::matrix::matrix_entries!(@embed $isa, $features,
            $crate::matrix::$weights<$crate::format::$table>, $embed);)*
        $crate::matrix::matrix_entries!(@prepare $isa, $features, $crate::matrix::Quantised, prepare_i8);
        $crate::matrix::matrix_entries!(@prepare $isa, $features, $crate::matrix::Singles, prepare_f32);
        $crate::matrix::matrix_entries!(@combine $isa, $features);

        /// The kernels for a format and a precision; `None` for plain numbers with int8 activations.
        #[cfg(not(studio_bitcode))]
        pub fn products(
            format: $crate::TileFormat,
            precision: $crate::abi::Precision,
        ) -> Option<$crate::native::Products> {
            match (format, precision) {
                $(($crate::TileFormat::$format, $crate::abi::Precision::$precision) => {
                    Some($crate::native::Products {
                        matvec: $matvec,
                        gated_matvec: $gated_matvec,
                        prepare: match precision {
                            $crate::abi::Precision::Int8 => prepare_i8,
                            $crate::abi::Precision::Float32 => prepare_f32,
                        },
                        matmul: $matmul,
                        gated_matmul: $gated_matmul,
                        experts: $experts,
                    })
                })*
                _ => None,
            }
        }

        /// The kernel that looks rows of a table up.
        #[cfg(not(studio_bitcode))]
        pub fn embedding(format: $crate::TileFormat) -> $crate::native::Embed {
            match format {
                $($crate::TileFormat::$table => $embed,)*
            }
        }
    };

    (@product $isa:ty, [$(#[$features:meta])*], $product:ty,
        ($matvec:ident, $gated_matvec:ident, $matmul:ident, $gated_matmul:ident, $experts:ident)) => {
        /// `y = epilogue(W · prologue(x))` for a matrix of `n` rows of `k` elements.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $matvec(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            w: *const u8,
            w_offset: usize,
            x: *const f32,
            x_offset: usize,
            aux: *const f32,
            aux_offset: usize,
            gain: *const f32,
            gain_offset: usize,
            bias: *const f32,
            bias_offset: usize,
            residual: *const f32,
            residual_offset: usize,
            y: *mut f32,
            y_offset: usize,
            k: usize,
            n: usize,
            prologue: usize,
            epilogue: usize,
            eps: f32,
            scale: f32,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let (x, aux, gain) = (x.add(x_offset), aux.add(aux_offset), gain.add(gain_offset));
            let source = $crate::matrix::Source::new(x, aux, gain, prologue, eps);
            let output = $crate::matrix::Output {
                bias: bias.add(bias_offset),
                residual: residual.add(residual_offset),
                y: y.add(y_offset),
                n,
                epilogue,
                scale,
            };
            let operands = $crate::matrix::Matvec { source, output, k };
            $crate::matrix::matvec::<$isa, $product>(phase, w.add(w_offset), operands);
        }

        /// `y = activation(W_gate · prologue(x)) · (W_up · prologue(x))`; see [`crate::abi`].
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $gated_matvec(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            w_gate: *const u8,
            w_gate_offset: usize,
            w_up: *const u8,
            w_up_offset: usize,
            x: *const f32,
            x_offset: usize,
            aux: *const f32,
            aux_offset: usize,
            gain: *const f32,
            gain_offset: usize,
            y: *mut f32,
            y_offset: usize,
            k: usize,
            n: usize,
            prologue: usize,
            activation: usize,
            eps: f32,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let (x, aux, gain) = (x.add(x_offset), aux.add(aux_offset), gain.add(gain_offset));
            let source = $crate::matrix::Source::new(x, aux, gain, prologue, eps);
            let output = $crate::matrix::Output::plain(y.add(y_offset), n);
            let operands = $crate::matrix::Matvec { source, output, k };
            let w = [w_gate.add(w_gate_offset), w_up.add(w_up_offset)];
            $crate::matrix::gated_matvec::<$isa, $product>(phase, w, operands, activation);
        }

        /// `y = epilogue(activations · Wᵀ)` for `rows` rows of activations, as `prepare` has made them.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $matmul(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            w: *const u8,
            w_offset: usize,
            activations: *const f32,
            activations_offset: usize,
            bias: *const f32,
            bias_offset: usize,
            residual: *const f32,
            residual_offset: usize,
            y: *mut f32,
            y_offset: usize,
            rows: usize,
            k: usize,
            n: usize,
            epilogue: usize,
            scale: f32,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let output = $crate::matrix::Output {
                bias: bias.add(bias_offset),
                residual: residual.add(residual_offset),
                y: y.add(y_offset),
                n,
                epilogue,
                scale,
            };
            let activations = activations.add(activations_offset).cast();
            let operands = $crate::matrix::Matmul { activations, output, rows, k };
            $crate::matrix::matmul::<$isa, $product>(phase, w.add(w_offset), operands);
        }

        /// `y = activation(activations · W_gateᵀ) · (activations · W_upᵀ)`.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $gated_matmul(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            w_gate: *const u8,
            w_gate_offset: usize,
            w_up: *const u8,
            w_up_offset: usize,
            activations: *const f32,
            activations_offset: usize,
            y: *mut f32,
            y_offset: usize,
            rows: usize,
            k: usize,
            n: usize,
            activation: usize,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let output = $crate::matrix::Output::plain(y.add(y_offset), n);
            let activations = activations.add(activations_offset).cast();
            let operands = $crate::matrix::Matmul { activations, output, rows, k };
            let w = [w_gate.add(w_gate_offset), w_up.add(w_up_offset)];
            $crate::matrix::gated_matmul::<$isa, $product>(phase, w, operands, activation);
        }

        /// Products with the experts that each row has chosen: of the row, each by itself, or of a row for each, added
        /// up by weight; see [`crate::abi::ExpertsMode`]. `chosen` are `i32`.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $experts(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            w: *const u8,
            w_offset: usize,
            activations: *const f32,
            activations_offset: usize,
            chosen: *const f32,
            chosen_offset: usize,
            weights: *const f32,
            weights_offset: usize,
            y: *mut f32,
            y_offset: usize,
            rows: usize,
            used: usize,
            experts: usize,
            k: usize,
            n: usize,
            mode: usize,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let operands = $crate::matrix::Experts {
                activations: activations.add(activations_offset).cast(),
                chosen: chosen.add(chosen_offset).cast(),
                weights: weights.add(weights_offset),
                y: y.add(y_offset),
                rows,
                used,
                experts,
                k,
                n,
                mode,
            };
            $crate::matrix::experts::<$isa, $product>(phase, w.add(w_offset), operands);
        }
    };

    (@embed $isa:ty, [$(#[$features:meta])*], $weights:ty, $embed:ident) => {
        /// `y[r] = scale · table[tokens[r]]`; or, if `listed` is 0, `scale · table[first + r]`.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $embed(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            table: *const u8,
            table_offset: usize,
            tokens: *const i32,
            tokens_offset: usize,
            y: *mut f32,
            y_offset: usize,
            rows: usize,
            k: usize,
            vocabulary: usize,
            listed: usize,
            first: usize,
            scale: f32,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let tokens = match listed {
                0 => $crate::matrix::Tokens::From(first),
                _ => $crate::matrix::Tokens::At(tokens.add(tokens_offset)),
            };
            let y = y.add(y_offset);
            let operands = $crate::matrix::Embed { tokens, y, rows, k, vocabulary, scale };
            $crate::matrix::embed::<$isa, $weights>(phase, table.add(table_offset), operands);
        }
    };

    (@prepare $isa:ty, [$(#[$features:meta])*], $activations:ty, $prepare:ident) => {
        /// `y[r] = prologue(x[r])`, in the form that products take.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn $prepare(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            x: *const f32,
            x_offset: usize,
            aux: *const f32,
            aux_offset: usize,
            gain: *const f32,
            gain_offset: usize,
            y: *mut f32,
            y_offset: usize,
            rows: usize,
            k: usize,
            prologue: usize,
            eps: f32,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let (x, aux, gain) = (x.add(x_offset), aux.add(aux_offset), gain.add(gain_offset));
            let source = $crate::matrix::Source::new(x, aux, gain, prologue, eps);
            let operands = $crate::matrix::Prepare { source, y: y.add(y_offset).cast(), rows, k };
            $crate::matrix::prepare::<$isa, $activations>(phase, operands);
        }
    };

    (@combine $isa:ty, [$(#[$features:meta])*]) => {
        /// `y[r] = scale · prologue(x[r])`, plus the residual if the epilogue has it. Gains and biases of a norm are
        /// `gains` rows, which repeat.
        ///
        /// # Safety
        /// See [`crate::abi`].
        $(#[$features])*
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn combine(
            team: *const u32,
            team_offset: usize,
            phase: usize,
            x: *const f32,
            x_offset: usize,
            aux: *const f32,
            aux_offset: usize,
            gain: *const f32,
            gain_offset: usize,
            residual: *const f32,
            residual_offset: usize,
            y: *mut f32,
            y_offset: usize,
            rows: usize,
            k: usize,
            gains: usize,
            prologue: usize,
            epilogue: usize,
            eps: f32,
            scale: f32,
        ) {
            let phase = $crate::team::Phase::new(team.add(team_offset), phase);
            let (x, aux, gain) = (x.add(x_offset), aux.add(aux_offset), gain.add(gain_offset));
            let source = $crate::matrix::Source::new(x, aux, gain, prologue, eps);
            let (residual, y) = (residual.add(residual_offset), y.add(y_offset));
            let operands = $crate::matrix::Combine { source, residual, y, rows, k, gains, scale, epilogue };
            $crate::matrix::combine::<$isa>(phase, operands);
        }
    };
}
pub(crate) use matrix_entries;
