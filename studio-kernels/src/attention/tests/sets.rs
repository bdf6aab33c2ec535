//! The instruction sets that this machine has.

use crate::isa::Portable;
use std::vec::Vec;

/// The entry points of a set for one type of cache.
pub(super) struct Kernels {
    pub(super) name: &'static str,
    pub(super) half: bool,
    pub(super) attend: Attend,
    pub(super) append: Append,
    pub(super) attend_chunk: AttendChunk,
}

type Attend = unsafe extern "C" fn(
    *const u32, usize, usize,
    *const f32, usize,
    *const f32, usize,
    *const f32, usize,
    *mut u8, usize,
    *const f32, usize,
    *mut f32, usize,
    *mut f32, usize,
    usize, usize, usize, usize, usize, usize, usize, f32, f32,
);
type Append = unsafe extern "C" fn(
    *const u32, usize, usize,
    *const f32, usize,
    *const f32, usize,
    *mut u8, usize,
    *const f32, usize,
    usize, usize, usize, usize, usize, usize,
);
type AttendChunk = unsafe extern "C" fn(
    *const u32, usize, usize,
    *const f32, usize,
    *const u8, usize,
    *const f32, usize,
    *mut f32, usize,
    usize, usize, usize, usize, usize, usize, usize, usize, f32, f32,
);

mod portable {
    use super::*;
    crate::attention::attention_entries!(Portable,);
}
#[cfg(target_arch = "x86_64")]
mod avx512 {
    crate::attention::attention_entries!(
        crate::isa::Avx512,
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma,f16c")]
    );
}

macro_rules! kernels {
    ($set:ident) => {
        [
            Kernels {
                name: concat!(stringify!($set), " f32"),
                half: false,
                attend: $set::attend_f32,
                append: $set::append_f32,
                attend_chunk: $set::attend_chunk_f32,
            },
            Kernels {
                name: concat!(stringify!($set), " f16"),
                half: true,
                attend: $set::attend_f16,
                append: $set::append_f16,
                attend_chunk: $set::attend_chunk_f16,
            },
        ]
    };
}

/// All kernels that can run here.
pub(super) fn all() -> Vec<Kernels> {
    let mut all = Vec::from(kernels!(portable));
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        all.extend(kernels!(avx512));
    }
    all
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512vl")
        && std::is_x86_feature_detected!("avx512dq")
        && std::is_x86_feature_detected!("avx512vnni")
}
