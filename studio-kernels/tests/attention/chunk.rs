//! A chunk of tokens.

use super::decode::{self, HEAD_DIMS, HEADS};
use super::sets;
use super::world::{
    Cache, Call, Case, Random, assert_near, attend, attend_chunk, doubles, rope_table, scale,
};

fn check(case: Case, position: usize, rows: usize, threads: &[usize]) {
    let mut random = Random(2);
    let capacity = (position + rows).next_multiple_of(64);
    let rope = rope_table(position + rows, case.rotated);
    for kernels in sets::all() {
        let what = format!("{}, {case:?}, {rows} rows from {position}", kernels.name);
        let mut before = Cache::new(case, capacity, kernels.cache);
        before.fill(position, &mut random);
        let call = Call::new(case, rows, &mut random);
        let mut first: Option<Vec<f32>> = None;
        for &threads in threads {
            let mut cache = before.clone();
            let found = attend_chunk(&kernels, case, (&mut cache, &rope), &call, position, threads);
            let mut expected = Vec::new();
            for row in 0..rows {
                let call = call.rows(case, row..row + 1);
                cache.assert_written(position + row, &call.keys, &call.values, &what);
                let last = position + if case.ahead { rows - 1 } else { row };
                expected.extend(cache.expected(case, &call.queries, [position + row, last], scale(case)));
            }
            assert_near(&doubles(&found), &expected, 3e-6, &what);
            for row in 0..rows {
                cache.forget(position + row);
            }
            assert!(cache == before, "{what}: other positions are as they were");
            match &first {
                None => first = Some(found),
                Some(first) => assert!(*first == found, "{what}: {threads} threads give the same bits"),
            }
        }
    }
}

#[test]
fn each_row_gives_what_the_formula_gives() {
    for head_dim in HEAD_DIMS {
        for [heads, kv_heads] in HEADS {
            let case = Case::new([heads, kv_heads], head_dim);
            for [position, rows] in [[0, 1], [0, 19], [14, 5], [250, 9]] {
                check(case, position, rows, &[1]);
            }
        }
    }
}

#[test]
fn windows_caps_and_long_contexts() {
    for (window, softcap) in [(1, 0.0), (5, 0.0), (20, 25.0), (300, 0.0), (0, 2.0)] {
        let case = Case { window, softcap, ..Case::new([6, 2], 40) };
        for [position, rows] in [[0, 50], [3, 7], [600, 21]] {
            check(case, position, rows, &[1, 2, 5]);
        }
    }
}

/// Models that rotate only the beginning of each head, or, in some layers or in all, nothing.
#[test]
fn a_part_of_a_head_is_rotated_or_none() {
    for (head_dim, rotated) in [(24, 0), (64, 0), (64, 16), (80, 20), (96, 94), (40, 2)] {
        let case = Case { rotated, ..Case::new([6, 2], head_dim) };
        check(case, 5, 19, &[1]);
        decode::check(case, 20, &[1]);
    }
}

/// As encoders look.
#[test]
fn every_row_of_a_chunk_may_see_all_of_it() {
    for head_dim in [24, 64] {
        for [position, rows] in [[0, 1], [0, 19], [0, 300], [14, 5]] {
            check(Case { ahead: true, ..Case::new([6, 3], head_dim) }, position, rows, &[1, 2]);
        }
    }
}

#[test]
fn chunks_of_any_sizes_and_single_tokens_give_the_same() {
    let case = Case::new([9, 3], 64);
    let rows = 300;
    let rope = rope_table(rows, case.head_dim);
    for kernels in sets::all() {
        let call = Call::new(case, rows, &mut Random(3));
        let mut whole = Cache::new(case, 320, kernels.cache);
        let expected = attend_chunk(&kernels, case, (&mut whole, &rope), &call, 0, 2);
        for sizes in [&[1, 299][..], &[16, 7, 250, 27], &[64, 64, 64, 64, 44], &[150, 1, 1, 148], &[1; 300]] {
            let mut cache = Cache::new(case, 320, kernels.cache);
            let (mut found, mut position) = (Vec::new(), 0);
            for &size in sizes {
                let call = call.rows(case, position..position + size);
                found.extend(if size == 1 {
                    attend(&kernels, case, (&mut cache, &rope), &call, position, 1)
                } else {
                    attend_chunk(&kernels, case, (&mut cache, &rope), &call, position, 1)
                });
                position += size;
            }
            assert!(cache == whole, "{}: the same cache", kernels.name);
            assert_near(&doubles(&found), &doubles(&expected), 3e-6, &kernels.name);
        }
    }
}
