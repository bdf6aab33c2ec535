//! The instruction sets that this machine has.

use studio_kernels::entry;

/// The entry points of a set, with one type of cache.
pub(crate) struct Kernels {
    pub(crate) name: &'static str,
    /// Whether the cache is in half precision.
    pub(crate) half: bool,
    pub(crate) attend: Attend,
    pub(crate) append: Append,
    pub(crate) attend_chunk: AttendChunk,
    pub(crate) argmax: Argmax,
}

#[rustfmt::skip]
pub(crate) type Attend = unsafe extern "C" fn(
    *const u32, usize, usize,
    *const f32, usize, *const f32, usize, *const f32, usize, *mut u8, usize, *const f32, usize,
    *mut f32, usize, *mut f32, usize,
    usize, usize, usize, usize, usize, usize, usize, f32, f32,
);
#[rustfmt::skip]
pub(crate) type Append = unsafe extern "C" fn(
    *const u32, usize, usize,
    *const f32, usize, *const f32, usize, *mut u8, usize, *const f32, usize,
    usize, usize, usize, usize, usize, usize,
);
#[rustfmt::skip]
pub(crate) type AttendChunk = unsafe extern "C" fn(
    *const u32, usize, usize,
    *const f32, usize, *const u8, usize, *const f32, usize, *mut f32, usize,
    usize, usize, usize, usize, usize, usize, usize, usize, f32, f32,
);
#[rustfmt::skip]
pub(crate) type Argmax = unsafe extern "C" fn(
    *const u32, usize, usize,
    *const f32, usize, *mut i32, usize,
    usize, usize,
);

macro_rules! kernels {
    ($set:ident) => {
        [
            Kernels {
                name: concat!(stringify!($set), " f32"),
                half: false,
                attend: entry::$set::attend_f32,
                append: entry::$set::append_f32,
                attend_chunk: entry::$set::attend_chunk_f32,
                argmax: entry::$set::argmax,
            },
            Kernels {
                name: concat!(stringify!($set), " f16"),
                half: true,
                attend: entry::$set::attend_f16,
                append: entry::$set::append_f16,
                attend_chunk: entry::$set::attend_chunk_f16,
                argmax: entry::$set::argmax,
            },
        ]
    };
}

/// All kernels that can run here.
pub(crate) fn all() -> Vec<Kernels> {
    let mut all = Vec::from(kernels!(portable));
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx2() {
            all.extend(kernels!(avx2));
        }
        if has_avx512() {
            all.extend(kernels!(avx512vnni));
        }
    }
    all
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("fma")
        && std::is_x86_feature_detected!("f16c")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512vl")
        && std::is_x86_feature_detected!("avx512dq")
        && std::is_x86_feature_detected!("avx512vnni")
}
