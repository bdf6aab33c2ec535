//! What a bundle can be compiled for.

use studio_core::options::{ExportOptions, Form, Weights};
use studio_protocol::{GpuInfo, HOST, TARGETS, is_gpu_target};

/// The targets with their words, for a runner with these graphics processors.
pub fn choices(gpus: &[GpuInfo]) -> Vec<(&'static str, String)> {
    let words = |name: &str, about: &str| {
        let here = gpus.iter().find(|gpu| gpu.target == name);
        match here {
            Some(gpu) => format!("{name}: {}", gpu.name),
            None => format!("{name}: {about}"),
        }
    };
    TARGETS.iter().map(|target| (target.name, words(target.name, target.about))).collect()
}

/// Why a bundle can't be compiled for a target, and what to export instead; `None` where it can.
pub fn obstacle(target: &str, options: &ExportOptions) -> Option<&'static str> {
    match options.form {
        _ if !is_gpu_target(target) => None,
        Form::Cpu(_) => Some(
            "This bundle’s kernels are for processors. Export the portable form, with f32 weights, for a graphics processor.",
        ),
        Form::Stablehlo if target == "vulkan" && options.weights != Weights::F32 => Some(
            "Not every graphics processor has numbers of 16 bits in its memory. Export f32 weights, or name the processor.",
        ),
        Form::Stablehlo => None,
    }
}

/// Whether a module for a target runs on the machine that compiled it.
pub fn runs_here(target: &str) -> bool {
    target == HOST || is_gpu_target(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_core::options::{CpuOptions, Kernels};

    #[test]
    fn a_graphics_processor_that_is_there_is_called_by_its_name() {
        let gpus = [GpuInfo { name: "Mali-G715".to_owned(), target: "vulkan:valhall4".to_owned() }];
        let choices = choices(&gpus);
        assert_eq!(choices[0].0, "host");
        let of = |name: &str| choices.iter().find(|choice| choice.0 == name).unwrap().1.clone();
        assert_eq!(of("vulkan:valhall4"), "vulkan:valhall4: Mali-G715");
        assert_eq!(of("vulkan:adreno"), "vulkan:adreno: Qualcomm Adreno");
    }

    #[test]
    fn what_cannot_be_compiled_is_said_with_what_can() {
        let cpu = ExportOptions::of(Form::Cpu(CpuOptions::of(Kernels::Avx2)));
        assert_eq!(obstacle("host", &cpu), None);
        assert!(obstacle("vulkan:adreno", &cpu).unwrap().contains("kernels are for processors"));
        let bf16 = ExportOptions::of(Form::Stablehlo);
        assert!(obstacle("vulkan", &bf16).unwrap().contains("16 bits"));
        assert_eq!(obstacle("vulkan:rdna3", &bf16), None);
        assert_eq!(obstacle("vulkan", &ExportOptions { weights: Weights::F32, ..bf16 }), None);
    }
}
