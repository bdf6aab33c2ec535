#!/usr/bin/env python3
"""Writes src/block/codebooks.bin, the codebooks of the IQ1, IQ2 and IQ3 formats, from the package `gguf`.

    pip install gguf==0.19.0 numpy && python3 tests/make_codebooks.py
"""

from pathlib import Path

import numpy as np
from gguf import quants

# In the order in which src/block/codebook.rs takes them. IQ1_M uses the book of IQ1_S.
BOOKS = [(quants.IQ2_XXS, 2), (quants.IQ2_XS, 2), (quants.IQ2_S, 2), (quants.IQ1_S, 2), (quants.IQ3_XXS, 4), (quants.IQ3_S, 4)]


def main() -> None:
    path = Path(__file__).parent.parent / "src/block/codebooks.bin"
    with path.open("wb") as file:
        for book, bits in BOOKS:
            book.init_grid()
            points = book.grid.reshape(book.grid_shape)
            codes = np.searchsorted(np.array(book.grid_map, dtype=np.float32), points)
            places = np.arange(codes.shape[1]) * bits
            file.write((codes << places).sum(axis=1).astype("<u2").tobytes())


if __name__ == "__main__":
    main()
