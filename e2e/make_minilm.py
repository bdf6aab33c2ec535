#!/usr/bin/env python3
"""all-MiniLM-L6-v2 as a GGUF in F32: make_minilm.py FOLDER OUT.gguf

FOLDER has the model as its package has it. Names and layout are those that llama.cpp's converter gives BERT models.
"""
import json
import pathlib
import sys

import gguf
from safetensors.numpy import load_file

LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
EMBEDDINGS = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}


def gguf_name(name):
    """None for what isn't used: the pooler, and the list of positions."""
    if name in EMBEDDINGS:
        return EMBEDDINGS[name]
    if not name.startswith("encoder.layer."):
        return None
    _, _, index, rest = name.split(".", 3)
    part, kind = rest.rsplit(".", 1)
    return f"blk.{index}.{LAYER[part]}.{kind}"


folder, out = pathlib.Path(sys.argv[1]), sys.argv[2]
config = json.loads((folder / "config.json").read_text())
writer = gguf.GGUFWriter(out, "bert")
writer.add_name("all-MiniLM-L6-v2")
writer.add_context_length(config["max_position_embeddings"])
writer.add_embedding_length(config["hidden_size"])
writer.add_block_count(config["num_hidden_layers"])
writer.add_feed_forward_length(config["intermediate_size"])
writer.add_head_count(config["num_attention_heads"])
writer.add_layer_norm_eps(config["layer_norm_eps"])
writer.add_causal_attention(False)
writer.add_pooling_type(gguf.PoolingType.MEAN)

tokens = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
special = lambda token: token.startswith("[") and token.endswith("]")
# A token that goes on a word loses its mark, one that starts a word gets one.
written = [t if special(t) else t[2:] if t.startswith("##") else "\u2581" + t for t in tokens]
control = gguf.TokenType.CONTROL
normal = gguf.TokenType.NORMAL
writer.add_tokenizer_model("bert")
writer.add_token_list(written)
writer.add_token_types([control if t in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") else normal for t in tokens])
writer.add_token_type_count(config["type_vocab_size"])
for name, token in [("unk", "[UNK]"), ("sep", "[SEP]"), ("pad", "[PAD]"), ("mask", "[MASK]"), ("bos", "[CLS]")]:
    getattr(writer, f"add_{name}_token_id")(tokens.index(token))

for name, values in load_file(folder / "model.safetensors").items():
    target = gguf_name(name)
    if target:
        writer.add_tensor(target, values.astype("float32"))
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
