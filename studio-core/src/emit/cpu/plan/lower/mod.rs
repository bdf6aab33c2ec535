//! From roles to calls, in the order of the roles.
//!
//! What a kernel does on its way is not computed by itself: a norm or a gate becomes the prologue of the products that
//! read it, a sum with the hidden state the epilogue of the product that it adds, a turn by positions part of the
//! attention.

mod attention;
mod product;
mod value;

use super::super::CpuError;
use super::call::{Access, Bounds, Buffer, Call, OwnCache, Pointer, Scalar};
use crate::graph::{
    Activation, Checked, ElementType, Function, Handle, Op, ParamSpec, Role, RoleSpan, Storage, Value,
};
use crate::options::CpuOptions;
use std::collections::HashMap;
use studio_kernels::TileFormat;
use studio_kernels::abi::Prologue;
use value::Held;

/// What a function comes to.
pub(super) struct Lowered {
    pub(super) calls: Vec<Call>,
    /// The length of each slot, in `f32`.
    pub(super) slots: Vec<u64>,
    pub(super) own_cache: Option<OwnCache>,
    pub(super) scalars: Vec<(usize, Bounds)>,
}

/// Lowers a function whose roles stand for all of it.
pub(super) fn lower(
    graph: &Checked<'_>,
    function: &Function,
    options: &CpuOptions,
) -> Result<Lowered, CpuError> {
    let mut lowering = Lowering::new(graph, function, options);
    for span in &function.roles {
        lowering.span = Some(span);
        lowering.role(&span.role)?;
    }
    lowering.check_results()?;
    let Lowering { calls, slots, own_cache, scalars, .. } = lowering;
    Ok(Lowered { calls, slots, own_cache, scalars })
}

/// How many rows a value has when the function runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// One.
    One,
    /// Always as many.
    Fixed(u64),
    /// As many as an argument says, at most `max`.
    Counted { argument: usize, max: u64 },
}

impl Rows {
    /// The most that there can be.
    fn max(self) -> u64 {
        match self {
            Rows::One => 1,
            Rows::Fixed(rows) | Rows::Counted { max: rows, .. } => rows,
        }
    }

    fn scalar(self) -> Scalar {
        match self {
            Rows::One => Scalar::Index(1),
            Rows::Fixed(rows) => Scalar::Index(rows),
            Rows::Counted { argument, .. } => Scalar::Argument(argument),
        }
    }
}

/// A function that is being lowered.
struct Lowering<'g> {
    graph: &'g Checked<'g>,
    function: &'g Function,
    options: &'g CpuOptions,
    /// The role at hand.
    span: Option<&'g RoleSpan>,
    /// How often each value is read, reshapes looked through; results count.
    readers: HashMap<Handle<Value>, usize>,
    /// Where values are that were computed, or what they will be computed by.
    held: HashMap<Handle<Value>, Held>,
    /// Values that were made activations of for products of many rows, and where those are.
    prepared: HashMap<(Handle<Value>, &'static str), usize>,
    /// The argument that says how many rows of a chunk are valid, and how many there are at most.
    count: Option<(usize, u64)>,
    calls: Vec<Call>,
    slots: Vec<u64>,
    own_cache: Option<OwnCache>,
    scalars: Vec<(usize, Bounds)>,
}

impl<'g> Lowering<'g> {
    fn new(graph: &'g Checked<'g>, function: &'g Function, options: &'g CpuOptions) -> Self {
        let mut lowering = Self {
            graph,
            function,
            options,
            span: None,
            readers: HashMap::new(),
            held: HashMap::new(),
            prepared: HashMap::new(),
            count: value::count(function),
            calls: Vec::new(),
            slots: Vec::new(),
            own_cache: None,
            scalars: Vec::new(),
        };
        let inputs = function.roles.iter().flat_map(|span| span.role.inputs());
        for read in inputs.chain(function.results.iter().map(|result| result.value)) {
            *lowering.readers.entry(lowering.origin(read)).or_default() += 1;
        }
        lowering
    }

    fn role(&mut self, role: &Role) -> Result<(), CpuError> {
        match role {
            Role::Embed { table, tokens, scale, output } => self.embed([*table, *tokens], *scale, *output),
            Role::RmsNorm { input, gain, epsilon, output } if self.shape(*input).len() == 2 => {
                self.hold(*output, Held::Normed { input: *input, gain: *gain, epsilon: *epsilon });
                Ok(())
            }
            // One that is part of another kernel is called when that is.
            Role::Linear { output, .. } if self.fused(*output) => Ok(()),
            Role::Linear { output, .. } => self.linear(*output, None),
            Role::Rope { input, rotation, output } => {
                self.hold(*output, Held::Turned { input: *input, rotation: *rotation });
                Ok(())
            }
            Role::Attention(attention) => self.attention(attention),
            Role::GatedActivation { gate, up, activation, output } => {
                if self.gate_is_one_kernel(*gate, *up) {
                    return self.gated([*gate, *up], *activation, *output);
                }
                self.hold(*output, Held::Gated { gate: *gate, up: *up, activation: *activation });
                Ok(())
            }
            Role::Residual { input, branch, scale: 1.0, output } => self.residual(*input, *branch, *output),
            Role::LastRow { input, count, output } => self.last_row(*input, *count, *output),
            Role::ArgMax { input, output } => self.arg_max(*input, *output),
            Role::RmsNorm { .. } => Err(self.no_kernel("a norm of each head")),
            Role::LayerNorm { .. } => Err(self.no_kernel("a layer norm")),
            Role::PositionRows { .. } => Err(self.no_kernel("learned positions")),
            Role::Activate { .. } => Err(self.no_kernel("an activation without a gate")),
            Role::Residual { .. } => Err(self.no_kernel("a sum with a scaled term")),
            Role::RowGate { .. } | Role::Experts(_) => Err(self.no_kernel("a mixture of experts")),
            Role::Scale { .. } => Err(self.no_kernel("scaled logits")),
            Role::SoftCap { .. } => Err(self.no_kernel("capped logits")),
            // Kernels work these out from positions.
            Role::RopeRows { .. } | Role::HiddenZero { .. } => Ok(()),
            Role::CausalMask { .. } | Role::CountMask { .. } => Ok(()),
        }
    }

    fn embed(
        &mut self,
        [table, tokens]: [Handle<Value>; 2],
        scale: f32,
        output: Handle<Value>,
    ) -> Result<(), CpuError> {
        let [_, width] = self.dims(output)?;
        let (weights, format) = self.tiles(table)?;
        // Stored either way round, the table has a row of this width for each token.
        let vocabulary = self.elements(table) / width.max(1);
        let rows = self.rows(output);
        let tokens = self.argument(tokens)?;
        let y = self.new_slot(rows.max() * width);
        let tokens = self.whole(Buffer::Argument(tokens), rows.max(), Access::Read);
        let pointers = vec![weights, tokens, self.slot(y, Access::Write)];
        let scalars =
            vec![rows.scalar(), Scalar::Index(width), Scalar::Index(vocabulary), Scalar::Float(scale)];
        self.call(format!("embed_{}", format.name()), pointers, scalars);
        self.hold(output, Held::Slot(y));
        Ok(())
    }

    fn last_row(
        &mut self,
        input: Handle<Value>,
        count: Handle<Value>,
        output: Handle<Value>,
    ) -> Result<(), CpuError> {
        let count = self.scalar_argument(count)?;
        let [rows, width] = self.dims(input)?;
        self.bound(count, 1, rows);
        self.hold(output, Held::LastRow { input, count, width });
        Ok(())
    }

    fn arg_max(&mut self, input: Handle<Value>, output: Handle<Value>) -> Result<(), CpuError> {
        let [_, width] = self.dims(input)?;
        let rows = self.rows(input);
        let logits = self.read(input)?;
        let next = self.output_pointer(output, rows.max())?;
        self.call("argmax".to_owned(), vec![logits, next], vec![rows.scalar(), Scalar::Index(width)]);
        Ok(())
    }

    /// What a value will be multiplied as: the prologue, what it reads, and epsilon.
    fn prologue(&mut self, value: Handle<Value>) -> Result<PrologueInputs, CpuError> {
        let unused = self.unused();
        Ok(match self.held_as(value)? {
            Held::Normed { input, gain, epsilon } => PrologueInputs {
                prologue: Prologue::RmsNorm,
                x: self.read(input)?,
                aux: unused,
                gain: self.vector(gain)?,
                epsilon,
            },
            Held::Gated { gate, up, activation } => PrologueInputs {
                prologue: match activation {
                    Activation::Silu => Prologue::SiluMul,
                    Activation::GeluTanh => Prologue::GeluMul,
                },
                x: self.read(gate)?,
                aux: self.read(up)?,
                gain: unused,
                epsilon: 0.0,
            },
            Held::Slot(_) | Held::Result(_) | Held::LastRow { .. } => PrologueInputs {
                prologue: Prologue::None,
                x: self.read(value)?,
                aux: unused.clone(),
                gain: unused,
                epsilon: 0.0,
            },
            Held::Turned { .. } => return Err(self.no_kernel("a product with heads turned by rope")),
        })
    }

    /// The weights of a parameter that is stored in tiles, and their format.
    fn tiles(&self, param: Handle<Value>) -> Result<(Pointer, TileFormat), CpuError> {
        let (handle, spec) = self.parameter(param)?;
        let Storage::Tiles(format) = spec.storage else {
            return Err(CpuError::NotTiles { param: spec.name.clone() });
        };
        let bytes = spec.archive_type().element_count().unwrap_or(0);
        Ok((self.whole(Buffer::Param(handle), bytes, Access::Read), format))
    }

    /// A parameter that is stored as a plain vector.
    fn vector(&self, param: Handle<Value>) -> Result<Pointer, CpuError> {
        let (handle, spec) = self.parameter(param)?;
        if spec.storage != Storage::Dense || spec.element_type != ElementType::F32 {
            return Err(CpuError::NotPlain { param: spec.name.clone() });
        }
        let length = spec.tensor_type().element_count().unwrap_or(0);
        Ok(self.whole(Buffer::Param(handle), length, Access::Read))
    }

    fn parameter(&self, value: Handle<Value>) -> Result<(Handle<ParamSpec>, &'g ParamSpec), CpuError> {
        match self.function.values[self.origin(value)].op {
            Op::Parameter { param } => Ok((param, &self.graph.params[param])),
            _ => Err(self.no_kernel("weights that are computed")),
        }
    }

    fn call(&mut self, kernel: String, pointers: Vec<Pointer>, scalars: Vec<Scalar>) {
        let scope = self.span.map_or(Handle::from_index(0), |span| span.scope);
        self.calls.push(Call { kernel, scope, pointers, scalars });
    }

    /// The error for what the role at hand asks for.
    fn no_kernel(&self, what: &'static str) -> CpuError {
        CpuError::NoKernel {
            function: self.function.name.clone(),
            scope: self.span.map(|span| self.graph.scopes.path(span.scope)).unwrap_or_default(),
            what,
        }
    }
}

/// What a product reads before it multiplies.
struct PrologueInputs {
    prologue: Prologue,
    x: Pointer,
    aux: Pointer,
    gain: Pointer,
    epsilon: f32,
}
