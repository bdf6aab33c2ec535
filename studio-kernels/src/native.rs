//! The types of the entry points, for who calls them natively: tests and benches. [`crate::entry`] has the functions.

/// One vector times a matrix.
pub type Matvec = unsafe extern "C" fn(
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
);

/// One vector times two matrices, gated.
pub type GatedMatvec = unsafe extern "C" fn(
    team: *const u32,
    team_offset: usize,
    phase: usize,
    w_gate: *const u8,
    w_gate_offset: usize,
    w_up: *const u8,
    w_up_offset: usize,
    x: *const f32,
    x_offset: usize,
    gain: *const f32,
    gain_offset: usize,
    y: *mut f32,
    y_offset: usize,
    k: usize,
    n: usize,
    prologue: usize,
    activation: usize,
    eps: f32,
);

/// The prologue for many rows.
pub type Prepare = unsafe extern "C" fn(
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
);

/// Rows times a matrix.
pub type Matmul = unsafe extern "C" fn(
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
);

/// Rows times two matrices, gated.
pub type GatedMatmul = unsafe extern "C" fn(
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
);

/// Rows of a table by number.
pub type Embed = unsafe extern "C" fn(
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
    scale: f32,
);

/// The kernels for a format and a precision.
#[derive(Clone, Copy, Debug)]
pub struct Products {
    /// One vector times a matrix.
    pub matvec: Matvec,
    /// One vector times two matrices, gated.
    pub gated_matvec: GatedMatvec,
    /// The prologue for many rows.
    pub prepare: Prepare,
    /// Rows times a matrix.
    pub matmul: Matmul,
    /// Rows times two matrices, gated.
    pub gated_matmul: GatedMatmul,
}
