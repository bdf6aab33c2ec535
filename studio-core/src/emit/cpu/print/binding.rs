//! What a dispatch is bound to, and in which order: what there is already, then what it makes.

use super::super::plan::Address;
use super::super::{Buffer, Dispatch, FunctionPlan, Place, Scalar};
use crate::graph::{Checked, ElementType, Function, TensorType, Type};
use std::collections::{BTreeMap, BTreeSet};
use studio_kernels::abi::PHASE_WORDS;

/// The bindings of a dispatch.
pub(super) struct Bindings {
    /// In the order of the shim's arguments.
    pub(super) list: Vec<Binding>,
    /// Arguments of the function, by index, that the dispatch is given by value.
    pub(super) scalars: Vec<usize>,
}

/// Memory that a dispatch is bound to.
pub(super) struct Binding {
    pub(super) place: Place,
    /// The type outside of the executable.
    pub(super) ty: TensorType,
    pub(super) written: bool,
    /// Whether there was none before this dispatch.
    pub(super) new: bool,
}

impl Binding {
    /// Its elements.
    pub(super) fn length(&self) -> u64 {
        self.ty.element_count().unwrap_or(0)
    }
}

/// The bindings of all dispatches of a function.
pub(super) fn of_dispatches(graph: &Checked<'_>, function: &Function, plan: &FunctionPlan) -> Vec<Bindings> {
    let mut made = BTreeSet::new();
    let of_dispatch = |dispatch: &Dispatch| {
        let mut written = BTreeMap::from([(Place::Team, true)]);
        for pointer in dispatch.calls.iter().flat_map(|planned| &planned.call.pointers) {
            *written.entry(plan.place(pointer).0).or_default() |= pointer.access.writes();
        }
        let binding = |(place, written)| {
            let new = matches!(place, Place::Scratch | Place::Whole(Buffer::Result(_))) && made.insert(place);
            Binding { place, ty: tensor_type(graph, function, plan, place), written, new }
        };
        let mut list: Vec<Binding> = written.into_iter().map(binding).collect();
        list.sort_by_key(|binding| binding.new);
        Bindings { list, scalars: scalars(dispatch) }
    };
    plan.dispatches.iter().map(of_dispatch).collect()
}

fn tensor_type(graph: &Checked<'_>, function: &Function, plan: &FunctionPlan, place: Place) -> TensorType {
    let tensor = |ty: &Type| match ty {
        Type::Tensor(tensor) => tensor.clone(),
        Type::Scalar(element_type) => TensorType::new([], *element_type),
    };
    match place {
        Place::Team => TensorType::new([(plan.calls().count() * PHASE_WORDS) as u64], ElementType::I32),
        Place::Scratch | Place::Whole(Buffer::Slot(_)) => {
            TensorType::new([plan.scratch_length], ElementType::F32)
        }
        Place::Whole(Buffer::Param(param)) => graph.params[param].archive_type(),
        Place::Whole(Buffer::Argument(index)) => tensor(&function.arguments[index].ty),
        Place::Whole(Buffer::Result(index)) => tensor(&function.values[function.results[index].value].ty),
        Place::Whole(Buffer::OwnCache) => {
            let (length, element_type) =
                plan.own_cache.map_or((0, ElementType::F16), |cache| (cache.length, cache.element_type));
            TensorType::new([length], element_type)
        }
    }
}

fn scalars(dispatch: &Dispatch) -> Vec<usize> {
    let mut found = BTreeSet::new();
    for planned in &dispatch.calls {
        found.extend(planned.call.scalars.iter().filter_map(|scalar| match scalar {
            Scalar::Argument(index) | Scalar::Times(index, _) => Some(*index),
            Scalar::Index(_) | Scalar::Float(_) => None,
        }));
        found.extend(planned.call.pointers.iter().filter_map(|pointer| match pointer.address {
            Address::LastRow { count, .. } => Some(count),
            Address::First | Address::Buffer => None,
        }));
    }
    found.into_iter().collect()
}
