//! The shim of a dispatch: it gives the kernels plain addresses and numbers.

use super::super::plan::Address;
use super::super::{Place, PlannedCall, Pointer, Scalar};
use super::executable::{WAIT, signature};
use super::{Printed, memref};
use crate::emit::mlir::{List, Literal, Symbol, Writer};
use crate::graph::{Constant, Handle, Scope};
use std::collections::{BTreeMap, BTreeSet};
use studio_kernels::abi::PHASE_WORDS;

/// The word of a phase's counters that isn't 0 when the phase is complete.
const COMPLETE_WORD: usize = 2;

pub(super) fn print(out: &mut Writer, function: &Printed<'_>, dispatch: usize) {
    let bindings = &function.bindings[dispatch];
    let calls = &function.plan.dispatches[dispatch].calls;
    let shim = Shim {
        function,
        dispatch,
        places: bindings.list.iter().enumerate().map(|(index, binding)| (binding.place, index)).collect(),
    };
    let memory = (0..bindings.list.len()).map(|index| format!("%binding{index}: !stream.binding"));
    let scalars = bindings.scalars.iter().map(|&index| format!("{}: index", shim.argument(index)));
    let arguments = List(memory.chain(scalars).collect::<Vec<_>>());
    let name = function.shim(dispatch);
    out.block(format_args!("func.func {}({arguments})", Symbol(&name)), "", |out| {
        print_constants(out, &shim, calls);
        for (index, binding) in bindings.list.iter().enumerate() {
            let element_type = binding.ty.element_type;
            let flat = memref(binding.length(), element_type);
            out.line(format_args!(
                "%memory{index} = stream.binding.subspan %binding{index}[%i0] : !stream.binding -> {flat}"
            ));
            out.line(format_args!(
                "%base{index}, %offset{index}, %size{index}, %stride{index} = \
                 iree_codegen.extract_strided_metadata %memory{index} : {flat} -> memref<{element_type}>, index, \
                 index, index"
            ));
        }
        shim.print_calls(out, calls);
        out.line("return");
    });
}

fn print_scope(
    out: &mut Writer,
    function: &Printed<'_>,
    current: &mut Option<Handle<Scope>>,
    scope: Handle<Scope>,
) {
    if current.replace(scope) != Some(scope) {
        let path = function.graph.scopes.path(scope);
        out.line(format_args!("// {}", if path.is_empty() { "model" } else { &path }.escape_debug()));
    }
}

/// All numbers that the shim needs, each once.
fn print_constants(out: &mut Writer, shim: &Shim<'_>, calls: &[PlannedCall]) {
    let mut indices: BTreeSet<u64> = calls.last().map(complete).into_iter().chain([0]).collect();
    let mut floats = BTreeSet::new();
    for planned in calls {
        indices.insert(planned.phase as u64);
        indices.extend(planned.waits.iter().map(|&phase| phase as u64));
        for scalar in &planned.call.scalars {
            match scalar {
                Scalar::Index(value) => {
                    indices.insert(*value);
                }
                Scalar::Float(value) => {
                    floats.insert(value.to_bits());
                }
                Scalar::Times(_, factor) => {
                    indices.insert(*factor);
                }
                Scalar::Argument(_) => {}
            }
        }
        for pointer in &planned.call.pointers {
            indices.insert(shim.start(pointer));
            if let Address::LastRow { width, .. } = pointer.address {
                indices.extend([1, width]);
            }
        }
    }
    for value in indices {
        out.line(format_args!("%i{value} = arith.constant {value} : index"));
    }
    for bits in floats {
        let value = Literal(Constant::F32(f32::from_bits(bits)));
        out.line(format_args!("{} = arith.constant {value} : f32", float_name(bits)));
    }
}

/// Where the counters say that a call's phase is complete.
fn complete(planned: &PlannedCall) -> u64 {
    (planned.phase * PHASE_WORDS + COMPLETE_WORD) as u64
}

fn float_name(bits: u32) -> String {
    format!("%f{bits:08x}")
}

struct Shim<'a> {
    function: &'a Printed<'a>,
    dispatch: usize,
    /// Which binding each place is.
    places: BTreeMap<Place, usize>,
}

impl Shim<'_> {
    /// Prints the calls, which a workgroup leaves out that comes when the last of them is complete: then all chunks of
    /// all of them were claimed by others.
    fn print_calls(&self, out: &mut Writer, calls: &[PlannedCall]) {
        let Some(last) = calls.last() else { return };
        let team = self.places[&Place::Team];
        let length = self.function.bindings[self.dispatch].list[team].length();
        out.line(format_args!(
            "%complete = memref.load %memory{team}[%i{}] : memref<{length}xi32>",
            complete(last)
        ));
        out.line("%zero = arith.constant 0 : i32");
        out.line("%open = arith.cmpi eq, %complete, %zero : i32");
        out.block("scf.if %open", "", |out| {
            let mut scope = None;
            for (number, planned) in calls.iter().enumerate() {
                print_scope(out, self.function, &mut scope, planned.call.scope);
                self.print_call(out, number, planned);
            }
        });
    }

    fn print_call(&self, out: &mut Writer, number: usize, planned: &PlannedCall) {
        let team = self.places[&Place::Team];
        for phase in &planned.waits {
            out.line(format_args!(
                "func.call {}(%base{team}, %offset{team}, %i{phase}) : (memref<i32>, index, index) -> ()",
                Symbol(WAIT)
            ));
        }
        let call = &planned.call;
        let mut arguments = vec![format!("%base{team}, %offset{team}"), format!("%i{}", planned.phase)];
        for (index, pointer) in call.pointers.iter().enumerate() {
            arguments.push(self.address(out, &format!("%a{number}_{index}"), pointer));
        }
        for (index, scalar) in call.scalars.iter().enumerate() {
            arguments.push(match scalar {
                Scalar::Index(value) => format!("%i{value}"),
                Scalar::Float(value) => float_name(value.to_bits()),
                Scalar::Argument(argument) => self.argument(*argument),
                Scalar::Times(argument, factor) => {
                    let (name, argument) = (format!("%s{number}_{index}"), self.argument(*argument));
                    out.line(format_args!("{name} = arith.muli {argument}, %i{factor} : index"));
                    name
                }
            });
        }
        let signature = signature(self.function, call);
        let (kernel, arguments) = (Symbol(&call.kernel), List(arguments));
        out.line(format_args!("func.call {kernel}({arguments}) : ({signature}) -> ()"));
    }

    /// Prints what computes an address, and gives the address: a base and a number of elements.
    fn address(&self, out: &mut Writer, name: &str, pointer: &Pointer) -> String {
        let binding = self.places[&self.function.plan.place(pointer).0];
        let start = self.start(pointer);
        let mut offset = format!("%offset{binding}");
        if start != 0 {
            out.line(format_args!("{name} = arith.addi {offset}, %i{start} : index"));
            offset = name.to_owned();
        }
        if let Address::LastRow { count, width } = pointer.address {
            let count = self.argument(count);
            out.line(format_args!("{name}_row = arith.subi {count}, %i1 : index"));
            out.line(format_args!("{name}_elements = arith.muli {name}_row, %i{width} : index"));
            out.line(format_args!("{name}_last = arith.addi {offset}, {name}_elements : index"));
            offset = format!("{name}_last");
        }
        format!("%base{binding}, {offset}")
    }

    /// The element of the place that a kernel is given the address of, but for the row.
    fn start(&self, pointer: &Pointer) -> u64 {
        match pointer.address {
            Address::First | Address::LastRow { .. } => self.function.plan.place(pointer).1.start,
            Address::Buffer => 0,
        }
    }

    /// The name of an argument that the function is given by value.
    fn argument(&self, index: usize) -> String {
        format!("%{}", self.function.function.arguments[index].name)
    }
}
