//! One token.

use super::sets;
use super::world::{
    Cache, Call, Case, Random, assert_near, attend, attend_chunk, doubles, rope_table, scale,
};

pub(crate) const HEAD_DIMS: [usize; 8] = [8, 24, 40, 64, 80, 96, 128, 256];
pub(crate) const HEADS: [[usize; 2]; 6] = [[1, 1], [9, 3], [8, 1], [7, 7], [5, 1], [20, 2]];

pub(crate) fn check(case: Case, position: usize, threads: &[usize]) {
    let mut random = Random(1);
    let capacity = (position + 1).next_multiple_of(64);
    let rope = rope_table(position + 1, case.rotated);
    for kernels in sets::all() {
        let what = format!("{}, {case:?}, position {position}", kernels.name);
        let mut before = Cache::new(case, capacity, kernels.cache);
        before.fill(position, &mut random);
        let call = Call::new(case, 1, &mut random);
        let mut first: Option<Vec<f32>> = None;
        for &threads in threads {
            let mut cache = before.clone();
            let found = attend(&kernels, case, (&mut cache, &rope), &call, position, threads);
            cache.assert_written(position, &call.keys, &call.values, &what);
            let expected = cache.expected(case, &call.queries, [position; 2], scale(case));
            assert_near(&doubles(&found), &expected, 3e-6, &what);
            cache.forget(position);
            assert!(cache == before, "{what}: other positions are as they were");
            match &first {
                None => first = Some(found),
                Some(first) => assert!(*first == found, "{what}: {threads} threads give the same bits"),
            }
        }
    }
}

#[test]
fn one_token_gives_what_the_formula_gives() {
    for head_dim in HEAD_DIMS {
        for [heads, kv_heads] in HEADS {
            let case = Case::new([heads, kv_heads], head_dim);
            for position in [0, 1, 15, 16, 17, 255, 256, 257] {
                check(case, position, &[1]);
            }
        }
    }
}

#[test]
fn a_window_hides_what_is_before_it() {
    for head_dim in [24, 64] {
        for window in [1, 2, 16, 17, 100, 300, 5000] {
            let case = Case { window, ..Case::new([6, 2], head_dim) };
            for position in [0, 1, 15, 16, 17, 255, 257, 1000] {
                check(case, position, &[1]);
            }
        }
    }
}

#[test]
fn scores_are_capped() {
    for softcap in [0.5, 30.0] {
        for head_dim in [40, 64] {
            let case = Case { softcap, ..Case::new([4, 2], head_dim) };
            for position in [0, 17, 300] {
                check(case, position, &[1]);
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for [heads, kv_heads] in [[1, 1], [9, 3], [16, 1]] {
        for window in [0, 77] {
            let case = Case { window, ..Case::new([heads, kv_heads], 64) };
            for position in [0, 100, 1000, 3000] {
                check(case, position, &[1, 2, 5]);
            }
        }
    }
}

#[test]
fn what_cannot_be_computed_is_left_out_and_completes() {
    let fine = Case::new([4, 2], 24);
    let wrong = [
        (Case { head_dim: 20, ..fine }, 3),
        (Case { kv_heads: 0, ..fine }, 3),
        (Case { kv_heads: 3, ..fine }, 3),
        (fine, 64),
        (fine, usize::MAX),
    ];
    for kernels in sets::all() {
        let call = Call::new(fine, 1, &mut Random(5));
        let rope = rope_table(64, fine.head_dim);
        for (case, position) in wrong {
            let before = Cache::new(fine, 64, kernels.cache);
            let mut cache = before.clone();
            attend(&kernels, case, (&mut cache, &rope), &call, position, 2);
            if case.kv_heads == fine.kv_heads {
                attend_chunk(&kernels, case, (&mut cache, &rope), &call, position, 2);
            }
            assert!(cache == before, "{}: {case:?}, position {position}", kernels.name);
        }
    }
}
