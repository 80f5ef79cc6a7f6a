"""Products and sums of matrices that are distributed by rows, of all ranks' rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.correlation.coupled_cluster.half_transform import runs
from atoll.chem.correlation.coupled_cluster.integrals import WORK
from atoll.chem.correlation.coupled_cluster.shares import own, panels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.coupled_cluster.shares import Shares


def add_transpose(square: atoll.Array, out: atoll.Array, shares: Shares, each: int) -> None:
    """Set `out` to a square matrix of `shares`, `each` rows an orbital, plus its transpose.

    Collective.
    """
    mine = slice(shares.own.start * each, shares.own.stop * each)
    shares.group.sync()
    total = own(out, out.shape[1])
    total[...] = own(square, square.shape[1])
    for rows, panel in panels(square, mine):
        total[:, rows] += panel.T
    shares.group.sync()  # nobody reads it any more


def multiply_rows(left: atoll.Array, right: atoll.Array, out: atoll.Array) -> None:
    """Set out[x, y] to the sum over rows of left[row, x] right[row, y]. Collective.

    Both have equal rows on each rank. Each adds its part a strip at a time, those that it has
    itself first, so that ranks write to different ones.
    """
    columns, width = left.shape[1], right.shape[1]
    own(out, width)[...] = 0
    out.group.sync()
    mine_left, mine_right = own(left, columns), own(right, width)
    if len(mine_left) > 0:
        strips = list(runs(columns, 8 * (width + len(mine_left)), WORK))
        # At least one for each rank.
        even = max(1, -(-columns // out.group.size))
        if strips and strips[0].stop > even:
            strips = list(runs(columns, 1, even))
        first = out.group.rank * len(strips) // out.group.size
        for strip in strips[first:] + strips[:first]:
            out.accumulate(np.s_[strip, :], mine_left[:, strip].T @ mine_right)
    out.group.sync()


def paired(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give sum_aix left[a, i, p, x] right[a, i, q, x], p x q, of what is here."""
    total = np.zeros((left.shape[2], right.shape[2]))
    for one, other in zip(left, right, strict=True):
        x = one.transpose(1, 0, 2).reshape(len(total), -1)
        y = other.transpose(1, 0, 2).reshape(total.shape[1], -1)
        total += x @ y.T
    return total
