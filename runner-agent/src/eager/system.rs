//! What the llama.cpp in this program was compiled to use.

use studio_protocol::{EagerInfo, ErrorCode, WireError};

/// Instruction sets as llama.cpp names them and as LLVM does. One of its names stands for several of LLVM's.
const NAMES: &[(&str, &[&str])] = &[
    ("SSE3", &["sse3"]),
    ("SSSE3", &["ssse3"]),
    ("AVX", &["avx"]),
    ("AVX_VNNI", &["avxvnni"]),
    ("AVX2", &["avx2"]),
    ("F16C", &["f16c"]),
    ("FMA", &["fma"]),
    ("BMI2", &["bmi2"]),
    ("AVX512", &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
    ("AVX512_VBMI", &["avx512vbmi"]),
    ("AVX512_VNNI", &["avx512vnni"]),
    ("AVX512_BF16", &["avx512bf16"]),
    ("NEON", &["neon"]),
    ("FP16_VA", &["fullfp16"]),
    ("DOTPROD", &["dotprod"]),
    ("MATMUL_INT8", &["i8mm"]),
    ("SVE", &["sve"]),
    ("SME", &["sme"]),
];

/// What llama.cpp says of itself; an error that says how to get it where this program was built without it.
pub fn eager_info() -> Result<EagerInfo, WireError> {
    if !cfg!(feature = "eager") {
        return Err(WireError::new(
            ErrorCode::EngineMissing,
            "this program was built without llama.cpp, the eager engine",
        )
        .hint("`./dev setup eager` builds one that has it, in about five minutes, and says where it is"));
    }
    let (Some(version), Some(system_info)) = (option_env!("LLAMA_VERSION"), option_env!("LLAMA_SYSTEM_INFO"))
    else {
        return Err(WireError::new(
            ErrorCode::EngineMissing,
            "this program's llama.cpp can't say what it uses: it was built for another machine",
        )
        .hint("Build it on the machine that it is to run on"));
    };
    let version = format!("{version} (llama-cpp-sys-2 0.1.161)");
    Ok(EagerInfo { version, system_info: system_info.to_owned(), features: features(system_info) })
}

/// The instruction sets that a text of `llama_print_system_info` says are in use:
/// `CPU : SSE3 = 1 | AVX2 = 1 | …`.
fn features(system_info: &str) -> Vec<String> {
    let on = system_info.split('|').filter_map(|part| {
        let (name, value) = part.rsplit_once('=')?;
        // The first of a backend stands after its name.
        let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
        (value.trim() != "0").then(|| name.trim())
    });
    let mut found: Vec<String> = on
        .flat_map(|name| NAMES.iter().filter(move |(llama, _)| *llama == name))
        .flat_map(|(_, llvm)| llvm.iter().map(|name| (*name).to_owned()))
        .collect();
    found.sort_unstable();
    found
}

/// Refuses to compare speeds with code that may use an instruction set which llama.cpp was built without: then its
/// figures are not those of llama.cpp. `used` is what the code may use, by LLVM's names.
pub(crate) fn check_fair<'f>(
    eager: &EagerInfo,
    used: impl IntoIterator<Item = &'f str>,
) -> Result<(), WireError> {
    let lacks = lacking(eager, used);
    if lacks.is_empty() {
        return Ok(());
    }
    Err(WireError::new(
        ErrorCode::EngineMissing,
        format!(
            "llama.cpp was built without {}, which the compiled code uses: its speed would be no measure. \
             It says of itself: {}",
            lacks.join(", "),
            eager.system_info
        ),
    )
    .hint(
        "`./dev setup eager` builds it with all that this processor has (RUSTFLAGS=\"-C target-cpu=native\")",
    ))
}

/// Which of these llama.cpp knows how to use and doesn't.
fn lacking<'f>(eager: &EagerInfo, used: impl IntoIterator<Item = &'f str>) -> Vec<&'f str> {
    let known = |feature: &str| NAMES.iter().any(|(_, llvm)| llvm.contains(&feature));
    let has = |feature: &str| eager.features.iter().any(|has| has == feature);
    used.into_iter().filter(|feature| known(feature) && !has(feature)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the README of llama.cpp's `fit-params`.
    const TEXT: &str = "CUDA : ARCHS = 890 | USE_GRAPHS = 1 | PEER_MAX_BATCH_SIZE = 128 | CPU : SSE3 = 1 | \
        SSSE3 = 1 | AVX = 1 | AVX2 = 1 | F16C = 1 | FMA = 1 | BMI2 = 0 | LLAMAFILE = 1 | OPENMP = 1 | REPACK = 1 |";

    #[test]
    fn features_are_those_that_are_on() {
        assert_eq!(features(TEXT), ["avx", "avx2", "f16c", "fma", "sse3", "ssse3"]);
        assert_eq!(features("CPU : AVX512 = 1 | AVX512_VNNI = 1 |").len(), 6);
        assert_eq!(features("nonsense"), Vec::<String>::new());
    }

    #[test]
    fn what_llama_cpp_lacks_is_named() {
        let eager =
            EagerInfo { version: String::new(), system_info: TEXT.to_owned(), features: features(TEXT) };
        // It doesn't use gfni anywhere: that it lacks it is no disadvantage.
        assert_eq!(lacking(&eager, ["avx2", "avx512vnni", "bmi2", "fma", "gfni"]), ["avx512vnni", "bmi2"]);
        assert!(lacking(&eager, ["avx2", "fma"]).is_empty());
    }
}
