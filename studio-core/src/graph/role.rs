//! Roles: what a run of operations is, in the size of a kernel.
//!
//! A form that brings kernels of its own (`emit::cpu`) doesn't look for patterns among operations: the blocks that
//! build a function say, as they build, what each run of its values is. This is a table beside the graph; the values
//! are what they would be without it, and printers that know of no kernels don't read it.

use super::{Function, Handle, Scope, Value};
use std::ops::Range;

/// A run of consecutive values of a function, and what it is.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleSpan {
    /// What it is.
    pub role: Role,
    /// Where in the model it belongs.
    pub scope: Handle<Scope>,
    /// The values, by index in the function's arena.
    pub values: Range<usize>,
}

/// What a run of values is. M is the number of positions that a call computes; hidden states are `[M, D]`, `f32`.
///
/// Handles name values: the run's inputs, parameters as they were loaded, and the value that the run is there for.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// Rows of a table, by token: `scale` · table\[token\].
    Embed {
        /// The parameter, in whichever orientation it is stored.
        table: Handle<Value>,
        /// `[M]` of `i32`.
        tokens: Handle<Value>,
        /// What each number is multiplied by.
        scale: f32,
        /// `[M, D]`
        output: Handle<Value>,
    },
    /// The learned vectors of M consecutive positions, out of a table of all.
    PositionRows {
        /// The parameter, `[positions, D]`, in whichever element type it is stored.
        table: Handle<Value>,
        /// The first position: `tensor<i32>`, or 0.
        first: Option<Handle<Value>>,
        /// `[M, D]`
        output: Handle<Value>,
    },
    /// Each row divided by its root mean square and scaled by a gain.
    RmsNorm {
        /// `[M, D]`, or `[M, heads, head_dim]`: a row is what lies along the last dimension.
        input: Handle<Value>,
        /// The parameter: a number for each place of a row; or `[heads · head_dim]`, other ones for each head.
        gain: Handle<Value>,
        /// Added to the mean square.
        epsilon: f32,
        /// The input's shape.
        output: Handle<Value>,
    },
    /// From each row its mean is taken; then it is divided by its standard deviation, scaled by a gain and moved by a
    /// bias.
    LayerNorm {
        /// `[M, D]`, or `[M, heads, head_dim]`: a row is what lies along the last dimension.
        input: Handle<Value>,
        /// The parameter: a number for each place of a row; or `[heads · head_dim]`, other ones for each head.
        gain: Handle<Value>,
        /// The parameter, shaped like the gain.
        bias: Option<Handle<Value>>,
        /// Added to the variance.
        epsilon: f32,
        /// The input's shape.
        output: Handle<Value>,
    },
    /// A matrix product with weights, plus a bias.
    Linear {
        /// `[M, K]`
        input: Handle<Value>,
        /// The parameter, `[K, N]`.
        weight: Handle<Value>,
        /// The parameter, `[N]`.
        bias: Option<Handle<Value>>,
        /// `[M, N]`
        output: Handle<Value>,
    },
    /// The rotations of M consecutive positions, out of a table of all.
    RopeRows {
        /// The parameter, `[positions, 2, 2, head_dim / 2]`.
        table: Handle<Value>,
        /// The first position: `tensor<i32>`, or 0.
        first: Option<Handle<Value>>,
        /// `[M, 2, 2, head_dim / 2]`
        output: Handle<Value>,
    },
    /// Heads turned by their positions, first half against second.
    Rope {
        /// `[M, heads, head_dim]`
        input: Handle<Value>,
        /// What [`Role::RopeRows`] gives.
        rotation: Handle<Value>,
        /// `[M, heads, head_dim]`
        output: Handle<Value>,
    },
    /// Which positions each of M consecutive ones sees: all up to itself, or the last of those.
    CausalMask {
        /// The first of the M: `tensor<i32>`, or 0.
        first: Option<Handle<Value>>,
        /// How many positions back each one sees, itself counted; all if `None`.
        window: Option<u64>,
        /// `[M, T]` of `i1`.
        output: Handle<Value>,
    },
    /// Which positions are there at all: the first `count`, which all positions see.
    CountMask {
        /// `tensor<i32>`, 1 to T.
        count: Handle<Value>,
        /// `[M, T]` of `i1`.
        output: Handle<Value>,
    },
    /// A number that is 0 in a way that a compiler can't tell: nothing where there is no compiler to hide it from.
    HiddenZero {
        /// What it is made of.
        of: Handle<Value>,
        /// `tensor<i32>`
        output: Handle<Value>,
    },
    /// Grouped-query attention, keys and values of the call's positions added to the cache if there is one.
    Attention(Attention),
    /// `activation(gate) · up`, element by element.
    GatedActivation {
        /// `[M, F]`
        gate: Handle<Value>,
        /// `[M, F]`
        up: Handle<Value>,
        /// The function.
        activation: Activation,
        /// `[M, F]`
        output: Handle<Value>,
    },
    /// `activation(input)`, element by element.
    Activate {
        /// `[M, F]`
        input: Handle<Value>,
        /// The function.
        activation: Activation,
        /// `[M, F]`
        output: Handle<Value>,
    },
    /// What a part of a layer adds to the hidden state: `input + scale · branch`.
    Residual {
        /// The hidden state before.
        input: Handle<Value>,
        /// What is added.
        branch: Handle<Value>,
        /// What the branch is multiplied by.
        scale: f32,
        /// `[M, D]`
        output: Handle<Value>,
    },
    /// Each row multiplied by the logistic function of its one logit.
    RowGate {
        /// `[M, D]`
        input: Handle<Value>,
        /// `[M, 1]`
        logits: Handle<Value>,
        /// `[M, D]`
        output: Handle<Value>,
    },
    /// A feed-forward of experts, of which each position has a few.
    Experts(Experts),
    /// `factor · input`
    Scale {
        /// `[M, V]`
        input: Handle<Value>,
        /// The factor.
        factor: f32,
        /// `[M, V]`
        output: Handle<Value>,
    },
    /// `cap · tanh(input / cap)`
    SoftCap {
        /// `[M, V]`
        input: Handle<Value>,
        /// The cap.
        cap: f32,
        /// `[M, V]`
        output: Handle<Value>,
    },
    /// The last valid row of a chunk: number `count` − 1.
    LastRow {
        /// `[M, D]`
        input: Handle<Value>,
        /// `tensor<i32>`, 1 to M.
        count: Handle<Value>,
        /// `[1, D]`
        output: Handle<Value>,
    },
    /// The index of each row's greatest number, the first of equals.
    ArgMax {
        /// `[M, V]`
        input: Handle<Value>,
        /// `[M]` of `i32`.
        output: Handle<Value>,
    },
}

/// What attention is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    /// `[M, heads, head_dim]`, turned by the positions.
    pub query: Handle<Value>,
    /// `[M, kv heads, head_dim]`, turned by the positions.
    pub key: Handle<Value>,
    /// `[M, kv heads, head_dim]`
    pub value: Handle<Value>,
    /// What [`Role::CausalMask`] gives, with the window below; or what [`Role::CountMask`] gives, without one.
    pub mask: Handle<Value>,
    /// The layer's place in the cache.
    pub layer: u64,
    /// Where earlier keys and values are; without it the call's own are all there are.
    pub memory: Option<AttentionMemory>,
    /// What scores are multiplied by.
    pub scale: f32,
    /// How many positions back each one sees, itself counted; all if `None`.
    pub window: Option<u64>,
    /// c, where scores become c · tanh(score / c).
    pub softcap: Option<f32>,
    /// `[M, heads, head_dim]`
    pub output: Handle<Value>,
}

/// The cache of an attention.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttentionMemory {
    /// The cache before: `[layers, 2 · kv heads, T, head_dim]`.
    pub before: Handle<Value>,
    /// The cache with the call's keys and values.
    pub after: Handle<Value>,
    /// Where the call's first position stands: `tensor<i32>`.
    pub position: Handle<Value>,
    /// What [`Role::HiddenZero`] gives.
    pub zero: Handle<Value>,
}

/// What a feed-forward of experts is made of. Expert `e` of a position gives `down[e](activation(gate[e] · x) ·
/// (up[e] · x))`; the result is the sum of those of the `used` experts with the greatest router logits, each times its
/// share: its softmax among all experts' logits, if `normalised` divided by the sum of the chosen ones' shares, and
/// times `scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct Experts {
    /// `[M, K]`
    pub input: Handle<Value>,
    /// `[M, experts]`
    pub router_logits: Handle<Value>,
    /// The parameter, `[experts · N, K]`: the rows of one expert's matrix after the other's.
    pub gate: Handle<Value>,
    /// The parameter, `[experts · N, K]`.
    pub up: Handle<Value>,
    /// The parameter, `[experts · K, N]`.
    pub down: Handle<Value>,
    /// How many experts each position has.
    pub used: u64,
    /// The function of the gate.
    pub activation: Activation,
    /// Whether the shares of the chosen experts are made to sum to one.
    pub normalised: bool,
    /// What shares are multiplied by in the end.
    pub scale: f32,
    /// `[M, K]`
    pub output: Handle<Value>,
}

/// The function of a feed-forward's hidden state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x / (1 + e⁻ˣ)
    Silu,
    /// GELU by its approximation with tanh.
    GeluTanh,
}

impl Role {
    /// A word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Role::Embed { .. } => "embed",
            Role::PositionRows { .. } => "position_rows",
            Role::RmsNorm { .. } => "rms_norm",
            Role::LayerNorm { .. } => "layer_norm",
            Role::Linear { .. } => "linear",
            Role::RopeRows { .. } => "rope_rows",
            Role::Rope { .. } => "rope",
            Role::CausalMask { .. } => "causal_mask",
            Role::CountMask { .. } => "count_mask",
            Role::HiddenZero { .. } => "hidden_zero",
            Role::Attention(_) => "attention",
            Role::GatedActivation { .. } => "gated_activation",
            Role::Activate { .. } => "activate",
            Role::Residual { .. } => "residual",
            Role::RowGate { .. } => "row_gate",
            Role::Experts(_) => "experts",
            Role::Scale { .. } => "scale",
            Role::SoftCap { .. } => "soft_cap",
            Role::LastRow { .. } => "last_row",
            Role::ArgMax { .. } => "argmax",
        }
    }

    /// What the run reads. Parameters may be loaded within it.
    pub fn inputs(&self) -> Vec<Handle<Value>> {
        match self {
            Role::Embed { table, tokens, .. } => vec![*tokens, *table],
            Role::RmsNorm { input, gain, .. } => vec![*input, *gain],
            Role::LayerNorm { input, gain, bias, .. } => [*input, *gain].into_iter().chain(*bias).collect(),
            Role::Linear { input, weight, bias, .. } => [*input, *weight].into_iter().chain(*bias).collect(),
            Role::RopeRows { table, first, .. } | Role::PositionRows { table, first, .. } => {
                [*table].into_iter().chain(*first).collect()
            }
            Role::Rope { input, rotation, .. } => vec![*input, *rotation],
            Role::CausalMask { first, .. } => first.iter().copied().collect(),
            Role::CountMask { count, .. } => vec![*count],
            Role::HiddenZero { of, .. } => vec![*of],
            Role::Attention(attention) => {
                let Attention { query, key, value, mask, memory, .. } = attention;
                let memory = memory.iter().flat_map(|memory| [memory.before, memory.position, memory.zero]);
                [*query, *key, *value, *mask].into_iter().chain(memory).collect()
            }
            Role::GatedActivation { gate, up, .. } => vec![*gate, *up],
            Role::Residual { input, branch, .. } => vec![*input, *branch],
            Role::RowGate { input, logits, .. } => vec![*input, *logits],
            Role::Experts(Experts { input, router_logits, gate, up, down, .. }) => {
                vec![*input, *router_logits, *gate, *up, *down]
            }
            Role::Activate { input, .. } | Role::Scale { input, .. } | Role::SoftCap { input, .. } => {
                vec![*input]
            }
            Role::LastRow { input, count, .. } => vec![*input, *count],
            Role::ArgMax { input, .. } => vec![*input],
        }
    }

    /// The values of the run that others may read.
    pub fn outputs(&self) -> Vec<Handle<Value>> {
        match self {
            Role::Embed { output, .. }
            | Role::PositionRows { output, .. }
            | Role::RmsNorm { output, .. }
            | Role::LayerNorm { output, .. }
            | Role::Linear { output, .. }
            | Role::RopeRows { output, .. }
            | Role::Rope { output, .. }
            | Role::CausalMask { output, .. }
            | Role::CountMask { output, .. }
            | Role::HiddenZero { output, .. }
            | Role::GatedActivation { output, .. }
            | Role::Activate { output, .. }
            | Role::Residual { output, .. }
            | Role::RowGate { output, .. }
            | Role::Experts(Experts { output, .. })
            | Role::Scale { output, .. }
            | Role::SoftCap { output, .. }
            | Role::LastRow { output, .. }
            | Role::ArgMax { output, .. } => vec![*output],
            Role::Attention(attention) => {
                [attention.output].into_iter().chain(attention.memory.map(|memory| memory.after)).collect()
            }
        }
    }
}

impl Function {
    /// What the run is that a value belongs to.
    pub fn role_of(&self, value: Handle<Value>) -> Option<&RoleSpan> {
        let index = value.index();
        let after = self.roles.partition_point(|span| span.values.end <= index);
        self.roles.get(after).filter(|span| span.values.contains(&index))
    }
}
