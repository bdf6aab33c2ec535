//! The instruction sets that this machine has.

use studio_kernels::{
    KernelSet,
    abi::CacheType,
    entry,
    native::{Argmax, Attention},
};

/// The entry points of a set, with one type of cache.
pub(crate) struct Kernels {
    pub(crate) name: String,
    pub(crate) cache: CacheType,
    pub(crate) attention: Attention,
    pub(crate) argmax: Argmax,
}

/// All kernels that can run here.
pub(crate) fn all() -> Vec<Kernels> {
    let kernels = |(set, cache): (KernelSet, CacheType)| {
        let (attention, argmax): (_, Argmax) = match set {
            #[cfg(target_arch = "x86_64")]
            KernelSet::Avx512Vnni => (entry::avx512vnni::attention(cache), entry::avx512vnni::argmax),
            #[cfg(target_arch = "x86_64")]
            KernelSet::Avx2 => (entry::avx2::attention(cache), entry::avx2::argmax),
            #[cfg(target_arch = "aarch64")]
            KernelSet::I8mm => (entry::i8mm::attention(cache), entry::i8mm::argmax),
            #[cfg(target_arch = "aarch64")]
            KernelSet::Dotprod => (entry::dotprod::attention(cache), entry::dotprod::argmax),
            _ => (entry::portable::attention(cache), entry::portable::argmax),
        };
        Kernels { name: format!("{} {}", set.name(), cache.name()), cache, attention, argmax }
    };
    let sets = crate::common::sets();
    sets.iter().flat_map(|&set| [(set, CacheType::F16), (set, CacheType::F32)]).map(kernels).collect()
}
