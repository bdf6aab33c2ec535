"""Writes jax.mlir and jax-generic.mlir beside itself: three layers of attention and a gated feed-forward, then a loop.

Needs the Python package jax, and folders taken out of the locations; the texts here are of jax 0.10.2.
"""

from pathlib import Path

import jax
import jax.numpy as jnp

WIDTH, HIDDEN, POSITIONS, LAYERS = 64, 256, 16, 3


def layer(x, w):
    with jax.named_scope("attention"):
        q, k, v = x @ w["q"], x @ w["k"], x @ w["v"]
        x = x + (jax.nn.softmax(q @ k.T / 8.0) @ v) @ w["o"]
    with jax.named_scope("mlp"):
        return x + (jax.nn.silu(x @ w["g"]) * (x @ w["u"])) @ w["d"]


def model(x, weights):
    for index, w in enumerate(weights):
        with jax.named_scope(f"layer_{index}"):
            x = layer(x, w)
    return jax.lax.fori_loop(0, 3, lambda _, y: y * 2.0, x).argmax(-1)


square, up, down = jnp.ones((WIDTH, WIDTH)), jnp.ones((WIDTH, HIDDEN)), jnp.ones((HIDDEN, WIDTH))
weights = [dict(q=square, k=square, v=square, o=square, g=up, u=up, d=down) for _ in range(LAYERS)]
lowered = jax.jit(model).lower(jnp.ones((POSITIONS, WIDTH)), weights)
here = Path(__file__).parent
here.joinpath("jax.mlir").write_text(lowered.as_text(debug_info=True))
generic = lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
here.joinpath("jax-generic.mlir").write_text(generic)
