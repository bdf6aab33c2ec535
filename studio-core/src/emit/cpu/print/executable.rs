//! The executable: the kernels' bitcode, their declarations, and the shims that call them.

use super::super::{Buffer, Call, Place, Scalar};
use super::object::{Object, attribute};
use super::{EXECUTABLE, Printed, WORKGROUPS, shim};
use crate::emit::mlir::{List, Symbol, Writer};
use std::collections::BTreeMap;

/// The kernel that waits for a phase.
pub(super) const WAIT: &str = "wait";

pub(super) fn print(out: &mut Writer, functions: &[Printed<'_>], objects: &[Object<'_>]) {
    let head = format!(
        "stream.executable private {} attributes {{hal.executable.objects = {}}}",
        Symbol(EXECUTABLE),
        attribute(objects)
    );
    out.block(head, "", |out| {
        for function in functions {
            for dispatch in 0..function.plan.dispatches.len() {
                print_export(out, &function.shim(dispatch));
            }
        }
        out.block("builtin.module", "", |out| {
            print_declarations(out, functions);
            for function in functions {
                for dispatch in 0..function.plan.dispatches.len() {
                    shim::print(out, function, dispatch);
                }
            }
        });
    });
}

fn print_export(out: &mut Writer, shim: &str) {
    let head =
        format!("stream.executable.export public {} workgroups() -> (index, index, index)", Symbol(shim));
    out.block(head, "", |out| {
        out.line(format_args!("%workgroups = arith.constant {WORKGROUPS} : index"));
        out.line("%one = arith.constant 1 : index");
        out.line("stream.return %workgroups, %one, %one : index, index, index");
    });
}

fn print_declarations(out: &mut Writer, functions: &[Printed<'_>]) {
    let mut kernels =
        BTreeMap::from([(WAIT.to_owned(), List(["memref<i32>", "index", "index"]).to_string())]);
    for function in functions {
        for planned in function.plan.calls() {
            let kernel = planned.call.kernel.clone();
            kernels.entry(kernel).or_insert_with(|| signature(function, &planned.call));
        }
    }
    for (kernel, types) in kernels {
        let kernel = Symbol(&kernel);
        out.line(format_args!(
            "func.func private {kernel}({types}) attributes {{hal.import.static, llvm.bareptr = true}}"
        ));
    }
}

/// The types of a kernel's arguments.
pub(super) fn signature(function: &Printed<'_>, call: &Call) -> String {
    let mut types = vec!["memref<i32>, index".to_owned(), "index".to_owned()];
    types.extend(call.pointers.iter().map(|pointer| {
        let (place, _) = function.plan.place(pointer);
        format!("memref<{}>, index", element_type(function, place))
    }));
    types.extend(call.scalars.iter().map(|scalar| match scalar {
        Scalar::Index(_) | Scalar::Argument(_) | Scalar::Times(..) => "index".to_owned(),
        Scalar::Float(_) => "f32".to_owned(),
    }));
    List(types).to_string()
}

/// The type of what a place holds, as kernels see it.
pub(super) fn element_type(function: &Printed<'_>, place: Place) -> crate::graph::ElementType {
    use crate::graph::{ElementType, Type};
    match place {
        Place::Team => ElementType::I32,
        Place::Scratch | Place::Whole(Buffer::Slot(_)) => ElementType::F32,
        Place::Whole(Buffer::Param(param)) => function.graph.params[param].archive_type().element_type,
        Place::Whole(Buffer::Argument(index)) => match &function.function.arguments[index].ty {
            Type::Tensor(tensor) => tensor.element_type,
            Type::Scalar(element_type) => *element_type,
        },
        Place::Whole(Buffer::Result(index)) => {
            let value = function.function.results[index].value;
            function.function.values[value]
                .ty
                .as_tensor()
                .map_or(ElementType::F32, |tensor| tensor.element_type)
        }
        Place::Whole(Buffer::OwnCache) => {
            function.plan.own_cache.map_or(ElementType::F16, |cache| cache.element_type)
        }
    }
}
