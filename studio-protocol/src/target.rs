//! The machines that a bundle can be compiled for, by name.

/// A machine to compile for, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetInfo {
    /// What people call it.
    pub name: &'static str,
    /// A line for help texts.
    pub about: &'static str,
    /// Whether it is a graphics processor, by Vulkan; otherwise it is a processor.
    pub is_gpu: bool,
}

/// The target of the processor of the machine that compiles.
pub const HOST: &str = "host";

const fn cpu(name: &'static str, about: &'static str) -> TargetInfo {
    TargetInfo { name, about, is_gpu: false }
}

const fn gpu(name: &'static str, about: &'static str) -> TargetInfo {
    TargetInfo { name, about, is_gpu: true }
}

/// Every target, [`HOST`] first.
pub const TARGETS: [TargetInfo; 9] = [
    cpu(HOST, "this machine's processor, with all that it can do"),
    cpu("arm64", "64-bit ARM with dot products (ARMv8.2): phones since 2018, boards, servers"),
    cpu("arm32", "32-bit ARM with NEON (ARMv7-A)"),
    cpu("x86_64", "64-bit x86 with AVX2 (x86-64-v3): PCs since 2013"),
    gpu("vulkan", "any graphics processor with Vulkan 1.1, lavapipe's software among them"),
    gpu("vulkan:valhall4", "ARM Mali, Valhall's fourth generation: phones since 2023"),
    gpu("vulkan:adreno", "Qualcomm Adreno"),
    gpu("vulkan:rdna3", "AMD Radeon RX 7000"),
    gpu("vulkan:ampere", "NVIDIA GeForce RTX 30"),
];

/// The target of a name.
#[must_use]
pub fn target_info(name: &str) -> Option<&'static TargetInfo> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Whether a module for a target runs on graphics processors alone.
#[must_use]
pub fn is_gpu_target(name: &str) -> bool {
    target_info(name).is_some_and(|target| target.is_gpu)
}

/// The name of the file of a module for a target, which has no colon: `vulkan-adreno.vmfb`.
#[must_use]
pub fn module_file_name(target: &str) -> String {
    format!("{}.vmfb", target.replace(':', "-"))
}
