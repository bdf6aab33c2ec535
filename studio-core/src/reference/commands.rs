//! Commands with which stock tools of IREE compile and run a bundle.

use crate::manifest::{FunctionEntry, Manifest, TensorEntry, file_name};

/// The section's heading.
pub(super) const TITLE: &str = "Running it with IREE's own tools";

/// The section of the page.
pub(super) fn section(manifest: &Manifest) -> String {
    let mut text = format!(
        "## {TITLE}\n\n\
         In this folder, with `pip install iree-base-compiler==3.13.0 iree-base-runtime==3.13.0`:\n\n\
         ```sh\n\
         iree-compile {} --iree-input-type=auto --iree-hal-target-device=local \\\n  \
         --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=host -o host.vmfb\n\
         ```\n\n\
         Each function with arguments of zeros; put token ids in their place (`--input=1x4xi32=1,2,3,4`, or \
         `--input=@file.npy`):\n\n```sh\n",
        file_name::MLIR,
    );
    for function in &manifest.functions {
        text += &run(manifest, function);
    }
    text + "```\n"
}

fn run(manifest: &Manifest, function: &FunctionEntry) -> String {
    let inputs: String =
        function.arguments.iter().map(|argument| format!(" \\\n  --input={}", zeros(argument))).collect();
    format!(
        "iree-run-module --module=host.vmfb --device=local-task --parameters={}={} \\\n  --function={}{inputs}\n",
        manifest.parameter_scope,
        file_name::IRPA,
        function.name,
    )
}

/// The argument as the tool reads it, zeros where they make sense.
fn zeros(argument: &TensorEntry) -> String {
    let tensor = argument.mlir_type.strip_prefix("tensor<").and_then(|rest| rest.strip_suffix('>'));
    // `count` says how many tokens are valid: at least one.
    let scalar = if argument.name == "count" { "1" } else { "0" };
    tensor.map_or_else(|| scalar.to_owned(), |dims| format!("{dims}=0"))
}
