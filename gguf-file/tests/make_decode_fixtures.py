#!/usr/bin/env python3
"""Writes tests/fixtures/*.bin, which tests/decode.rs compares every decoder with.

    pip install gguf==0.19.0 numpy && python3 tests/make_decode_fixtures.py

A file holds random blocks of one format and what the Python package `gguf` makes of them:
u32 block count, the blocks, the same blocks as a big-endian file has them, the f32 values.
All numbers are little-endian. Scales are ordinary, zero, subnormal, infinite and NaN by turns.
"""

from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, quants

# Byte offsets of the numbers in a block that a big-endian file stores the other way round: (offset, width).
# The f16 ones among them are listed again in HALVES.
SWAPPED = {
    "F32": [(0, 4)], "F16": [(0, 2)], "BF16": [(0, 2)],
    "Q4_0": [(0, 2)], "Q4_1": [(0, 2), (2, 2)], "Q5_0": [(0, 2), (2, 4)], "Q5_1": [(0, 2), (2, 2), (4, 4)],
    "Q8_0": [(0, 2)], "Q2_K": [(80, 2), (82, 2)], "Q3_K": [(108, 2)], "Q4_K": [(0, 2), (2, 2)],
    "Q5_K": [(0, 2), (2, 2)], "Q6_K": [(208, 2)], "IQ4_NL": [(0, 2)], "IQ4_XS": [(0, 2), (2, 2)],
    "TQ1_0": [(52, 2)], "TQ2_0": [(64, 2)], "MXFP4": [], "NVFP4": [],
    "IQ2_XXS": [(0, 2), *((6 + 8 * i, 4) for i in range(8))], "IQ2_XS": [(2 * i, 2) for i in range(33)],
    "IQ2_S": [(0, 2)], "IQ3_XXS": [(0, 2), *((66 + 4 * i, 4) for i in range(8))], "IQ3_S": [(0, 2)],
    "IQ1_S": [(0, 2), *((34 + 2 * i, 2) for i in range(8))], "IQ1_M": [(48 + 2 * i, 2) for i in range(4)],
    "Q1_0": [(0, 2)], "Q2_0": [(0, 2)],
}
HALVES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
    "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "TQ1_0": [52], "TQ2_0": [64],
    "IQ2_XXS": [0], "IQ2_XS": [0], "IQ2_S": [0], "IQ3_XXS": [0], "IQ3_S": [0], "IQ1_S": [0],
    "Q1_0": [0], "Q2_0": [0],
}
# (elements, bytes) of formats that the package does not decode; here they are decoded as ggml defines them.
BY_DEFINITION = {"Q1_0": (128, 18), "Q2_0": (64, 18)}
# Zero, negative zero, the smallest and largest subnormal, the smallest normal, the largest, infinities, NaN.
SPECIAL_HALVES = [0x0000, 0x8000, 0x0001, 0x83FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00]


def make_blocks(name: str, rng: np.random.Generator) -> np.ndarray:
    elements, size = BY_DEFINITION.get(name) or GGML_QUANT_SIZES[GGMLQuantizationType[name]]
    count = {1: 256, 32: 24, 64: 36, 128: 13}.get(elements, 13)
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    if name == "F16":
        # Every half would be 384 KB; these are the special ones and random ones.
        halves = blocks.view("<u2").reshape(-1)
        halves[: len(SPECIAL_HALVES)] = SPECIAL_HALVES
    for field, offset in enumerate(HALVES.get(name, [])):
        ordinary = rng.normal(0, 0.05, count).astype("<f2").view("<u2")
        special = np.array(SPECIAL_HALVES, dtype="<u2")
        bits = np.where(np.arange(count) < len(special), np.resize(np.roll(special, 3 * field), count), ordinary)
        blocks[:, offset : offset + 2] = bits.astype("<u2").view(np.uint8).reshape(count, 2)
    if name == "MXFP4":
        blocks[:4, 0] = [0, 1, 2, 255]
    if name == "NVFP4":
        blocks[:32, :4] = np.arange(128, dtype=np.uint8).reshape(32, 4)
    return blocks


def dequantize(blocks: np.ndarray, name: str) -> np.ndarray:
    if name not in BY_DEFINITION:
        return quants.dequantize(blocks, GGMLQuantizationType[name])
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    packed = np.unpackbits(blocks[:, 2:], axis=1, bitorder="little")
    if name == "Q1_0":
        return scale * np.where(packed == 1, np.float32(1), np.float32(-1))
    return scale * (packed[:, 0::2] + 2 * packed[:, 1::2].astype(np.int8) - 1).astype(np.float32)


def main() -> None:
    folder = Path(__file__).parent / "fixtures"
    folder.mkdir(exist_ok=True)
    for number, name in enumerate(SWAPPED):
        blocks = make_blocks(name, np.random.default_rng(20_000 + number))
        with np.errstate(all="ignore"):
            values = dequantize(blocks, name)
        big = blocks.copy()
        for offset, width in SWAPPED[name]:
            big[:, offset : offset + width] = blocks[:, offset : offset + width][:, ::-1]
        with (folder / f"{name.lower()}.bin").open("wb") as file:
            file.write(np.uint32(len(blocks)).tobytes())
            file.write(blocks.tobytes())
            file.write(big.tobytes())
            file.write(np.ascontiguousarray(values).astype("<f4").tobytes())


if __name__ == "__main__":
    main()
