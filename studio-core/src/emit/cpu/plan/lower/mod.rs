//! From roles to calls, in the order of the roles.
//!
//! What a kernel does on its way is not computed by itself: a norm or a gate becomes the prologue of the products that
//! read it, a sum with the hidden state the epilogue of the product that it adds, a turn by positions part of the
//! attention. What is left over, such as a norm behind a product, is for the kernel `combine`.

mod attention;
mod experts;
mod pending;
mod product;
mod value;

use super::super::CpuError;
use super::call::{Access, Bounds, Buffer, Call, OwnCache, Pointer, Scalar};
use crate::graph::{Checked, ElementType, Function, Handle, Op, ParamSpec, Role, RoleSpan, Storage, Value};
use crate::options::CpuOptions;
use pending::Pending;
use std::collections::HashMap;
use studio_kernels::TileFormat;
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

    /// How many there are if each is `factor` rows.
    fn times(self, factor: u64) -> Scalar {
        match self {
            Rows::One => Scalar::Index(factor),
            Rows::Fixed(rows) => Scalar::Index(rows * factor),
            Rows::Counted { argument, .. } if factor == 1 => Scalar::Argument(argument),
            Rows::Counted { argument, .. } => Scalar::Times(argument, factor),
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
    /// The tokens whose rows were looked up last.
    tokens: Option<Pointer>,
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
            tokens: None,
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
            Role::PositionRows { table, first, output } => self.position_rows(*table, *first, *output),
            Role::RmsNorm { input, gain, epsilon, output } => {
                let (input, gain, epsilon) = (*input, *gain, *epsilon);
                self.pend(*output, Pending::RmsNorm { input, gain, epsilon })
            }
            Role::LayerNorm { input, gain, bias, epsilon, output } => {
                let (input, gain, bias, epsilon) = (*input, *gain, *bias, *epsilon);
                self.pend(*output, Pending::LayerNorm { input, gain, bias, epsilon })
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
                self.pend(*output, Pending::Gated { gate: *gate, up: *up, activation: *activation })
            }
            Role::Activate { input, activation, output } => {
                self.pend(*output, Pending::Activated { input: *input, activation: *activation })
            }
            Role::Experts(experts) => self.experts(experts),
            Role::RowGate { input, logits, output } => {
                self.pend(*output, Pending::RowGated { input: *input, logits: *logits })
            }
            Role::Residual { input, branch, scale, output } => {
                self.residual(*input, *branch, *scale, *output)
            }
            Role::Scale { input, factor, output } => self.scale(*input, *factor, *output),
            Role::SoftCap { input, cap, output } => {
                self.pend(*output, Pending::SoftCapped { input: *input, cap: *cap })?;
                self.combine(*output, None, 1.0, *output).map(|_written| ())
            }
            Role::LastRow { input, count, output } => self.last_row(*input, *count, *output),
            Role::ArgMax { input, output } => self.arg_max(*input, *output),
            // Kernels work these out from positions.
            Role::RopeRows { .. } | Role::HiddenZero { .. } => Ok(()),
            Role::CausalMask { .. } | Role::CountMask { .. } => Ok(()),
        }
    }

    /// Leaves a value to those that read it.
    fn pend(&mut self, value: Handle<Value>, pending: Pending) -> Result<(), CpuError> {
        self.hold(value, Held::Pending(pending));
        Ok(())
    }

    fn embed(
        &mut self,
        [table, tokens]: [Handle<Value>; 2],
        scale: f32,
        output: Handle<Value>,
    ) -> Result<(), CpuError> {
        let tokens = self.argument(tokens)?;
        let tokens = self.whole(Buffer::Argument(tokens), self.rows(output).max(), Access::Read);
        self.tokens = Some(tokens.clone());
        self.table_rows(table, (tokens, [Scalar::Index(1), Scalar::Index(0)]), scale, output)
    }

    /// The vectors of consecutive positions are rows of a table, too.
    fn position_rows(
        &mut self,
        table: Handle<Value>,
        first: Option<Handle<Value>>,
        output: Handle<Value>,
    ) -> Result<(), CpuError> {
        let first = match first {
            Some(first) => Scalar::Argument(self.scalar_argument(first)?),
            None => Scalar::Index(0),
        };
        // The entry point is given tokens, though it doesn't read them.
        let Some(tokens) = self.tokens.clone() else {
            return Err(self.no_kernel("positions of something that has no tokens"));
        };
        let tokens = Pointer { range: 0..0, access: Access::None, ..tokens };
        self.table_rows(table, (tokens, [Scalar::Index(0), first]), 1.0, output)
    }

    /// Rows of a table: those whose numbers stand somewhere, or consecutive ones.
    fn table_rows(
        &mut self,
        table: Handle<Value>,
        (tokens, which): (Pointer, [Scalar; 2]),
        scale: f32,
        output: Handle<Value>,
    ) -> Result<(), CpuError> {
        let [_, width] = self.dims(output)?;
        let (weights, format) = self.tiles(table)?;
        // Stored either way round, the table has a row of this width for each token.
        let vocabulary = self.elements(table) / width.max(1);
        let rows = self.rows(output);
        let y = self.output_pointer(output, rows.max() * width)?;
        let mut scalars = vec![rows.scalar(), Scalar::Index(width), Scalar::Index(vocabulary)];
        scalars.extend(which);
        scalars.push(Scalar::Float(scale));
        self.call(format!("embed_{}", format.name()), vec![weights, tokens, y], scalars);
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
    fn no_kernel(&self, what: impl Into<String>) -> CpuError {
        CpuError::NoKernel {
            function: self.function.name.clone(),
            scope: self.span.map(|span| self.graph.scopes.path(span.scope)).unwrap_or_default(),
            what: what.into(),
        }
    }
}
