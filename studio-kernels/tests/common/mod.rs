//! What tests of kernels share: sets that run here, matrices of random blocks, and calls of the entry points.
#![allow(dead_code, reason = "not every test needs everything")]

use gguf_file::BlockFormat;
use std::sync::atomic::AtomicU32;
use studio_kernels::{
    KernelSet, TILE_ROWS, TileFormat,
    abi::{PHASE_WORDS, Precision},
    entry,
    native::{Combine, Embed, Products, Route},
    pack_tile,
};

/// The sets whose features this processor has.
pub(crate) fn sets() -> Vec<KernelSet> {
    let found = |set: &KernelSet| match set {
        KernelSet::Portable => true,
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx512Vnni => {
            is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw")
        }
        #[cfg(target_arch = "aarch64")]
        KernelSet::I8mm => std::arch::is_aarch64_feature_detected!("i8mm"),
        #[cfg(target_arch = "aarch64")]
        KernelSet::Dotprod => std::arch::is_aarch64_feature_detected!("dotprod"),
        _ => false,
    };
    KernelSet::ALL.into_iter().filter(found).collect()
}

pub(crate) fn products(set: KernelSet, format: TileFormat, precision: Precision) -> Option<Products> {
    match set {
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx512Vnni => entry::avx512vnni::products(format, precision),
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx2 => entry::avx2::products(format, precision),
        #[cfg(target_arch = "aarch64")]
        KernelSet::I8mm => entry::i8mm::products(format, precision),
        #[cfg(target_arch = "aarch64")]
        KernelSet::Dotprod => entry::dotprod::products(format, precision),
        _ => entry::portable::products(format, precision),
    }
}

pub(crate) fn embedding(set: KernelSet, format: TileFormat) -> Embed {
    match set {
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx512Vnni => entry::avx512vnni::embedding(format),
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx2 => entry::avx2::embedding(format),
        #[cfg(target_arch = "aarch64")]
        KernelSet::I8mm => entry::i8mm::embedding(format),
        #[cfg(target_arch = "aarch64")]
        KernelSet::Dotprod => entry::dotprod::embedding(format),
        _ => entry::portable::embedding(format),
    }
}

pub(crate) fn combine(set: KernelSet) -> Combine {
    match set {
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx512Vnni => entry::avx512vnni::combine,
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx2 => entry::avx2::combine,
        #[cfg(target_arch = "aarch64")]
        KernelSet::I8mm => entry::i8mm::combine,
        #[cfg(target_arch = "aarch64")]
        KernelSet::Dotprod => entry::dotprod::combine,
        _ => entry::portable::combine,
    }
}

pub(crate) fn route(set: KernelSet) -> Route {
    match set {
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx512Vnni => entry::avx512vnni::route,
        #[cfg(target_arch = "x86_64")]
        KernelSet::Avx2 => entry::avx2::route,
        #[cfg(target_arch = "aarch64")]
        KernelSet::I8mm => entry::i8mm::route,
        #[cfg(target_arch = "aarch64")]
        KernelSet::Dotprod => entry::dotprod::route,
        _ => entry::portable::route,
    }
}

/// Numbers that are the same in each run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From -1 to 1.
    pub(crate) fn number(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub(crate) fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.number()).collect()
    }
}

/// What the scales of blocks are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scales {
    Ordinary,
    Zero,
    Denormal,
    Huge,
    Nan,
}

impl Scales {
    fn half(self, random: &mut Random) -> u16 {
        let value = random.number();
        half::f16::from_f32(match self {
            Scales::Ordinary => value * 0.1,
            Scales::Zero => 0.0,
            Scales::Denormal => value * 6e-5,
            Scales::Huge => value * 65504.0,
            Scales::Nan => f32::NAN,
        })
        .to_bits()
    }
}

/// A matrix: the tiles, and the numbers in them as ggml has them.
pub(crate) struct Matrix {
    pub(crate) format: TileFormat,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) tiles: Vec<u8>,
    pub(crate) values: Vec<f32>,
}

impl Matrix {
    pub(crate) fn random(
        format: TileFormat,
        n: usize,
        k: usize,
        scales: Scales,
        random: &mut Random,
    ) -> Matrix {
        let rows: Vec<Vec<u8>> = (0..n).map(|_| row(format, k, scales, random)).collect();
        let mut tiles = vec![0; format.matrix_bytes(n, k)];
        for (rows, tile) in rows.chunks(TILE_ROWS).zip(tiles.chunks_mut(format.tile_bytes(k).max(1))) {
            pack_tile(format, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), k, tile);
        }
        let ggml = BlockFormat::from_name(format.ggml_name()).expect("a name of ggml's");
        let mut values = vec![0.0; n * k];
        for (row, values) in rows.iter().zip(values.chunks_mut(k)) {
            ggml.decode(row, values).expect("whole blocks");
        }
        Matrix { format, n, k, tiles, values }
    }

    /// `W x` in double precision, and the sum of magnitudes that bounds its rounding errors.
    pub(crate) fn times(&self, x: &[f64]) -> Vec<(f64, f64)> {
        let product = |row: &[f32]| {
            row.iter().zip(x).fold((0.0, 0.0), |(sum, size), (w, x)| {
                let product = f64::from(*w) * x;
                (sum + product, size + product.abs())
            })
        };
        self.values.chunks(self.k).map(product).collect()
    }
}

/// A row of blocks with random quants. A block's scales stand where the format has them.
fn row(format: TileFormat, k: usize, scales: Scales, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..k / format.block_elements() {
        let start = bytes.len();
        bytes.extend((0..format.block_bytes()).map(|_| random.bits() as u8));
        let block = &mut bytes[start..];
        let places: &[usize] = match format {
            TileFormat::Q4_0 | TileFormat::Q5_0 | TileFormat::Q8_0 | TileFormat::F16 => &[0],
            TileFormat::Q4_1 | TileFormat::Q5_1 | TileFormat::Q4_K | TileFormat::Q5_K => &[0, 2],
            TileFormat::Q6_K => &[208],
            TileFormat::BF16 | TileFormat::F32 => &[],
        };
        for place in places {
            block[*place..place + 2].copy_from_slice(&scales.half(random).to_le_bytes());
        }
        let number = half::f16::from_bits(scales.half(random)).to_f32();
        match format {
            TileFormat::BF16 => block.copy_from_slice(&half::bf16::from_f32(number).to_le_bytes()),
            TileFormat::F32 => block.copy_from_slice(&number.to_le_bytes()),
            _ => {}
        }
    }
    bytes
}

/// A team's memory.
pub(crate) fn team(phases: usize) -> Vec<AtomicU32> {
    (0..phases * PHASE_WORDS).map(|_| AtomicU32::new(0)).collect()
}
