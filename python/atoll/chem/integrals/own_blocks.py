"""Walking over the blocks of a matrix that lie on this rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    import atoll
    from atoll.chem.integrals.blocks import Blocks


class OwnBlock(NamedTuple):
    """A block of a matrix over the basis functions: numbers of the blocks, and its memory."""

    row: int
    column: int
    values: NDArray[np.float64]


def own_blocks(matrix: atoll.Array, blocks: Blocks) -> Iterator[OwnBlock]:
    """Give the blocks of a matrix that are here, of one made by `BlockedBasis.matrix`."""
    for (rows, columns), patch in matrix.blocks():
        for p in _inside(rows, blocks):
            for q in _inside(columns, blocks):
                r, c = blocks.function_range(p), blocks.function_range(q)
                here = patch[
                    r.start - rows.start : r.stop - rows.start,
                    c.start - columns.start : c.stop - columns.start,
                ]
                yield OwnBlock(p, q, here)


def _inside(functions: slice, blocks: Blocks) -> list[int]:
    ranges = [blocks.function_range(block) for block in range(blocks.count)]
    return [
        block
        for block, of_block in enumerate(ranges)
        if functions.start <= of_block.start and of_block.stop <= functions.stop
    ]
