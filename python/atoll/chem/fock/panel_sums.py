"""What a rank adds to a symmetric matrix, gathered by rows of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import atoll
    from atoll.chem.integrals.pair_blocks import PairBlocks

MOST_KEPT = 32 << 20
"""Bytes that a rank gathers for a matrix; where its panels take more they go at once."""


class PanelSums:
    """Adds to the blocks of a matrix on and below the diagonal.

    What is below counts twice, so that the matrix with its transpose is halved in the end.
    """

    def __init__(self, matrix: atoll.Array, pairs: PairBlocks) -> None:
        self.pairs = pairs
        self._matrix = matrix
        self._kept: dict[int, NDArray[np.float64]] | None = (
            {} if 8 * pairs.size <= MOST_KEPT else None
        )

    def add(self, block: int, values: NDArray[np.float64], columns: slice, factor: float) -> None:
        """Add `factor` times values to some columns of a block's rows. Overwrites `values`."""
        rows = self.pairs.rows(block)
        values *= factor
        if self._kept is None:
            self._matrix.at[rows, columns] += values
            return
        panel = self._kept.get(block)
        if panel is None:
            panel = self._kept[block] = np.zeros((rows.stop - rows.start, rows.stop))
        panel[:, columns] += values

    def flush(self) -> None:
        """Accumulate what is gathered; whoever reads the matrix waits for all ranks."""
        for block, panel in (self._kept or {}).items():
            rows = self.pairs.rows(block)
            self._matrix.at[rows, : rows.stop] += panel
        self._kept = None if self._kept is None else {}
