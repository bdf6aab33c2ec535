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
    scale: f32,
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
    scale: f32,
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

/// Rows times the matrices of the experts that they have chosen.
pub type Experts = unsafe extern "C" fn(
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
);

/// Rows after a prologue, scaled and added to others.
pub type Combine = unsafe extern "C" fn(
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
);

/// The choice of experts.
pub type Route = unsafe extern "C" fn(
    team: *const u32,
    team_offset: usize,
    phase: usize,
    logits: *const f32,
    logits_offset: usize,
    chosen: *mut f32,
    chosen_offset: usize,
    weights: *mut f32,
    weights_offset: usize,
    rows: usize,
    experts: usize,
    used: usize,
    normalise: usize,
    scale: f32,
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
    listed: usize,
    first: usize,
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
    /// Rows times the matrices of chosen experts.
    pub experts: Experts,
}

/// One token: its key and value are added to the cache, and its queries attend.
///
/// `q` is `[heads][head_dim]`, `k` and `v` are `[kv_heads][head_dim]`, not yet turned; `rope` has the rotation of each
/// position, `[2 (from half)][2 (to half)][rotated / 2]`, for the first `rotated` numbers of a head, which may be none; the
/// cache is a layer's key heads, `[capacity / 16][head_dim][16]` each, then its value heads, `[capacity][head_dim]` each;
/// offsets into it count its numbers. `partials` has [`attend_partials_len`](crate::abi::attend_partials_len) numbers. The
/// token sees the last `window` positions, with 0 all; scores are `scale` times the products of queries and keys and,
/// unless `softcap` is 0, become `softcap · tanh(score / softcap)`.
pub type Attend = unsafe extern "C" fn(
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
);

/// The keys and values of consecutive positions are added to the cache; see [`Attend`].
pub type Append = unsafe extern "C" fn(
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
);

/// The queries of consecutive positions attend, each up to its own, or, if `ahead` isn't 0, up to the last of them; see
/// [`Attend`].
pub type AttendChunk = unsafe extern "C" fn(
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
);

/// The index of the greatest of each row, the lowest where several are equal.
pub type Argmax = unsafe extern "C" fn(
    team: *const u32,
    team_offset: usize,
    phase: usize,
    logits: *const f32,
    logits_offset: usize,
    next: *mut i32,
    next_offset: usize,
    rows: usize,
    n: usize,
);

/// The kernels for a type of cache.
#[derive(Clone, Copy, Debug)]
pub struct Attention {
    /// One token.
    pub attend: Attend,
    /// Keys and values of a chunk.
    pub append: Append,
    /// Queries of a chunk.
    pub attend_chunk: AttendChunk,
}
