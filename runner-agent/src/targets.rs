//! The machines that a bundle can be compiled for, and the flags that say so to `iree-compile`.

use crate::machine;
use std::collections::BTreeSet;
use studio_core::options::{CpuOptions, Form};
use studio_protocol::{ErrorCode, WireError};

/// A machine to compile for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// What people call it; the module's file is `NAME.vmfb`.
    pub name: &'static str,
    /// Flags that choose the machine.
    machine: &'static [&'static str],
    /// What runs the code.
    device: Device,
    /// What the flags let the compiler use beyond the architecture's baseline, by LLVM's names, as far as a runner can
    /// tell whether it has it.
    features: &'static [&'static str],
    /// Whether the code that comes out depends on the machine that compiles it.
    pub host_dependent: bool,
}

/// What runs a target's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Device {
    /// A processor.
    Cpu,
    /// A graphics processor, by Vulkan. Whether numbers of 16 bits can be in its memory.
    Vulkan { has_16_bits: bool },
}

/// A target of graphics processors.
const fn vulkan(name: &'static str, machine: &'static [&'static str], has_16_bits: bool) -> Target {
    let device = Device::Vulkan { has_16_bits };
    Target { name, machine, device, features: &[], host_dependent: false }
}

/// What compiles each of [`studio_protocol::TARGETS`], in its order.
pub const TARGETS: &[Target] = &[
    Target {
        name: "host",
        machine: &["--iree-llvmcpu-target-cpu=host"],
        device: Device::Cpu,
        features: &[],
        host_dependent: true,
    },
    Target {
        name: "arm64",
        machine: &[
            "--iree-llvmcpu-target-triple=aarch64-unknown-linux-gnu",
            "--iree-llvmcpu-target-cpu=generic",
            "--iree-llvmcpu-target-cpu-features=+v8.2a,+fullfp16,+dotprod",
        ],
        device: Device::Cpu,
        features: &["crc", "dotprod", "fullfp16", "lse", "rdm"],
        host_dependent: false,
    },
    Target {
        name: "arm32",
        machine: &[
            "--iree-llvmcpu-target-triple=armv7a-unknown-linux-gnueabihf",
            "--iree-llvmcpu-target-cpu=generic",
            "--iree-llvmcpu-target-cpu-features=+v7,+neon,+vfp4",
        ],
        device: Device::Cpu,
        features: &[],
        host_dependent: false,
    },
    Target {
        name: "x86_64",
        machine: &[
            "--iree-llvmcpu-target-triple=x86_64-unknown-linux-gnu",
            "--iree-llvmcpu-target-cpu=x86-64-v3",
        ],
        device: Device::Cpu,
        features: &[
            "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse3", "sse4.1",
            "sse4.2", "ssse3",
        ],
        host_dependent: false,
    },
    vulkan("vulkan", &["--iree-vulkan-target=vp_android_baseline_2022"], false),
    vulkan("vulkan:valhall4", &["--iree-vulkan-target=valhall4"], true),
    vulkan("vulkan:adreno", &["--iree-vulkan-target=adreno"], true),
    vulkan("vulkan:rdna3", &["--iree-vulkan-target=rdna3"], true),
    vulkan("vulkan:ampere", &["--iree-vulkan-target=ampere"], true),
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

/// Whether a module for a target runs on graphics processors alone.
pub use studio_protocol::is_gpu_target as is_vulkan;

pub use studio_protocol::module_file_name as file_name;

/// Flags that every CPU target shares.
const CPU: &[&str] = &["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"];

/// Flags that every Vulkan target shares.
const VULKAN: &[&str] = &["--iree-hal-target-device=vulkan"];

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
        let (device, form): (&[&str], &[&str]) = match (self.device, form) {
            (Device::Cpu, Form::Stablehlo) => (CPU, &["--iree-opt-data-tiling"]),
            // Weights lie as the kernels read them: nothing is to be packed again.
            (Device::Cpu, Form::Cpu(_)) => (CPU, &[]),
            (Device::Vulkan { .. }, _) => (VULKAN, &[]),
        };
        [device, self.machine, form].concat().into_iter().map(str::to_owned).collect()
    }

    /// Refuses a text that the compiler would fail on, or compile to something wrong, for this target.
    pub fn check_text(&self, form: Form, mlir: &str) -> Result<(), WireError> {
        match (self.device, form) {
            (Device::Cpu, Form::Stablehlo) => Ok(()),
            (Device::Cpu, Form::Cpu(cpu)) => self.check_kernels(cpu, mlir),
            (Device::Vulkan { has_16_bits }, _) => self.check_for_vulkan(form, has_16_bits, mlir),
        }
    }

    /// Where memory has no numbers of 16 bits, what IREE 3.13 makes of them is wrong without a word.
    fn check_for_vulkan(&self, form: Form, has_16_bits: bool, mlir: &str) -> Result<(), WireError> {
        let halves = || ["bf16", "f16"].into_iter().find(|element| mlir.contains(&format!("x{element}>")));
        let what = match form {
            Form::Cpu(_) => "kernels are for processors, not for graphics processors".to_owned(),
            Form::Stablehlo if has_16_bits => return Ok(()),
            Form::Stablehlo => match halves() {
                Some(element) => {
                    format!(
                        "numbers are {element}, and not every graphics processor has numbers of 16 bits in its memory"
                    )
                }
                None => return Ok(()),
            },
        };
        Err(WireError::new(ErrorCode::BadMessage, format!("{}: the bundle's {what}", self.name)).hint(
            "Export the model again with --form stablehlo --weights f32; or name the processor, as in vulkan:adreno",
        ))
    }

    /// What to do where the compiler failed on a text for this target, where that is known.
    pub fn hint(&self, mlir: &str) -> Option<&'static str> {
        let is_gpu = matches!(self.device, Device::Vulkan { .. });
        (is_gpu && mlir.contains("xbf16>")).then_some(
            "IREE 3.13 can't compile bf16 of every shape for graphics processors: export the model again with \
             --weights f16 or --weights f32",
        )
    }

    /// Refuses a text of the cpu form that has no kernels for this target's architecture: the compiler would say that
    /// symbols are undefined.
    fn check_kernels(&self, cpu: CpuOptions, mlir: &str) -> Result<(), WireError> {
        let architecture = architecture(self.name).unwrap_or(std::env::consts::ARCH);
        if mlir.contains(executable_format(architecture)) {
            return Ok(());
        }
        let name = cpu.kernels.name();
        let hint = match architecture {
            "aarch64" => {
                "Export the model again with --kernels dotprod, i8mm for newer processors, or portable for those before \
                 ARMv8.2. Where the program says that it has none, `./dev setup arm64` and then `./dev build` make one \
                 that has"
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
    use studio_core::options::Kernels;

    #[test]
    fn every_target_is_one_that_people_are_told_of() {
        let told = studio_protocol::TARGETS.map(|target| (target.name, target.is_gpu));
        let known: Vec<_> =
            TARGETS.iter().map(|target| (target.name, target.device != Device::Cpu)).collect();
        assert_eq!(known, told);
    }

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
        assert_eq!(target("arm64").check_text(form, text), Ok(()));
        assert_eq!(target("arm32").check_text(Form::Stablehlo, ""), Ok(()));
        let error = target("x86_64").check_text(form, text).unwrap_err().to_string();
        assert!(error.starts_with("the bundle's dotprod kernels are not for x86_64."), "{error}");
        let form = Form::Cpu(CpuOptions::of(Kernels::Avx2));
        let text = text.replace("arm_64", "x86_64");
        let error = target("arm64").check_text(form, &text).unwrap_err().to_string();
        assert!(
            error.contains("are not for aarch64. Export the model again with --kernels dotprod"),
            "{error}"
        );
    }

    #[test]
    fn what_a_graphics_processor_cannot_be_given_is_refused() {
        let check = |name: &str, form, text: &str| {
            find(name).unwrap().check_text(form, text).map_err(|error| error.to_string())
        };
        let f32 = "tensor<4x8xf32>";
        assert_eq!(check("vulkan", Form::Stablehlo, f32), Ok(()));
        assert_eq!(check("vulkan:valhall4", Form::Stablehlo, "tensor<4x8xf16>"), Ok(()));
        assert_eq!(check("vulkan:adreno", Form::Stablehlo, "tensor<4x8xbf16>"), Ok(()));
        for element in ["f16", "bf16"] {
            let text = format!("tensor<4x8x{element}>");
            let refused = check("vulkan", Form::Stablehlo, &text).unwrap_err();
            assert!(refused.contains(&format!("numbers are {element}")), "{refused}");
            assert!(refused.contains("--form stablehlo --weights f32"), "{refused}");
        }
        let kernels = check("vulkan", Form::Cpu(CpuOptions::of(Kernels::Avx2)), f32).unwrap_err();
        assert!(kernels.contains("kernels are for processors"), "{kernels}");
        assert!(is_vulkan("vulkan:rdna3") && !is_vulkan("host") && !is_vulkan("sparc"));
        assert_eq!(file_name("vulkan:adreno"), "vulkan-adreno.vmfb");
    }

    #[test]
    fn an_unknown_target_is_told_the_known_ones() {
        let error = find("sparc").unwrap_err();
        assert_eq!(error.code, ErrorCode::BadMessage);
        let words = error.to_string();
        assert!(
            words.starts_with(
                "unknown target \"sparc\". The targets are host, arm64, arm32, x86_64, vulkan, "
            )
        );
    }
}
