//! A chunk of tokens.

use super::decode::{HEAD_DIMS, HEADS};
use super::sets;
use super::world::{
    Cache, Call, Case, Random, assert_near, attend, attend_chunk, doubles, rope_table, scale,
};

fn check(case: Case, position: usize, rows: usize, threads: &[usize]) {
    let mut random = Random(2);
    let capacity = (position + rows).next_multiple_of(64);
    let rope = rope_table(position + rows, case.head_dim);
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
                expected.extend(cache.expected(case, &call.queries, position + row, scale(case)));
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
            let case = Case { heads, kv_heads, head_dim, window: 0, softcap: 0.0 };
            for [position, rows] in [[0, 1], [0, 19], [14, 5], [250, 9]] {
                check(case, position, rows, &[1]);
            }
        }
    }
}

#[test]
fn windows_caps_and_long_contexts() {
    for (window, softcap) in [(1, 0.0), (5, 0.0), (20, 25.0), (300, 0.0), (0, 2.0)] {
        let case = Case { heads: 6, kv_heads: 2, head_dim: 40, window, softcap };
        for [position, rows] in [[0, 50], [3, 7], [600, 21]] {
            check(case, position, rows, &[1, 2, 5]);
        }
    }
}

#[test]
fn chunks_of_any_sizes_and_single_tokens_give_the_same() {
    let case = Case { heads: 9, kv_heads: 3, head_dim: 64, window: 0, softcap: 0.0 };
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
