#!/usr/bin/env python3
"""Writes the same model with F16 or F32 weights: make_float.py IN.gguf OUT.gguf F16|F32

Tensors are dequantised by the Python package gguf and, for F16, rounded; vectors (norms, biases) become F32, as
llama.cpp's converters do it. Metadata is copied. None of the project's own code is involved, so that llama.cpp
running the result is a reference for it. Needs the Python packages gguf and numpy.
"""
import sys

import gguf
import numpy as np

# Written by GGUFWriter itself, or about the quantisation that is undone here.
OWN_KEYS = {"GGUF.version", "GGUF.tensor_count", "GGUF.kv_count", "general.architecture", "general.file_type",
            "general.quantization_version", "general.alignment"}


FLOATS = {"F16": (np.float16, gguf.LlamaFileType.MOSTLY_F16), "F32": (np.float32, gguf.LlamaFileType.ALL_F32)}


def copy_metadata(reader, writer):
    for key, field in reader.fields.items():
        if key in OWN_KEYS:
            continue
        kind, *sub = field.types
        if kind == gguf.GGUFValueType.ARRAY and len(field.data) == 0:
            continue  # the package can't write an empty array
        writer.add_key_value(key, field.contents(), kind, sub_type=sub[-1] if sub else None)


def main():
    source, target, name = sys.argv[1:]
    matrices, file_type = FLOATS[name]
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    copy_metadata(reader, writer)
    writer.add_file_type(file_type)
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type)
        values = values.reshape([int(size) for size in reversed(tensor.shape)])
        writer.add_tensor(tensor.name, values.astype(matrices if values.ndim > 1 else np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
