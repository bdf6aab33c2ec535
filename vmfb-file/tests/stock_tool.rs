//! The metadata is byte for byte what IREE's own tool prints; executables and dispatches are those that the compiler
//! made.

mod common;

use common::{CPU, compile, compiler, output, tool};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use vmfb_file::Vmfb;

const AARCH64: &str = "--iree-llvmcpu-target-triple=aarch64-none-linux-gnu";
const ARMV7: &str = "--iree-llvmcpu-target-triple=armv7a-linux-gnueabihf";
const X86: &str = "--iree-llvmcpu-target-triple=x86_64-unknown-linux-gnu";
const GENERIC: &str = "--iree-llvmcpu-target-cpu=generic";
const PLAIN: &str = "--iree-vm-emit-polyglot-zip=false";

fn read(name: &str, flags: &[&str]) -> Vmfb {
    let path = compile(name, flags);
    let module = Vmfb::read(&fs::read(&path).expect("it was compiled")).expect("a module of the compiler");
    let stock =
        output(Command::new(tool("iree/_runtime_libs/iree-dump-module")).arg("--output=metadata").arg(&path));
    let ours = module.metadata().to_string();
    for (line, (ours, stock)) in ours.lines().zip(stock.lines()).enumerate() {
        assert_eq!(ours, stock, "{name}, line {}", line + 1);
    }
    assert!(ours == stock, "{name}: as many lines");
    module
}

#[test]
fn modules_for_processors_read_as_the_stock_tool_has_them() {
    let targets = [
        ("x86", vec![CPU, X86, GENERIC], "x86_64", "embedded-elf-x86_64"),
        ("x86-plain", vec![CPU, X86, GENERIC, PLAIN], "x86_64", "embedded-elf-x86_64"),
        ("arm64", vec![CPU, AARCH64, GENERIC], "arm_64", "embedded-elf-arm_64"),
        ("armv7", vec![CPU, ARMV7, GENERIC], "arm_32", "embedded-elf-arm_32"),
    ];
    for (name, flags, architecture, format) in targets {
        let module = read(name, &flags);
        let [executable] = &module.executables[..] else { panic!("{name}: {:?}", module.executables) };
        assert_eq!(executable.architecture.as_deref(), Some(architecture), "{name}");
        assert_eq!(executable.format, format, "{name}");
        let named = executable.functions.iter().map(|function| function.name.as_str());
        assert_eq!(named.collect::<Vec<_>>(), dispatches(&flags), "{name}");
        assert!(executable.functions.iter().all(|function| function.bindings >= 2), "{name}");
        assert!(executable.functions.iter().all(|function| function.code_bytes.unwrap_or(0) > 0), "{name}");
        let sites: BTreeSet<&str> = module.sites.iter().map(|site| site.dispatch.as_str()).collect();
        assert_eq!(sites, dispatches(&flags).iter().map(String::as_str).collect(), "{name}");
    }
}

/// What the compiler calls the functions of its executables, in order.
fn dispatches(flags: &[&str]) -> Vec<String> {
    let work = tempfile::tempdir().expect("a temporary folder");
    let text = output(compiler(work.path()).args(flags).arg("--compile-to=executable-sources"));
    let name = |line: &str| {
        let rest = line.trim().strip_prefix("hal.executable.export public @")?;
        Some(rest.split_once(' ')?.0.to_owned())
    };
    text.lines().filter_map(name).collect()
}

#[test]
fn a_module_of_portable_bytecode_is_read_too() {
    let module = read("vmvx", &["--iree-hal-local-target-device-backends=vmvx"]);
    let [executable] = &module.executables[..] else { panic!("{:?}", module.executables) };
    assert_eq!(executable.format, "vmvx-bytecode-fb");
    assert_eq!(executable.architecture, None);
}

#[test]
fn a_module_without_what_debuggers_want_is_read_too() {
    let stripped = ["--iree-vm-bytecode-module-strip-source-map", "--iree-hal-executable-debug-level=0"];
    let module = read("stripped", &[&[CPU, X86, GENERIC], &stripped[..]].concat());
    assert_eq!(module.module.location_count, None);
    assert_eq!(module.executables.len(), 1);
}
