//! Teams give the same results with any number of members in any order: threads at once, more members than threads, and
//! members that run one after the other. Phases of one call follow on each other without a barrier.
#![expect(unsafe_code, reason = "kernels are called as modules call them")]

mod common;

use common::{Matrix, Random, Scales, products, sets, team};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};
use studio_kernels::{
    KernelSet, TileFormat,
    abi::{Epilogue, PHASE_WORDS, Precision, Prologue},
    entry::portable,
    native::Products,
};

/// A feed-forward block on one vector, and the same on rows: each phase reads what the one before has written.
struct Chain {
    kernels: Products,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
    gain: Vec<f32>,
}

/// What a run of the chain works on. Pointers, because all members write to parts of the same vectors.
#[derive(Clone, Copy)]
struct Memory {
    team: *const u32,
    x: *mut f32,
    hidden: *mut f32,
    activations: *mut f32,
}

// SAFETY: members synchronise by the team; that is what is tested.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

const WIDTH: usize = 96;
const HIDDEN: usize = 352;
const LAYERS: usize = 6;

impl Chain {
    fn new(set: KernelSet) -> Chain {
        let mut random = Random(3);
        let format = TileFormat::Q4_1;
        Chain {
            kernels: products(set, format, Precision::Int8).expect("a block format"),
            gate: Matrix::random(format, HIDDEN, WIDTH, Scales::Ordinary, &mut random),
            up: Matrix::random(format, HIDDEN, WIDTH, Scales::Ordinary, &mut random),
            down: Matrix::random(format, WIDTH, HIDDEN, Scales::Ordinary, &mut random),
            gain: random.numbers(WIDTH),
        }
    }

    /// What each member does for one vector: `x += down · gated(norm(x))`, several times over the same memory.
    fn one_vector(&self, memory: Memory) {
        let Memory { team, x, hidden, .. } = memory;
        for layer in 0..LAYERS {
            let phase = 2 * layer;
            // SAFETY: the vectors are as long as the matrices say; whatever is read is waited for.
            unsafe {
                if layer > 0 {
                    portable::wait(team, 0, phase - 1);
                }
                (self.kernels.gated_matvec)(
                    team,
                    0,
                    phase,
                    self.gate.tiles.as_ptr(),
                    0,
                    self.up.tiles.as_ptr(),
                    0,
                    x,
                    0,
                    x,
                    0,
                    self.gain.as_ptr(),
                    0,
                    hidden,
                    0,
                    WIDTH,
                    HIDDEN,
                    Prologue::RmsNorm as usize,
                    0,
                    1e-5,
                );
                portable::wait(team, 0, phase);
                (self.kernels.matvec)(
                    team,
                    0,
                    phase + 1,
                    self.down.tiles.as_ptr(),
                    0,
                    hidden,
                    0,
                    hidden,
                    0,
                    hidden,
                    0,
                    hidden,
                    0,
                    x,
                    0,
                    x,
                    0,
                    HIDDEN,
                    WIDTH,
                    0,
                    Epilogue::RESIDUAL.0,
                    0.0,
                    1.0,
                );
            }
        }
    }

    /// The same for `rows` rows.
    fn rows(&self, memory: Memory, rows: usize) {
        let Memory { team, x, hidden, activations } = memory;
        for layer in 0..LAYERS {
            let phase = 4 * layer;
            // SAFETY: as above.
            unsafe {
                if layer > 0 {
                    portable::wait(team, 0, phase - 1);
                }
                (self.kernels.prepare)(
                    team,
                    0,
                    phase,
                    x,
                    0,
                    x,
                    0,
                    self.gain.as_ptr(),
                    0,
                    activations,
                    0,
                    rows,
                    WIDTH,
                    Prologue::RmsNorm as usize,
                    1e-5,
                );
                portable::wait(team, 0, phase);
                (self.kernels.gated_matmul)(
                    team,
                    0,
                    phase + 1,
                    self.gate.tiles.as_ptr(),
                    0,
                    self.up.tiles.as_ptr(),
                    0,
                    activations,
                    0,
                    hidden,
                    0,
                    rows,
                    WIDTH,
                    HIDDEN,
                    0,
                );
                portable::wait(team, 0, phase + 1);
                (self.kernels.prepare)(
                    team,
                    0,
                    phase + 2,
                    hidden,
                    0,
                    hidden,
                    0,
                    hidden,
                    0,
                    activations,
                    0,
                    rows,
                    HIDDEN,
                    0,
                    0.0,
                );
                portable::wait(team, 0, phase + 2);
                (self.kernels.matmul)(
                    team,
                    0,
                    phase + 3,
                    self.down.tiles.as_ptr(),
                    0,
                    activations,
                    0,
                    x,
                    0,
                    x,
                    0,
                    x,
                    0,
                    rows,
                    HIDDEN,
                    WIDTH,
                    Epilogue::RESIDUAL.0,
                    1.0,
                );
            }
        }
    }

    /// Runs `members` members on `threads` threads, which take the next member when they have done one.
    fn run(&self, rows: usize, threads: usize, members: usize) -> Vec<f32> {
        let mut x = Random(4).numbers(rows * WIDTH);
        let mut hidden = vec![f32::NAN; rows * HIDDEN];
        let mut activations = vec![f32::NAN; rows * Precision::Int8.row_bytes(HIDDEN)];
        let lines = team(4 * LAYERS);
        let memory = Memory {
            team: lines.as_ptr().cast(),
            x: x.as_mut_ptr(),
            hidden: hidden.as_mut_ptr(),
            activations: activations.as_mut_ptr(),
        };
        let next = AtomicUsize::new(0);
        let work = || {
            // The whole of it, not its fields, so that it is what is shared.
            let memory: &Memory = &memory;
            while next.fetch_add(1, Ordering::Relaxed) < members {
                if rows == 1 { self.one_vector(*memory) } else { self.rows(*memory, rows) }
            }
        };
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
        let phases = if rows == 1 { 2 } else { 4 } * LAYERS;
        let complete = (0..phases).all(|phase| lines[phase * PHASE_WORDS + 2].load(Ordering::Relaxed) == 1);
        assert!(complete, "every phase is complete at the end");
        x
    }
}

#[test]
fn results_are_the_same_bits_with_any_number_of_threads_and_members() {
    for set in sets() {
        let chain = Chain::new(set);
        for rows in [1, 5, 33] {
            // One member does everything; of several on one thread the others find nothing left.
            let alone = chain.run(rows, 1, 1);
            assert!(alone.iter().all(|x| x.is_finite()));
            for (threads, members) in [(1, 7), (2, 2), (2, 64), (5, 5), (5, 64)] {
                for _ in 0..5 {
                    let found = chain.run(rows, threads, members);
                    assert_eq!(found, alone, "{}: {rows} rows, {members} on {threads} threads", set.name());
                }
            }
        }
    }
}
