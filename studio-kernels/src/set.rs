//! [`KernelSet`]: which instructions a module's kernels use.

/// The sets of instructions that there are kernels for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KernelSet {
    /// AVX-512 with its dot products of bytes.
    Avx512Vnni,
    /// AVX2 with FMA and F16C.
    Avx2,
    /// NEON with its matrix products of bytes.
    I8mm,
    /// NEON with its dot products of bytes.
    Dotprod,
    /// Whatever every processor of an architecture has.
    Portable,
}

impl KernelSet {
    /// Every set, the quickest first.
    pub const ALL: [KernelSet; 5] =
        [KernelSet::Avx512Vnni, KernelSet::Avx2, KernelSet::I8mm, KernelSet::Dotprod, KernelSet::Portable];

    /// `avx512vnni`, `avx2`, `i8mm`, `dotprod` or `portable`.
    pub const fn name(self) -> &'static str {
        match self {
            KernelSet::Avx512Vnni => "avx512vnni",
            KernelSet::Avx2 => "avx2",
            KernelSet::I8mm => "i8mm",
            KernelSet::Dotprod => "dotprod",
            KernelSet::Portable => "portable",
        }
    }

    /// The set that is called `name`.
    #[cfg(not(studio_bitcode))]
    pub fn from_name(name: &str) -> Option<Self> {
        KernelSet::ALL.into_iter().find(|set| set.name() == name)
    }

    /// What a processor must have besides its architecture's base, by the names of Rust's target features, which
    /// `std::is_x86_feature_detected!` and its like know and LLVM too.
    pub const fn cpu_features(self) -> &'static [&'static str] {
        match self {
            KernelSet::Avx512Vnni => {
                &["avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512vnni", "avx2", "fma", "f16c"]
            }
            KernelSet::Avx2 => &["avx2", "fma", "f16c"],
            KernelSet::I8mm => &["i8mm", "dotprod", "lse"],
            // Whoever has the first has the second, from version 8.1 of the architecture on.
            KernelSet::Dotprod => &["dotprod", "lse"],
            KernelSet::Portable => &[],
        }
    }
}
