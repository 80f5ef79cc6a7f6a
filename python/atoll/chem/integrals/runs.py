"""Cutting what comes in pieces, shells or tasks, into runs of a wanted extent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


def shell_runs(first: NDArray[np.int32], width: int) -> list[int]:
    """Cut shells into runs of about `width` functions; where runs begin, and the end.

    `first` holds the first function of each shell, and the number of functions.
    """
    shells = len(first) - 1
    cuts = [0]
    for shell in range(1, shells):
        if first[shell + 1] - first[cuts[-1]] > width:
            cuts.append(shell)
    return [*cuts, shells]


def range_runs(ranges: Sequence[slice], room: int) -> list[slice]:
    """Cut consecutive ranges into runs that cover `room`, or of one: which ranges each has."""
    runs: list[slice] = []
    first = 0
    for number, each in enumerate(ranges):
        if number > first and each.stop - ranges[first].start > room:
            runs.append(slice(first, number))
            first = number
    return [*runs, slice(first, len(ranges))]
