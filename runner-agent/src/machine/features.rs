//! The processor's instruction sets, by the names LLVM gives them. One table an architecture.

#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected;
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected;

/// Pairs of a feature as Rust's detection names it and as LLVM does.
macro_rules! detected {
    ($detect:ident; $($rust:tt => $llvm:literal,)*) => {{
        let mut found: Vec<&'static str> = Vec::new();
        $(if $detect!($rust) { found.push($llvm); })*
        found.sort_unstable();
        found
    }};
}

/// What this processor can do beyond its architecture's baseline, by LLVM's names, sorted.
#[cfg(target_arch = "x86_64")]
pub fn cpu_features() -> Vec<&'static str> {
    detected!(is_x86_feature_detected;
        "sse3" => "sse3",
        "ssse3" => "ssse3",
        "sse4.1" => "sse4.1",
        "sse4.2" => "sse4.2",
        "popcnt" => "popcnt",
        "lzcnt" => "lzcnt",
        "movbe" => "movbe",
        "bmi1" => "bmi",
        "bmi2" => "bmi2",
        "f16c" => "f16c",
        "fma" => "fma",
        "avx" => "avx",
        "avx2" => "avx2",
        "avxvnni" => "avxvnni",
        "avxvnniint8" => "avxvnniint8",
        "avxneconvert" => "avxneconvert",
        "avx512f" => "avx512f",
        "avx512bw" => "avx512bw",
        "avx512cd" => "avx512cd",
        "avx512dq" => "avx512dq",
        "avx512vl" => "avx512vl",
        "avx512bf16" => "avx512bf16",
        "avx512fp16" => "avx512fp16",
        "avx512vbmi" => "avx512vbmi",
        "avx512vbmi2" => "avx512vbmi2",
        "avx512vnni" => "avx512vnni",
        "avx512bitalg" => "avx512bitalg",
        "avx512ifma" => "avx512ifma",
        "avx512vpopcntdq" => "avx512vpopcntdq",
        "gfni" => "gfni",
        "vaes" => "vaes",
        "vpclmulqdq" => "vpclmulqdq",
    )
}

/// What this processor can do beyond its architecture's baseline, by LLVM's names, sorted.
#[cfg(target_arch = "aarch64")]
pub fn cpu_features() -> Vec<&'static str> {
    detected!(is_aarch64_feature_detected;
        "neon" => "neon",
        "lse" => "lse",
        "rdm" => "rdm",
        "crc" => "crc",
        "fp16" => "fullfp16",
        "fhm" => "fp16fml",
        "dotprod" => "dotprod",
        "bf16" => "bf16",
        "i8mm" => "i8mm",
        "sve" => "sve",
        "sve2" => "sve2",
    )
}

/// What this processor can do beyond its architecture's baseline: not known on this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn cpu_features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// The kernel's own list, whose names differ from LLVM's for some.
    #[test]
    fn features_are_those_that_the_kernel_lists() {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        let flags = text.lines().find_map(|line| line.strip_prefix("flags")).unwrap();
        let flags: Vec<_> = flags.split_whitespace().collect();
        let found = cpu_features();
        for (llvm, kernel) in [
            ("avx2", "avx2"),
            ("fma", "fma"),
            ("f16c", "f16c"),
            ("bmi", "bmi1"),
            ("avx512f", "avx512f"),
            ("avx512vnni", "avx512_vnni"),
            ("avx512bf16", "avx512_bf16"),
            ("avxvnni", "avx_vnni"),
            ("sse4.2", "sse4_2"),
        ] {
            assert_eq!(found.contains(&llvm), flags.contains(&kernel), "{llvm}");
        }
        assert!(found.is_sorted());
    }
}
