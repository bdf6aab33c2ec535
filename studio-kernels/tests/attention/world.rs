//! A cache with random keys and values and a rope table, laid out by this file's own reading of what the layout is.

use super::reference::{angle, attention, turned};
use super::sets::Kernels;
use half::f16;
use studio_kernels::abi::{CacheType, attend_partials_len};

/// What a test varies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) heads: usize,
    pub(crate) kv_heads: usize,
    pub(crate) head_dim: usize,
    /// Numbers of a head that are rotated.
    pub(crate) rotated: usize,
    pub(crate) window: usize,
    /// Whether a chunk's positions see those after them.
    pub(crate) ahead: bool,
    pub(crate) softcap: f32,
}

impl Case {
    /// Heads that are rotated as a whole and see everything before them.
    pub(crate) fn new([heads, kv_heads]: [usize; 2], head_dim: usize) -> Self {
        Self { heads, kv_heads, head_dim, rotated: head_dim, window: 0, ahead: false, softcap: 0.0 }
    }
}

pub(crate) const LAYERS: usize = 2;
/// The layer that is worked on; the other must stay as it is.
pub(crate) const LAYER: usize = 1;

/// Random numbers that are the same each time, about as if from a normal distribution.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn number(&mut self) -> f32 {
        let mut sum = 0.0;
        for _ in 0..4 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum += (self.0 >> 40) as f32 / (1u64 << 24) as f32 - 0.5;
        }
        sum * 1.7
    }

    pub(crate) fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.number()).collect()
    }
}

/// The table as studio-core writes it: `[positions, 2, 2, rotated / 2]`.
pub(crate) fn rope_table(positions: usize, rotated: usize) -> Vec<f32> {
    let half = rotated / 2;
    let mut table = Vec::new();
    for position in 0..positions {
        let angles: Vec<f64> = (0..half).map(|pair| angle(position, pair, half)).collect();
        table.extend(angles.iter().map(|angle| angle.cos() as f32));
        table.extend(angles.iter().map(|angle| angle.sin() as f32));
        table.extend(angles.iter().map(|angle| -angle.sin() as f32));
        table.extend(angles.iter().map(|angle| angle.cos() as f32));
    }
    table
}

/// A cache of either type.
#[derive(Clone, PartialEq)]
pub(crate) struct Cache {
    pub(crate) bytes: Vec<u8>,
    half: bool,
    kv_heads: usize,
    head_dim: usize,
    rotated: usize,
    pub(crate) capacity: usize,
}

impl Cache {
    /// Full of NaN.
    pub(crate) fn new(case: Case, capacity: usize, cache: CacheType) -> Self {
        let numbers = LAYERS * 2 * case.kv_heads * capacity * case.head_dim;
        let half = cache == CacheType::F16;
        let bytes = vec![0xff; numbers * if half { 2 } else { 4 }];
        Self {
            bytes,
            half,
            kv_heads: case.kv_heads,
            head_dim: case.head_dim,
            rotated: case.rotated,
            capacity,
        }
    }

    fn key_index(&self, kv_head: usize, position: usize, d: usize) -> usize {
        let head = LAYER * 2 * self.kv_heads + kv_head;
        head * self.capacity * self.head_dim + (position / 16 * self.head_dim + d) * 16 + position % 16
    }

    fn value_index(&self, kv_head: usize, position: usize, d: usize) -> usize {
        let head = LAYER * 2 * self.kv_heads + self.kv_heads + kv_head;
        head * self.capacity * self.head_dim + position * self.head_dim + d
    }

    fn get(&self, index: usize) -> f64 {
        if self.half {
            f16::from_le_bytes(self.bytes.as_chunks().0[index]).to_f64()
        } else {
            f64::from(f32::from_le_bytes(self.bytes.as_chunks().0[index]))
        }
    }

    fn set(&mut self, index: usize, value: f32) {
        if self.half {
            self.bytes[2 * index..2 * index + 2].copy_from_slice(&f16::from_f32(value).to_le_bytes());
        } else {
            self.bytes[4 * index..4 * index + 4].copy_from_slice(&value.to_le_bytes());
        }
    }

    pub(crate) fn key(&self, kv_head: usize, position: usize) -> Vec<f64> {
        (0..self.head_dim).map(|d| self.get(self.key_index(kv_head, position, d))).collect()
    }

    pub(crate) fn value(&self, kv_head: usize, position: usize) -> Vec<f64> {
        (0..self.head_dim).map(|d| self.get(self.value_index(kv_head, position, d))).collect()
    }

    /// Random keys and values at the first `count` positions.
    pub(crate) fn fill(&mut self, count: usize, random: &mut Random) {
        for kv_head in 0..self.kv_heads {
            for position in 0..count {
                for d in 0..self.head_dim {
                    self.set(self.key_index(kv_head, position, d), random.number());
                    self.set(self.value_index(kv_head, position, d), random.number());
                }
            }
        }
    }

    /// Makes keys and values of a position what they were before they were written.
    pub(crate) fn forget(&mut self, position: usize) {
        let size = if self.half { 2 } else { 4 };
        for kv_head in 0..self.kv_heads {
            for d in 0..self.head_dim {
                for index in [self.key_index(kv_head, position, d), self.value_index(kv_head, position, d)] {
                    self.bytes[size * index..size * (index + 1)].fill(0xff);
                }
            }
        }
    }

    /// Asserts that a position has these keys and values, `[kv_heads][head_dim]`, the keys turned.
    pub(crate) fn assert_written(&self, position: usize, keys: &[f32], values: &[f32], what: &str) {
        let tolerance = if self.half { 1.0 / 1024.0 } else { 3e-7 };
        for kv_head in 0..self.kv_heads {
            let head = kv_head * self.head_dim..(kv_head + 1) * self.head_dim;
            let key = turned(&keys[head.clone()], self.rotated, position);
            let value: Vec<f64> = values[head].iter().map(|&value| f64::from(value)).collect();
            assert_near(&self.key(kv_head, position), &key, tolerance, &format!("{what}, key {position}"));
            assert_near(
                &self.value(kv_head, position),
                &value,
                tolerance,
                &format!("{what}, value {position}"),
            );
        }
    }

    /// What a position's queries, `[heads][head_dim]`, give by the formula, from what is in the cache up to `last`.
    pub(crate) fn expected(
        &self,
        case: Case,
        queries: &[f32],
        [position, last]: [usize; 2],
        scale: f32,
    ) -> Vec<f64> {
        let first = if case.window == 0 { 0 } else { (position + 1).saturating_sub(case.window) };
        let mut expected = Vec::new();
        for kv_head in 0..case.kv_heads {
            let keys: Vec<Vec<f64>> = (first..=last).map(|t| self.key(kv_head, t)).collect();
            let values: Vec<Vec<f64>> = (first..=last).map(|t| self.value(kv_head, t)).collect();
            let keys: Vec<&[f64]> = keys.iter().map(Vec::as_slice).collect();
            let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
            let group = case.heads / case.kv_heads;
            for head in kv_head * group..(kv_head + 1) * group {
                let query = turned(
                    &queries[head * case.head_dim..(head + 1) * case.head_dim],
                    case.rotated,
                    position,
                );
                expected.extend(attention(&query, &keys, &values, scale, case.softcap));
            }
        }
        expected
    }
}

/// Asserts that all numbers are within `tolerance` of the expected ones, in units of 1 or of the number itself.
#[track_caller]
pub(crate) fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error <= tolerance, "{what}: number {i} is {found}, not {expected}");
    }
}

pub(crate) fn doubles(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&number| f64::from(number)).collect()
}

/// Runs a phase in `threads` threads.
pub(crate) fn in_team(threads: usize, run: impl Fn(*const u32) + Sync) {
    // Atomic, as it is what threads share.
    let team: Vec<std::sync::atomic::AtomicU32> = (0..64).map(|_| Default::default()).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| run(team.as_ptr().cast()));
        }
    });
    assert_eq!(team[18].load(std::sync::atomic::Ordering::Acquire), 1, "the phase must be complete");
}

/// A pointer that threads may share, as kernels do.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T>(*mut T);

// SAFETY: kernels write to distinct places, which is what the tests are about.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn new(memory: &mut [T]) -> Self {
        Self(memory.as_mut_ptr())
    }

    pub(crate) fn pointer(&self) -> *mut T {
        self.0
    }
}

/// The phase that is run; others must not be touched.
pub(crate) const PHASE: usize = 1;

/// Queries, keys and values of consecutive positions.
pub(crate) struct Call {
    pub(crate) queries: Vec<f32>,
    pub(crate) keys: Vec<f32>,
    pub(crate) values: Vec<f32>,
}

impl Call {
    pub(crate) fn new(case: Case, rows: usize, random: &mut Random) -> Self {
        Self {
            queries: random.numbers(rows * case.heads * case.head_dim),
            keys: random.numbers(rows * case.kv_heads * case.head_dim),
            values: random.numbers(rows * case.kv_heads * case.head_dim),
        }
    }

    /// Some of its rows.
    pub(crate) fn rows(&self, case: Case, rows: std::ops::Range<usize>) -> Self {
        let part = |numbers: &[f32], heads: usize| {
            numbers[rows.start * heads * case.head_dim..rows.end * heads * case.head_dim].to_vec()
        };
        Self {
            queries: part(&self.queries, case.heads),
            keys: part(&self.keys, case.kv_heads),
            values: part(&self.values, case.kv_heads),
        }
    }
}

/// Runs `attend` for the call's only row.
pub(crate) fn attend(
    kernels: &Kernels,
    case: Case,
    (cache, rope): (&mut Cache, &[f32]),
    call: &Call,
    position: usize,
    threads: usize,
) -> Vec<f32> {
    let length = attend_partials_len(case.heads, case.head_dim, cache.capacity);
    // An offset in front of everything, and a mark behind the results.
    let mut results = vec![f32::NAN; case.heads * case.head_dim + 4];
    results[case.heads * case.head_dim + 2] = 77.0;
    let mut partials = vec![f32::NAN; length + 3];
    partials[length + 1] = 77.0;
    let (to, parts, memory) =
        (Shared::new(&mut results), Shared::new(&mut partials), Shared::new(&mut cache.bytes));
    let capacity = cache.capacity;
    in_team(threads, |team| {
        // SAFETY: all memory is as large as the numbers say.
        unsafe {
            (kernels.attention.attend)(
                team,
                0,
                PHASE,
                call.queries.as_ptr(),
                0,
                call.keys.as_ptr(),
                0,
                call.values.as_ptr(),
                0,
                memory.pointer(),
                0,
                rope.as_ptr(),
                0,
                parts.pointer(),
                1,
                to.pointer(),
                2,
                position,
                LAYER,
                case.heads,
                case.kv_heads,
                case.head_dim,
                case.rotated,
                capacity,
                case.window,
                scale(case),
                case.softcap,
            );
        }
    });
    assert_eq!((results[case.heads * case.head_dim + 2], partials[length + 1]), (77.0, 77.0));
    results[2..case.heads * case.head_dim + 2].to_vec()
}

/// Runs `append` and `attend_chunk` for all rows of the call.
pub(crate) fn attend_chunk(
    kernels: &Kernels,
    case: Case,
    (cache, rope): (&mut Cache, &[f32]),
    call: &Call,
    position: usize,
    threads: usize,
) -> Vec<f32> {
    let rows = call.queries.len() / (case.heads * case.head_dim);
    let mut results = vec![f32::NAN; call.queries.len() + 4];
    results[call.queries.len() + 3] = 77.0;
    let (to, memory) = (Shared::new(&mut results), Shared::new(&mut cache.bytes));
    let capacity = cache.capacity;
    in_team(threads, |team| {
        // SAFETY: all memory is as large as the numbers say.
        unsafe {
            (kernels.attention.append)(
                team,
                0,
                PHASE,
                call.keys.as_ptr(),
                0,
                call.values.as_ptr(),
                0,
                memory.pointer(),
                0,
                rope.as_ptr(),
                0,
                rows,
                position,
                LAYER,
                case.kv_heads,
                case.head_dim,
                case.rotated,
                capacity,
            );
        }
    });
    in_team(threads, |team| {
        // SAFETY: as above.
        unsafe {
            (kernels.attention.attend_chunk)(
                team,
                0,
                PHASE,
                call.queries.as_ptr(),
                0,
                memory.pointer(),
                0,
                rope.as_ptr(),
                0,
                to.pointer(),
                3,
                rows,
                position,
                LAYER,
                case.heads,
                case.kv_heads,
                case.head_dim,
                case.rotated,
                capacity,
                case.window,
                usize::from(case.ahead),
                scale(case),
                case.softcap,
            );
        }
    });
    assert_eq!(results[call.queries.len() + 3], 77.0);
    results[3..call.queries.len() + 3].to_vec()
}

pub(crate) fn scale(case: Case) -> f32 {
    1.0 / (case.head_dim as f32).sqrt()
}
