"""Who has what: every large array has a virtual orbital in front, and ranks have whole ones.

The amplitudes are a matrix t[ai, bj] of pairs, i and j fastest. A rank has all rows of some
orbitals a; so exchanging i and j, and pairing a with another orbital, moves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

import atoll

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MOST_FETCHED = 1 << 22  # of a panel from another node, in doubles: 32 MiB


def even_starts(count: int, parts: int) -> list[int]:
    """Cut into as even parts as can be, each of one or more; where they begin."""
    parts = max(1, min(parts, count))
    return [count * part // parts for part in range(parts)]


@dataclass(frozen=True)
class Shares:
    """How orbitals (or other things that are counted) are shared among the ranks of a group."""

    group: atoll.Group
    count: int

    def of(self, rank: int) -> slice:
        """Give the orbitals of a rank, consecutive ones; maybe none."""
        bounds = [*even_starts(self.count, self.group.size), self.count]
        if rank >= len(bounds) - 1:
            return slice(self.count, self.count)
        return slice(bounds[rank], bounds[rank + 1])

    @property
    def own(self) -> slice:
        """Give those of this rank."""
        return self.of(self.group.rank)

    @property
    def most(self) -> int:
        """Give how many the rank has that has most."""
        return -(-self.count // max(1, min(self.group.size, self.count)))

    def rows(self, columns: int, per_orbital: int, name: str) -> atoll.Array:
        """Make a matrix of zeros with so many rows for each. Collective."""
        return self.ragged(columns, per_orbital * np.arange(self.count + 1), name)

    def ragged(self, columns: int, first: NDArray[np.int64], name: str) -> atoll.Array:
        """Make a matrix of zeros: `first` has the first row of each, and their number. Collective.

        Each has one row or more.
        """
        shape = (int(first[-1]), columns)
        if 0 in shape:
            return atoll.zeros(shape, group=self.group, name=name)
        starts = [int(first[begin]) for begin in even_starts(self.count, self.group.size)]
        layout = atoll.irregular([starts, [0]])
        return atoll.zeros(shape, distribution=layout, group=self.group, name=name)


def own(array: atoll.Array, *extents: int) -> NDArray[np.float64]:
    """View this rank's rows of a matrix as any number x extents."""
    local = array.local()
    if local.size == 0:
        return np.empty((0, *extents))
    view: NDArray[np.float64] = local.reshape(-1, *extents)
    return view


def panels(
    array: atoll.Array, columns: slice = slice(None)
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Give all rows of a matrix of `Shares`, a panel at a time, and which they are.

    This rank's own come first, so that ranks ask different owners. What lies on this node is given
    as it is and is not to be written to; the next panel of another node is on its way meanwhile.
    Not collective.
    """
    group, (count, width) = array.group, array.shape
    begin, end, _ = columns.indices(width)
    if count == 0 or end <= begin:
        return
    height = max(1, MOST_FETCHED // (end - begin))
    waiting: list[tuple[slice, atoll.Request]] = []
    for turn in range(group.size):
        owner = (group.rank + turn) % group.size
        for rows in _rows_of(array, owner):
            if group.same_node(owner):
                yield rows, array.block(owner)[:, begin:end]
                continue
            pieces = range(rows.start, rows.stop, height)
            for first, last in pairwise([*pieces, rows.stop]):
                part = slice(first, last)
                waiting.append((part, array.get_async((part, slice(begin, end)))))
                if len(waiting) > 1:
                    yield _arrived(*waiting.pop(0))
    while waiting:
        yield _arrived(*waiting.pop(0))


def _arrived(rows: slice, request: atoll.Request) -> tuple[slice, NDArray[np.float64]]:
    return rows, np.asarray(request.wait())


def _rows_of(array: atoll.Array, owner: int) -> list[slice]:
    found = array.locate(np.s_[:, :1])
    return [rows for rank, (rows, _) in found if rank == owner]
