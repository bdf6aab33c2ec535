//! Plans of the cpu form: what waits for what, what lies where, what fits a dispatch.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking too")]

mod deep;

use deep::{Model, WIDTH, deep, with_plans};
use std::collections::{BTreeMap, BTreeSet};
use studio_core::emit::cpu::{Buffer, Dispatch, FunctionPlan, Place, Pointer};

/// Whether two pointers' kernels must not run at the same time: an independent reading of what they say.
fn collide(plan: &FunctionPlan, one: &Pointer, other: &Pointer) -> bool {
    let ((place, range), (other_place, other_range)) = (plan.place(one), plan.place(other));
    let shared = range.start.max(other_range.start) < range.end.min(other_range.end);
    let written = one.access.writes() && (other.access.reads() || other.access.writes())
        || other.access.writes() && one.access.reads();
    place == other_place && shared && written
}

/// Every phase that is surely complete when a call of the dispatch begins, by what it and the calls before it waited
/// for, and what those phases' own calls had waited for.
fn complete_before(dispatch: &Dispatch) -> Vec<BTreeSet<usize>> {
    let mut by_phase: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut waited = BTreeSet::new();
    let mut before = Vec::new();
    for planned in &dispatch.calls {
        for wait in &planned.waits {
            waited.insert(*wait);
            waited.extend(by_phase[wait].iter().copied());
        }
        by_phase.insert(planned.phase, waited.clone());
        before.push(waited.clone());
    }
    before
}

#[test]
fn calls_wait_for_whatever_they_collide_with() {
    with_plans(&deep(), |_, plans| {
        for plan in plans {
            for dispatch in &plan.dispatches {
                let before = complete_before(dispatch);
                for (index, planned) in dispatch.calls.iter().enumerate() {
                    for earlier in &dispatch.calls[..index] {
                        let pairs = planned
                            .call
                            .pointers
                            .iter()
                            .flat_map(|one| earlier.call.pointers.iter().map(move |other| (one, other)));
                        if pairs.into_iter().any(|(one, other)| collide(plan, one, other)) {
                            assert!(
                                before[index].contains(&earlier.phase),
                                "{}: {} of phase {} doesn't wait for phase {}",
                                plan.name,
                                planned.call.kernel,
                                planned.phase,
                                earlier.phase
                            );
                        }
                    }
                }
            }
        }
    });
}

/// What a slot holds stays there from the first call that touches it to the last.
#[test]
fn slots_that_are_in_use_at_the_same_time_lie_apart() {
    with_plans(&deep(), |_, plans| {
        for plan in plans {
            let mut uses: BTreeMap<usize, (usize, usize, u64)> = BTreeMap::new();
            for planned in plan.calls() {
                for pointer in &planned.call.pointers {
                    let Buffer::Slot(slot) = pointer.buffer else { continue };
                    let used = uses.entry(slot).or_insert((planned.phase, planned.phase, 0));
                    (used.1, used.2) = (planned.phase, used.2.max(pointer.range.end));
                    assert!(plan.slots[slot] + pointer.range.end <= plan.scratch_length);
                }
            }
            for (slot, (first, last, length)) in &uses {
                for (other, (other_first, other_last, other_length)) in &uses {
                    let together = first.max(other_first) <= last.min(other_last);
                    let (start, other_start) = (plan.slots[*slot], plan.slots[*other]);
                    let overlap = start.max(other_start) < (start + length).min(other_start + other_length);
                    assert!(slot == other || !together || !overlap, "{}: {slot} and {other}", plan.name);
                }
            }
        }
    });
}

#[test]
fn a_dispatch_has_as_many_layers_as_its_32_bindings_allow() {
    with_plans(&deep(), |graph, plans| {
        let decode = plans.iter().find(|plan| plan.name == "decode").unwrap();
        let bindings = |dispatch: &Dispatch| {
            let pointers = dispatch.calls.iter().flat_map(|planned| &planned.call.pointers);
            // The counters of the phases are one more.
            pointers.map(|pointer| decode.place(pointer).0).collect::<BTreeSet<Place>>().len() + 1
        };
        let counts: Vec<usize> = decode.dispatches.iter().map(bindings).collect();
        assert!(counts.iter().all(|&count| count <= 32), "{counts:?}");
        // Nine parameters a layer beside counters, scratch, cache and rope: three layers each.
        assert_eq!(counts.len(), 12_usize.div_ceil(3) + 1, "{counts:?}");
        let layers: BTreeSet<String> = decode.dispatches[1]
            .calls
            .iter()
            .map(|planned| graph.scopes.path(planned.call.scope).split(" / ").next().unwrap().to_owned())
            .collect();
        assert_eq!(layers.len(), 4, "three layers, and parts of two: {layers:?}");
    });
}

#[test]
fn a_layer_of_decode_is_seven_calls() {
    with_plans(&deep(), |graph, plans| {
        let decode = plans.iter().find(|plan| plan.name == "decode").unwrap();
        let layer = decode.calls().filter(|planned| {
            graph.scopes.path(planned.call.scope).starts_with("layer 5 / ")
                || graph.scopes.path(planned.call.scope) == "layer 5"
        });
        let kernels: Vec<&str> = layer.map(|planned| planned.call.kernel.as_str()).collect();
        let product = "matvec_q4_0_i8";
        assert_eq!(
            kernels,
            [product, product, product, "attend_f16", product, "gated_matvec_q4_0_i8", product]
        );
    });
}

/// The kernels of a model's only layer in `decode`, in order.
fn layer_of_decode(model: &[u8]) -> Vec<String> {
    with_plans(model, |graph, plans| {
        let decode = plans.iter().find(|plan| plan.name == "decode").unwrap();
        let in_layer = decode
            .calls()
            .filter(|planned| graph.scopes.path(planned.call.scope).starts_with("layer 0"))
            .map(|planned| planned.call.kernel.clone());
        in_layer.collect()
    })
}

#[test]
fn a_norm_behind_a_product_is_a_call_that_adds_it_to_the_hidden_state() {
    let mut model = Model::new("gemma2", 1);
    model.attention(0);
    model.gated(0);
    for part in ["post_attention_norm", "post_ffw_norm"] {
        model.floats(&format!("blk.0.{part}.weight"), &[WIDTH]);
    }
    let product = "matvec_q4_0_i8";
    let attention = [product, product, product, "attend_f16", product, "combine"];
    assert_eq!(
        layer_of_decode(&model.bytes()),
        [&attention[..], &["gated_matvec_q4_0_i8", product, "combine"]].concat()
    );
}

#[test]
fn norms_of_heads_and_experts_are_calls_between_products() {
    let mut model = Model::new("qwen3moe", 1)
        .number("expert_count", 8)
        .number("expert_used_count", 2)
        .number("expert_feed_forward_length", 32);
    model.attention(0);
    for part in ["attn_q_norm", "attn_k_norm"] {
        model.floats(&format!("blk.0.{part}.weight"), &[WIDTH / 4]);
    }
    model.floats("blk.0.ffn_gate_inp.weight", &[WIDTH, 8]);
    for part in ["ffn_gate_exps", "ffn_up_exps"] {
        model.blocks(&format!("blk.0.{part}.weight"), &[WIDTH, 32, 8]);
    }
    model.blocks("blk.0.ffn_down_exps.weight", &[32, WIDTH, 8]);
    let (product, experts) = ("matvec_q4_0_i8", "experts_q4_0_i8");
    let attention = [product, product, product, "combine", "combine", "attend_f16", product];
    let choice = ["matvec_f32_f32", "route", "prepare_i8", experts, experts, "prepare_i8", experts];
    assert_eq!(layer_of_decode(&model.bytes()), [&attention[..], &choice, &["combine"]].concat());
}

#[test]
fn equal_graphs_give_equal_plans() {
    let model = deep();
    let plans = |model: &[u8]| with_plans(model, |_, plans| plans.to_vec());
    assert_eq!(plans(&model), plans(&model));
}
