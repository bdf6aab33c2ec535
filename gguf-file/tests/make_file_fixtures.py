#!/usr/bin/env python3
"""Writes tests/fixtures/*.gguf, which tests/interop.rs reads and writes again byte for byte.

    pip install gguf==0.19.0 numpy && python3 tests/make_file_fixtures.py

One small model in three ways: little-endian, big-endian, and split into files of two tensors each.
"""

from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFEndian, GGUFValueType, GGUFWriter

FOLDER = Path(__file__).parent / "fixtures"


def fill(writer: GGUFWriter, alignment: int | None, packed: bool) -> None:
    writer.add_uint8("a.u8", 200)
    writer.add_int8("a.i8", -100)
    writer.add_uint16("a.u16", 60_000)
    writer.add_int16("a.i16", -30_000)
    writer.add_uint32("a.u32", 4_000_000_000)
    writer.add_int32("a.i32", -2_000_000_000)
    writer.add_float32("a.f32", 0.1)
    writer.add_uint64("a.u64", 1 << 63)
    writer.add_int64("a.i64", -(1 << 62))
    writer.add_float64("a.f64", 0.1)
    writer.add_bool("a.bool", True)
    writer.add_string("a.string", "grüß dich, 世界")
    writer.add_array("b.strings", ["", "one", "Ġtwo"])
    writer.add_array("b.bools", [True, False])
    writer.add_key_value("b.u16s", [1, 500, 65_535], GGUFValueType.ARRAY, sub_type=GGUFValueType.UINT16)
    writer.add_array("b.i32s", [-1, 0, 1])
    writer.add_array("b.f32s", [0.5, -2.0])
    if alignment:
        writer.add_custom_alignment(alignment)
    numbers = np.arange(64, dtype=np.float32)
    writer.add_tensor("norm.weight", numbers[:3])
    writer.add_tensor("matrix.weight", numbers.reshape(4, 16))
    writer.add_tensor("half.weight", numbers[:10].astype(np.float16).reshape(2, 5))
    if packed:
        blocks = np.arange(80, dtype=np.uint8).reshape(2, 40)
        writer.add_tensor("packed.weight", blocks, raw_dtype=GGMLQuantizationType.Q4_1)


def write(writer: GGUFWriter, alignment: int | None, packed: bool) -> None:
    fill(writer, alignment, packed)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    write(GGUFWriter(FOLDER / "small.gguf", "llama"), alignment=64, packed=True)
    # gguf-py cannot swap the bytes inside blocks.
    big = GGUFWriter(FOLDER / "small-big-endian.gguf", "llama", endianess=GGUFEndian.BIG)
    write(big, alignment=64, packed=False)
    # gguf-py pads later parts by an alignment that only the first part mentions, which no reader honours.
    write(GGUFWriter(FOLDER / "small.gguf", "llama", split_max_tensors=2), alignment=None, packed=True)


if __name__ == "__main__":
    main()
