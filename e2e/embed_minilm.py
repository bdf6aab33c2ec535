#!/usr/bin/env python3
"""What all-MiniLM-L6-v2 makes of token ids, by its formulas in numpy: embed_minilm.py FOLDER ID,ID,…

FOLDER has the model as its package has it. Prints the vector: the positions' mean, of length 1.
"""
import json
import math
import pathlib
import sys

import numpy
from safetensors.numpy import load_file

folder = pathlib.Path(sys.argv[1])
ids = [int(number) for number in sys.argv[2].split(",")]
config = json.loads((folder / "config.json").read_text())
weights = load_file(folder / "model.safetensors")
heads = config["num_attention_heads"]
erf = numpy.vectorize(math.erf)


def linear(x, name):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def norm(x, name):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + config["layer_norm_eps"])
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def split(x):
    return x.reshape(len(ids), heads, -1).transpose(1, 0, 2)


embeddings = "embeddings.{}_embeddings.weight".format
x = weights[embeddings("word")][ids] + weights[embeddings("position")][: len(ids)] + weights[embeddings("token_type")][0]
x = norm(x, "embeddings.LayerNorm")
for layer in range(config["num_hidden_layers"]):
    prefix = f"encoder.layer.{layer}."
    query, key, value = (split(linear(x, f"{prefix}attention.self.{part}")) for part in ("query", "key", "value"))
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
    shares = numpy.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    attended = (shares @ value).transpose(1, 0, 2).reshape(len(ids), -1)
    x = norm(x + linear(attended, f"{prefix}attention.output.dense"), f"{prefix}attention.output.LayerNorm")
    hidden = linear(x, f"{prefix}intermediate.dense")
    hidden = hidden * (1 + erf(hidden / math.sqrt(2))) / 2
    x = norm(x + linear(hidden, f"{prefix}output.dense"), f"{prefix}output.LayerNorm")
pooled = x.mean(0)
print(json.dumps((pooled / numpy.linalg.norm(pooled)).tolist()))
