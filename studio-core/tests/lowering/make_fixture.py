#!/usr/bin/env python3
"""Writes two tiny llama GGUFs and the logits that they must give.

The files are written by the `gguf` package; the logits come from the numpy model below, which follows llama.cpp: rope
turns neighbouring rows of a head as they lie in the file. Nothing here is shared with the exporter.

    pip install gguf==0.19.0 numpy==2.4.6 && python make_fixture.py
"""
import json
import pathlib
import gguf
import numpy as np

HERE = pathlib.Path(__file__).parent
VOCABULARY, EMBEDDING, FEED_FORWARD, LAYERS, HEADS, KV_HEADS = 48, 32, 40, 2, 4, 2
TOKENS = [7, 0, 47, 13, 13, 2, 30, 21, 5, 44, 1]
EPSILON = 1e-5


def make(name, seed, head_dim, rotated, base, tied, biases, factors):
    random = np.random.default_rng(seed)
    # Exact in f16 and bf16: every export has the same weights.
    matrix = lambda rows, columns: np.float32(random.integers(-7, 8, (rows, columns))) / 16
    vector = lambda length, middle: np.float32(random.integers(-7, 8, length)) / 32 + middle
    tensors = {"token_embd.weight": matrix(VOCABULARY, EMBEDDING), "output_norm.weight": vector(EMBEDDING, 1)}
    if not tied:
        tensors["output.weight"] = matrix(VOCABULARY, EMBEDDING)
    if factors:
        tensors["rope_freqs.weight"] = np.float32(1 + np.arange(rotated // 2) / 4)
    for layer in range(LAYERS):
        at = lambda part: f"blk.{layer}.{part}"
        for norm in ("attn_norm", "ffn_norm"):
            tensors[at(norm + ".weight")] = vector(EMBEDDING, 1)
        for part, heads in (("attn_q", HEADS), ("attn_k", KV_HEADS), ("attn_v", KV_HEADS)):
            tensors[at(part + ".weight")] = matrix(heads * head_dim, EMBEDDING)
            if biases:
                tensors[at(part + ".bias")] = vector(heads * head_dim, 0)
        tensors[at("attn_output.weight")] = matrix(EMBEDDING, HEADS * head_dim)
        tensors[at("ffn_gate.weight")] = matrix(FEED_FORWARD, EMBEDDING)
        tensors[at("ffn_up.weight")] = matrix(FEED_FORWARD, EMBEDDING)
        tensors[at("ffn_down.weight")] = matrix(EMBEDDING, FEED_FORWARD)
    write(name, tensors, head_dim, rotated, base)
    return [[float(x) for x in row] for row in logits(tensors, head_dim, rotated, base)]


def write(name, tensors, head_dim, rotated, base):
    out = gguf.GGUFWriter(HERE / name, "llama")
    out.add_context_length(64)
    out.add_embedding_length(EMBEDDING)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(FEED_FORWARD)
    out.add_head_count(HEADS)
    out.add_head_count_kv(KV_HEADS)
    out.add_layer_norm_rms_eps(EPSILON)
    out.add_rope_dimension_count(rotated)
    out.add_rope_freq_base(base)
    if head_dim * HEADS != EMBEDDING:
        out.add_key_length(head_dim)
        out.add_value_length(head_dim)
    for tensor, values in tensors.items():
        out.add_tensor(tensor, values.astype(np.float16) if values.ndim == 2 else values)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def logits(tensors, head_dim, rotated, base):
    w = {name: values.astype(np.float64) for name, values in tensors.items()}
    count = len(TOKENS)
    norm = lambda x, gain: x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * gain
    pair = np.arange(rotated // 2)
    angle = np.arange(count)[:, None] * base ** (-2.0 * pair / rotated) / w.get("rope_freqs.weight", 1.0)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]

    def rope(x):
        even, odd = x[..., 0:rotated:2], x[..., 1:rotated:2]
        turned = x.copy()
        turned[..., 0:rotated:2], turned[..., 1:rotated:2] = even * cos - odd * sin, even * sin + odd * cos
        return turned

    hidden = w["token_embd.weight"][TOKENS]
    for layer in range(LAYERS):
        at = lambda part: w[f"blk.{layer}.{part}"]
        project = lambda x, part: x @ at(part + ".weight").T + w.get(f"blk.{layer}.{part}.bias", 0.0)
        x = norm(hidden, at("attn_norm.weight"))
        q = rope(project(x, "attn_q").reshape(count, HEADS, head_dim))
        k = rope(project(x, "attn_k").reshape(count, KV_HEADS, head_dim)).repeat(HEADS // KV_HEADS, 1)
        v = project(x, "attn_v").reshape(count, KV_HEADS, head_dim).repeat(HEADS // KV_HEADS, 1)
        scores = np.einsum("mhd,thd->hmt", q, k) / np.sqrt(head_dim)
        scores += np.triu(np.full((count, count), -np.inf), 1)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        hidden = hidden + project(np.einsum("hmt,thd->mhd", weights, v).reshape(count, -1), "attn_output")
        x = norm(hidden, at("ffn_norm.weight"))
        gate = project(x, "ffn_gate")
        hidden = hidden + project(gate / (1 + np.exp(-gate)) * project(x, "ffn_up"), "ffn_down")
    return norm(hidden, w["output_norm.weight"]) @ w.get("output.weight", w["token_embd.weight"]).T


expected = {
    "tokens": TOKENS,
    "tied": make("tied.gguf", 1, 8, 8, 10000.0, True, False, False),
    "untied": make("untied.gguf", 2, 12, 8, 500.0, False, True, True),
}
(HERE / "expected.json").write_text(json.dumps(expected) + "\n")
