"""Makes source.gguf, cases.json and expected.bin: what numpy and the Python package `gguf` make of each tensor.

    pip install gguf==0.19.0 && python make_fixture.py

Numbers come from a fixed seed, so that running it again gives the same files.
"""

import json
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Q

HERE = Path(__file__).parent
HEADS, HEAD_DIM = 2, 20
ROWS = HEADS * HEAD_DIM
random = np.random.default_rng(20)


def bf16_bits(values):
    """Round to nearest, ties to even, by integer arithmetic."""
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def encode(values, dtype):
    values = np.ascontiguousarray(values, dtype=np.float32)
    return {"f32": values.astype("<f4"), "f16": values.astype("<f2"), "bf16": bf16_bits(values)}[dtype].tobytes()


def random_blocks(quantization, columns):
    """K-quants have no quantiser in Python: take random bits, with scales that are small finite halves."""
    block_elements, block_bytes = gguf.GGML_QUANT_SIZES[quantization]
    blocks = random.integers(0, 256, (ROWS * columns // block_elements, block_bytes), dtype=np.uint8)
    scales = {Q.Q4_K: [0, 2], Q.Q6_K: [block_bytes - 2]}[quantization]
    for at in scales:
        halves = random.uniform(0.001, 0.02, len(blocks)).astype("<f2")
        blocks[:, at : at + 2] = halves.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(ROWS, -1)


writer = gguf.GGUFWriter(HERE / "source.gguf", "test")
tensors = {}


def add(name, values, quantization):
    if quantization in (Q.Q4_K, Q.Q6_K):
        data = random_blocks(quantization, values.shape[1])
    else:
        data = gguf.quantize(values, quantization)
    tensors[name] = gguf.dequantize(data, quantization).astype(np.float32)
    writer.add_tensor(name, data, raw_dtype=quantization)


for quantization in (Q.F32, Q.F16, Q.BF16, Q.Q4_0, Q.Q4_1, Q.Q5_0, Q.Q5_1, Q.Q8_0, Q.Q4_K, Q.Q6_K):
    columns = 256 if quantization in (Q.Q4_K, Q.Q6_K) else 64
    add(quantization.name, random.normal(0, 0.05, (ROWS, columns)).astype(np.float32), quantization)
add("bias", random.normal(0, 1, ROWS).astype(np.float32), Q.F32)
# Halfway between neighbours, the largest finite values, subnormals of both 16-bit formats, zeros of both signs.
edges = [1.00390625, 1.01171875, 1.00048828125, 1.00146484375, 65519.0, 65520.0, 3.3895e38, 6e-8, 2.98e-8, 2.99e-8]
edges += [6.1e-5, 9.2e-41, 1e-45, 0.0]
edges = np.array(edges + [-edge for edge in edges] + [0.0] * 4, dtype=np.float32).reshape(1, -1)
add("edges", edges, Q.F32)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()

cases, expected = [], b""


def case(tensor, dtype, rope, transpose):
    global expected
    values = tensors[tensor]
    if rope:
        values = values.reshape(HEADS, HEAD_DIM // 2, 2, -1).swapaxes(1, 2).reshape(values.shape)
    if transpose:
        values = values.T
    data = encode(values, dtype)
    heads = [HEADS, HEAD_DIM] if rope else None
    shape, at = list(values.shape), [len(expected), len(data)]
    cases.append(dict(tensor=tensor, dtype=dtype, rope=heads, transpose=transpose, shape=shape, at=at))
    expected += data


for tensor in tensors:
    if tensor not in ("bias", "edges"):
        case(tensor, "bf16", rope=True, transpose=True)
for dtype in ("bf16", "f16", "f32"):
    for rope in (False, True):
        for transpose in (False, True):
            case("Q4_1", dtype, rope, transpose)
    case("bias", dtype, True, False)
    with np.errstate(over="ignore"):
        case("edges", dtype, False, False)
(HERE / "cases.json").write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")
(HERE / "expected.bin").write_bytes(expected)
