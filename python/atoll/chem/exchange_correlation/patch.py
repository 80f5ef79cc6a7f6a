"""The part of a symmetric matrix that belongs to some of its rows and columns: read and added to.

What travels are runs of consecutive functions, gaps of a few others included: fewer messages are
worth more bytes. Only pairs of runs on and below the diagonal travel: a read fills in the rest, and
an addition leaves half of the matrix (see `add`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll

if TYPE_CHECKING:
    from numpy.typing import NDArray

NARROW_IN_MEMORY, NARROW_BETWEEN_NODES = 10, 6
"""Runs with fewer functions between them than this are one: a call costs some microseconds, and
bytes next to nothing in memory; on a slow network they cost more than messages do."""


class _Run(NamedTuple):
    """Functions that travel together."""

    there: slice
    """Where they are in the matrix, gaps included."""
    here: slice
    """Where they are in the patch."""
    inside: NDArray[np.int32] | slice
    """Which of `there` they are; all, where there are no gaps."""


class Patch:
    """Some rows of a symmetric matrix, and the same columns.

    Attributes:
        functions: Their numbers, ascending.

    """

    def __init__(self, functions: NDArray[np.int32], narrow: int) -> None:
        self.functions = functions
        runs = _runs(functions, narrow)
        self._pairs = [(row, column) for at, row in enumerate(runs) for column in runs[: at + 1]]

    @property
    def nbytes(self) -> int:
        """Bytes that a read or an addition moves."""
        return sum(8 * _extent(row) * _extent(column) for row, column in self._pairs)

    def read(self, matrix: atoll.Array) -> NDArray[np.float64]:
        """Get the patch of a symmetric matrix. Not collective."""
        patch = np.empty((len(self.functions), len(self.functions)))
        requests = [matrix.get_async((row.there, column.there)) for row, column in self._pairs]
        for (row, column), tile in zip(self._pairs, atoll.wait_all(requests), strict=True):
            part = tile[row.inside][:, column.inside]
            patch[row.here, column.here] = part
            if row is not column:
                patch[column.here, row.here] = part.T
        return patch

    def add(self, half: NDArray[np.float64], matrix: atoll.Array) -> None:
        """Add to a matrix what, with its transpose, is `half` with its transpose. Not collective.

        When all is added, the sum of the matrix and its transpose is what is wanted.
        """
        requests = []
        for row, column in self._pairs:
            part = half[row.here, column.here]
            if row is not column:
                part = part + half[column.here, row.here].T
            if part.shape != (_extent(row), _extent(column)):
                tile = np.zeros((_extent(row), _extent(column)))
                tile[_crossing(row, column)] = part
                part = tile
            requests.append(matrix.accumulate_async((row.there, column.there), part))
        atoll.wait_all(requests)


def _runs(functions: NDArray[np.int32], narrow: int) -> list[_Run]:
    """Put functions, ascending, into runs, gaps of fewer than `narrow` others included."""
    if len(functions) == 0:
        return []
    borders = np.flatnonzero(np.diff(functions) > narrow) + 1
    runs = []
    for first, end in zip([0, *borders.tolist()], [*borders.tolist(), len(functions)], strict=True):
        members = functions[first:end]
        there = slice(int(members[0]), int(members[-1]) + 1)
        complete = there.stop - there.start == len(members)
        inside = slice(None) if complete else members - members[0]
        runs.append(_Run(there, slice(first, end), inside))
    return runs


def _extent(run: _Run) -> int:
    return int(run.there.stop - run.there.start)


def _crossing(row: _Run, column: _Run) -> tuple[NDArray[np.intp], ...]:
    """Give the index of a tile's elements that belong to both runs."""
    return np.ix_(np.arange(_extent(row))[row.inside], np.arange(_extent(column))[column.inside])
