//! The entry points, for one instruction set in bitcode and natively for each that the architecture has.
//!
//! Names and arguments are those that modules call; [`crate::abi`] tells what they mean.

/// Defines every entry point for an instruction set.
macro_rules! entries {
    ($isa:ty, $(#[$features:meta])*) => {
        $crate::matrix::matrix_entries!($isa, $(#[$features])*);
        $crate::attention::attention_entries!($isa, $(#[$features])*);
        $crate::argmax::argmax_entries!($isa, $(#[$features])*);
        $crate::route::route_entries!($isa, $(#[$features])*);

        /// Waits until a phase is complete.
        ///
        /// # Safety
        /// See [`crate::abi`].
        #[cfg_attr(studio_bitcode, unsafe(no_mangle))]
        #[inline(never)]
        pub unsafe extern "C" fn wait(team: *const u32, team_offset: usize, phase: usize) {
            $crate::team::Phase::new(team.add(team_offset), phase).wait();
        }
    };
}

#[cfg(studio_bitcode)]
mod bitcode {
    #[cfg(studio_bitcode = "avx512vnni")]
    entries!(crate::isa::Avx512,);
    #[cfg(studio_bitcode = "avx2")]
    entries!(crate::isa::Avx2,);
    #[cfg(studio_bitcode = "i8mm")]
    entries!(crate::isa::Neon<true>,);
    #[cfg(studio_bitcode = "dotprod")]
    entries!(crate::isa::Neon<false>,);
    #[cfg(studio_bitcode = "portable")]
    entries!(crate::isa::Portable,);
}

/// For AVX-512 with VNNI.
#[cfg(all(not(studio_bitcode), target_arch = "x86_64"))]
pub mod avx512vnni {
    entries!(
        crate::isa::Avx512,
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
    );
}

/// For AVX2 with FMA and F16C.
#[cfg(all(not(studio_bitcode), target_arch = "x86_64"))]
pub mod avx2 {
    entries!(crate::isa::Avx2, #[target_feature(enable = "avx2,fma,f16c")]);
}

/// For NEON with matrix products of bytes.
#[cfg(all(not(studio_bitcode), target_arch = "aarch64"))]
pub mod i8mm {
    entries!(crate::isa::Neon<true>, #[target_feature(enable = "neon,dotprod,i8mm")]);
}

/// For NEON with dot products of bytes.
#[cfg(all(not(studio_bitcode), target_arch = "aarch64"))]
pub mod dotprod {
    entries!(crate::isa::Neon<false>, #[target_feature(enable = "neon,dotprod")]);
}

/// For any processor.
#[cfg(not(studio_bitcode))]
pub mod portable {
    entries!(crate::isa::Portable,);
}
