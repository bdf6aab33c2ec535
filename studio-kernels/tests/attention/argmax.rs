//! Greedy sampling.

use super::sets;
use super::world::{PHASE, Random, Shared, in_team};

fn check(rows: &[Vec<f32>], expected: &[i32]) {
    let n = rows[0].len();
    let logits = rows.concat();
    for kernels in sets::all() {
        for threads in [1, 3] {
            let mut next = vec![-1; rows.len() + 1];
            let to = Shared::new(&mut next);
            in_team(threads, |team| {
                // SAFETY: the memory is as large as the numbers say.
                unsafe {
                    (kernels.argmax)(team, 0, PHASE, logits.as_ptr(), 0, to.pointer(), 0, rows.len(), n)
                }
            });
            assert_eq!(next[..rows.len()], *expected, "{}, n = {n}", kernels.name);
            assert_eq!(next[rows.len()], -1);
        }
    }
}

#[test]
fn the_first_of_the_greatest_wins() {
    for n in [1, 2, 15, 16, 17, 63, 64, 65, 127, 1000, 49_152] {
        let numbers = Random(4).numbers(n);
        for place in [0, n / 3, n / 2, n - 1] {
            let mut row = numbers.clone();
            row[place] = 9.0;
            let once = row.clone();
            row[n - 1] = 9.0;
            row[(place + n) / 2] = 9.0;
            check(&[once, row], &[place as i32, place as i32]);
        }
    }
}

#[test]
fn infinities_and_nan_give_an_index_in_range() {
    for n in [1, 7, 16, 64, 100] {
        let place = n / 2;
        let mut row = vec![f32::NAN; n];
        check(&[row.clone()], &[0]);
        row[place] = -3.0;
        check(&[row.clone()], &[place as i32]);
        row.fill(f32::NEG_INFINITY);
        check(&[row.clone()], &[0]);
        row[place] = f32::INFINITY;
        check(&[row.clone()], &[place as i32]);
    }
}
