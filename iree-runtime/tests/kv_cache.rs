//! A cache that stays on the device and is updated in place: giving it to the call (`{iree.abi.consume}`) and taking it
//! back moves it, and copies nothing of it.

mod common;

use common::{call, device, module, resident_anonymous_bytes};
use iree_runtime::{Arg, BufferView, ElementType, Session};

const ROW: usize = 256;

/// Writes a row at a position and returns the sum of it and the row before it.
fn step(capacity: usize) -> String {
    format!(
        r#"
module @cache {{
  func.func @step(%row: tensor<1x{ROW}xf32>, %position: i32, %cache: tensor<{capacity}x{ROW}xf32> {{iree.abi.consume}})
      -> (tensor<1x{ROW}xf32>, tensor<{capacity}x{ROW}xf32>) {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %at = tensor.from_elements %position : tensor<i32>
    %before = stablehlo.subtract %at, %one : tensor<i32>
    %updated = stablehlo.dynamic_update_slice %cache, %row, %at, %zero
      : (tensor<{capacity}x{ROW}xf32>, tensor<1x{ROW}xf32>, tensor<i32>, tensor<i32>) -> tensor<{capacity}x{ROW}xf32>
    %last = stablehlo.dynamic_slice %updated, %before, %zero, sizes = [1, {ROW}]
      : (tensor<{capacity}x{ROW}xf32>, tensor<i32>, tensor<i32>) -> tensor<1x{ROW}xf32>
    %sum = stablehlo.add %row, %last : tensor<1x{ROW}xf32>
    return %sum, %updated : tensor<1x{ROW}xf32>, tensor<{capacity}x{ROW}xf32>
  }}
}}
"#
    )
}

/// Runs steps on a cache of that capacity from position 1 on, and checks what they return and where the cache lies.
/// Returns how many bytes the device's allocator took for each step.
fn run(capacity: usize, workers: u32, steps: usize) -> u64 {
    let device = device(workers);
    let mut session = Session::new(&device, &module(&step(capacity)), &[]).expect("a session");
    let step = session.function("step").expect("it is there");
    let mut cache = BufferView::zeroed(&device, &[capacity, ROW], ElementType::F32).expect("a cache");
    let place = cache.address().expect("it is in memory");
    let allocated = device.statistics().allocated_bytes;
    for position in 1..=steps {
        let row = BufferView::from_slice(&device, &[1, ROW], &[position as f32; ROW]).expect("a row");
        let position_arg = i32::try_from(position).expect("few steps");
        let mut results =
            call(&mut session, &step, [Arg::View(&row), Arg::I32(position_arg), Arg::Consume(cache)]);
        cache = results.remove(1);
        assert_eq!(cache.address().expect("it is in memory"), place, "the cache has moved");
        let sum = results.remove(0).read_vec::<f32>().expect("it is f32");
        assert_eq!(sum, [position as f32 + (position - 1) as f32; ROW], "position {position}");
    }
    let mut head = vec![0.0_f32; (steps + 2) * ROW];
    cache.read_range(0, &mut head).expect("the cache is longer");
    for (position, row) in head.chunks(ROW).enumerate() {
        let expected = if position <= steps { position as f32 } else { 0.0 };
        assert!(row.iter().all(|value| *value == expected), "row {position} after all steps");
    }
    (device.statistics().allocated_bytes - allocated) / steps as u64
}

#[test]
fn the_cache_stays_where_it_is_and_a_step_costs_the_same_whatever_its_capacity() {
    for workers in [1, 2] {
        let (small, large) = (run(64, workers, 20), run(64 * 1024, workers, 20));
        assert_eq!(small, large, "bytes allocated for a step with {workers} workers");
        assert!(large < 64 * 1024, "{large} bytes for a step with {workers} workers");
    }
}

#[test]
fn a_step_touches_only_the_rows_it_needs() {
    // 1 GiB of zeros that no page has been taken for: a copy of it, in whichever direction, would take them.
    let before = resident_anonymous_bytes();
    run(1024 * 1024, 2, 8);
    let grown = resident_anonymous_bytes().saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes of memory taken");
}
