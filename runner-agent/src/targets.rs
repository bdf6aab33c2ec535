//! The machines that a bundle can be compiled for, and the flags that say so to `iree-compile`.

use crate::machine;
use std::collections::BTreeSet;
use studio_core::options::Form;
use studio_protocol::{ErrorCode, WireError};

/// A machine to compile for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// What people call it; the module's file is `NAME.vmfb`.
    pub name: &'static str,
    /// A line for help texts.
    pub about: &'static str,
    /// Flags that choose the machine.
    machine: &'static [&'static str],
    /// What the flags let the compiler use beyond the architecture's baseline, by LLVM's names, as far as a runner can
    /// tell whether it has it.
    features: &'static [&'static str],
    /// Whether the code that comes out depends on the machine that compiles it.
    pub host_dependent: bool,
}

/// Every target, `host` first.
pub const TARGETS: &[Target] = &[
    Target {
        name: "host",
        about: "this machine's processor, with all that it can do",
        machine: &["--iree-llvmcpu-target-cpu=host"],
        features: &[],
        host_dependent: true,
    },
    Target {
        name: "arm64",
        about: "64-bit ARM with dot products (ARMv8.2): phones since 2018, boards, servers",
        machine: &[
            "--iree-llvmcpu-target-triple=aarch64-unknown-linux-gnu",
            "--iree-llvmcpu-target-cpu=generic",
            "--iree-llvmcpu-target-cpu-features=+v8.2a,+fullfp16,+dotprod",
        ],
        features: &["crc", "dotprod", "fullfp16", "lse", "rdm"],
        host_dependent: false,
    },
    Target {
        name: "arm32",
        about: "32-bit ARM with NEON (ARMv7-A)",
        machine: &[
            "--iree-llvmcpu-target-triple=armv7a-unknown-linux-gnueabihf",
            "--iree-llvmcpu-target-cpu=generic",
            "--iree-llvmcpu-target-cpu-features=+v7,+neon,+vfp4",
        ],
        features: &[],
        host_dependent: false,
    },
    Target {
        name: "x86_64",
        about: "64-bit x86 with AVX2 (x86-64-v3): PCs since 2013",
        machine: &[
            "--iree-llvmcpu-target-triple=x86_64-unknown-linux-gnu",
            "--iree-llvmcpu-target-cpu=x86-64-v3",
        ],
        features: &[
            "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse3", "sse4.1",
            "sse4.2", "ssse3",
        ],
        host_dependent: false,
    },
];

/// The architecture that a target's code is for, as runners name theirs; `None` for `host`, whose code is for the machine
/// that compiled it.
pub fn architecture(target: &str) -> Option<&'static str> {
    match target {
        "arm64" => Some("aarch64"),
        "arm32" => Some("arm"),
        "x86_64" => Some("x86_64"),
        _ => None,
    }
}

/// IREE's name of the executables for an architecture: what the kernels in a text are found by.
fn executable_format(architecture: &str) -> &'static str {
    match architecture {
        "aarch64" => "embedded-elf-arm_64",
        "arm" => "embedded-elf-arm_32",
        _ => "embedded-elf-x86_64",
    }
}

/// Flags that every CPU target shares.
const CPU: &[&str] = &["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"];

/// The target of a name.
pub fn find(name: &str) -> Result<&'static Target, WireError> {
    TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
        let known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        WireError::new(ErrorCode::BadMessage, format!("unknown target \"{name}\""))
            .hint(format!("The targets are {}", known.join(", ")))
    })
}

impl Target {
    /// What `iree-compile` is told to compile a bundle of this form for this target.
    pub fn flags(&self, form: Form) -> Vec<String> {
        let form: &[&str] = match form {
            Form::Stablehlo => &["--iree-opt-data-tiling"],
            // Weights lie as the kernels read them: nothing is to be packed again.
            Form::Cpu(_) => &[],
        };
        [CPU, self.machine, form].concat().into_iter().map(str::to_owned).collect()
    }

    /// Refuses a text of the cpu form that has no kernels for this target's architecture: the compiler would say that
    /// symbols are undefined.
    pub fn check_kernels(&self, form: Form, mlir: &str) -> Result<(), WireError> {
        let Form::Cpu(cpu) = form else { return Ok(()) };
        let architecture = architecture(self.name).unwrap_or(std::env::consts::ARCH);
        if mlir.contains(executable_format(architecture)) {
            return Ok(());
        }
        let name = cpu.kernels.name();
        let hint = match architecture {
            "aarch64" => {
                "Export the model again with --kernels dotprod, or portable for processors before ARMv8.2. Where the \
                 program says that it has none, `./dev setup arm64` and then `./dev build` make one that has"
            }
            "x86_64" => "Export the model again with --kernels avx2, avx512vnni or portable",
            _ => "Export the model again with --form stablehlo",
        };
        let message = format!("the bundle's {name} kernels are not for {architecture}");
        Err(WireError::new(ErrorCode::BadMessage, message).hint(hint))
    }

    /// What a module of a bundle of this form may use of a processor beyond the architecture's baseline, by LLVM's
    /// names, sorted: what the compiler may, and what the kernels in the text do.
    pub fn cpu_features(&self, form: Form) -> Vec<String> {
        let kernels = match form {
            Form::Stablehlo => &[],
            Form::Cpu(cpu) => cpu.kernels.cpu_features(),
        };
        let compiler = if self.host_dependent { machine::cpu_features() } else { self.features.to_vec() };
        let all: BTreeSet<&str> = compiler.into_iter().chain(kernels.iter().copied()).collect();
        all.into_iter().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_core::options::{CpuOptions, Kernels};

    #[test]
    fn a_module_needs_what_its_target_and_its_kernels_need() {
        let features = |name: &str, form| find(name).unwrap().cpu_features(form);
        let cpu = |kernels| Form::Cpu(CpuOptions::of(kernels));
        assert_eq!(features("host", Form::Stablehlo), machine::cpu_features());
        assert_eq!(features("arm64", cpu(Kernels::Portable)), features("arm64", Form::Stablehlo));
        let with_kernels = features("x86_64", cpu(Kernels::Avx512Vnni));
        assert!(
            with_kernels.is_sorted() && with_kernels.contains(&"avx512vnni".to_owned()),
            "{with_kernels:?}"
        );
        assert!(with_kernels.contains(&"movbe".to_owned()), "{with_kernels:?}");
    }

    #[test]
    fn kernels_for_another_architecture_are_refused_with_those_to_take() {
        let target = |name| find(name).unwrap();
        let form = Form::Cpu(CpuOptions::of(Kernels::Dotprod));
        let text = "#hal.executable.target<\"llvm-cpu\", \"embedded-elf-arm_64\">";
        assert_eq!(target("arm64").check_kernels(form, text), Ok(()));
        assert_eq!(target("arm32").check_kernels(Form::Stablehlo, ""), Ok(()));
        let error = target("x86_64").check_kernels(form, text).unwrap_err().to_string();
        assert!(error.starts_with("the bundle's dotprod kernels are not for x86_64."), "{error}");
        let form = Form::Cpu(CpuOptions::of(Kernels::Avx2));
        let text = text.replace("arm_64", "x86_64");
        let error = target("arm64").check_kernels(form, &text).unwrap_err().to_string();
        assert!(
            error.contains("are not for aarch64. Export the model again with --kernels dotprod"),
            "{error}"
        );
    }

    #[test]
    fn an_unknown_target_is_told_the_known_ones() {
        let error = find("sparc").unwrap_err();
        assert_eq!(error.code, ErrorCode::BadMessage);
        assert_eq!(error.to_string(), "unknown target \"sparc\". The targets are host, arm64, arm32, x86_64");
    }
}
