"""The part of a symmetric matrix that belongs to some of its rows and columns: read and added to.

Functions come in runs of consecutive ones. Only pairs of runs on and below the diagonal travel: a
read fills in the rest, and an addition leaves half of the matrix (see `add`).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import atoll

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Patch:
    """Some rows of a symmetric matrix, and the same columns."""

    functions: NDArray[np.int32]
    """Their numbers, ascending."""
    pairs: tuple[tuple[tuple[slice, slice], tuple[slice, slice]], ...]
    """Of each two runs: where they are in the matrix, where in the patch."""

    @classmethod
    def of(cls, functions: NDArray[np.int32]) -> Patch:
        """Make the patch of functions, ascending."""
        if len(functions) == 0:
            return cls(functions, ())
        borders = np.flatnonzero(np.diff(functions) != 1) + 1
        runs = []
        for first, end in zip([0, *borders], [*borders, len(functions)], strict=True):
            there = int(functions[first])
            runs.append((slice(there, there + int(end - first)), slice(int(first), int(end))))
        pairs = tuple(
            ((rows, columns), (inner_rows, inner_columns))
            for position, (rows, inner_rows) in enumerate(runs)
            for columns, inner_columns in runs[: position + 1]
        )
        return cls(functions, pairs)

    @property
    def nbytes(self) -> int:
        """Bytes that a read or an addition moves."""
        return sum(
            8 * (rows.stop - rows.start) * (columns.stop - columns.start)
            for _, (rows, columns) in self.pairs
        )

    def read(self, matrix: atoll.Array) -> NDArray[np.float64]:
        """Get the patch of a symmetric matrix. Not collective."""
        if len(self.pairs) == 1:
            only: NDArray[np.float64] = matrix[self.pairs[0][0]]
            return only
        patch = np.empty((len(self.functions), len(self.functions)))
        tiles = atoll.wait_all([matrix.get_async(there) for there, _ in self.pairs])
        for (_, (rows, columns)), tile in zip(self.pairs, tiles, strict=True):
            patch[rows, columns] = tile
            if rows != columns:
                patch[columns, rows] = tile.T
        return patch

    def add(self, half: NDArray[np.float64], matrix: atoll.Array) -> None:
        """Add to a matrix what, with its transpose, is `half` with its transpose. Not collective.

        When all is added, the sum of the matrix and its transpose is what is wanted.
        """
        requests = []
        for there, (rows, columns) in self.pairs:
            tile = half[rows, columns]
            if rows != columns:
                tile = tile + half[columns, rows].T
            requests.append(matrix.accumulate_async(there, tile))
        atoll.wait_all(requests)


def without_gaps(
    reached: NDArray[np.bool_], widths: NDArray[np.int32], narrow: int
) -> NDArray[np.bool_]:
    """Add the shells between two others where their functions are fewer than `narrow`.

    They cost less than another run of functions does.
    """
    result: NDArray[np.bool_] = reached.copy()
    wanted = np.flatnonzero(reached)
    for before, after in itertools.pairwise(wanted):
        if after - before > 1 and widths[before + 1 : after].sum() < narrow:
            result[before:after] = True
    return result
