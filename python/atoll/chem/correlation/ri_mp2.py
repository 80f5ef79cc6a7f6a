"""Second-order perturbation theory with fitted integrals (RI-MP2), distributed.

Blocks of occupied orbitals are dealt out in pairs; the rank that takes a pair fetches what it needs
of B while it multiplies the one before, and sums the pair energies. No rank holds more than four
such blocks beside its share of B.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

BUFFERS = 4  # two blocks that are multiplied, two on their way
PAIRS_A_RANK = 8  # of blocks, at least, so that the load is even


class Energy(NamedTuple):
    """Correlation energy in hartree, by the spins of the two electrons."""

    same_spin: float
    opposite_spin: float

    @property
    def total(self) -> float:
        """Of MP2."""
        return self.same_spin + self.opposite_spin

    @property
    def scaled(self) -> float:
        """Spin-component scaled (Grimme 2003): 6/5 of opposite spins, 1/3 of the same."""
        return self.opposite_spin * 6 / 5 + self.same_spin / 3


@dataclass(frozen=True)
class Pairs:
    """B[Q, ia] of one spin, and the orbital energies."""

    fitted: atoll.Array
    occupied: NDArray[np.float64]
    virtual: NDArray[np.float64]

    def key(self, block: slice) -> tuple[slice, slice]:
        """Say where a block of occupied orbitals is."""
        v = len(self.virtual)
        return slice(None), slice(block.start * v, block.stop * v)


def restricted(pairs: Pairs, memory: int) -> Energy:
    """Give the energy of closed shells; `memory`: bytes a rank for blocks. Collective."""
    same, opposite = _sums(pairs, pairs, memory, exchange=True)
    return Energy(same, opposite)


def unrestricted(alpha: Pairs, beta: Pairs, memory: int) -> Energy:
    """Give the energy of open shells. Collective."""
    same = sum(_sums(spin, spin, memory, exchange=True)[0] for spin in (alpha, beta))
    return Energy(same / 2, _sums(alpha, beta, memory, exchange=False)[1])


def _sums(left: Pairs, right: Pairs, memory: int, exchange: bool) -> tuple[float, float]:
    """Sum g (g - g^T) / d and g g / d over all pairs, g = (ia|jb); the first if `exchange`."""
    group = left.fitted.group
    ordered = left is right
    tasks = _tasks(left, right, memory, ordered)
    terms = np.zeros(2)
    if left.fitted.size > 0 and right.fitted.size > 0:
        for (rows, columns), b_i, b_j in _fetched(left, right, tasks):
            terms += _block_terms(left, right, rows, columns, b_i, b_j, ordered, exchange)
    group.sync()
    same, opposite = group.reduce(terms)
    return float(same), float(opposite)


def _tasks(left: Pairs, right: Pairs, memory: int, ordered: bool) -> list[tuple[slice, slice]]:
    """Pair blocks of occupied orbitals; of one spin with itself each pair once."""
    group = left.fitted.group
    functions = left.fitted.shape[0]
    bytes_each = max(1, functions * max(len(left.virtual), len(right.virtual)) * 8)
    width = max(1, memory // (BUFFERS * bytes_each))
    wanted = int(np.ceil(np.sqrt(2 * PAIRS_A_RANK * group.size)))  # blocks
    most = max(len(left.occupied), len(right.occupied))
    width = min(width, max(1, most // wanted))

    def blocks(count: int) -> list[slice]:
        return [slice(b, min(b + width, count)) for b in range(0, count, width)]

    return [
        (i, j)
        for i in blocks(len(left.occupied))
        for j in blocks(len(right.occupied))
        if not ordered or j.start <= i.start
    ]


def _fetched(
    left: Pairs, right: Pairs, tasks: list[tuple[slice, slice]]
) -> Iterator[tuple[tuple[slice, slice], NDArray[np.float64], NDArray[np.float64]]]:
    """Give this rank's tasks with what they need; the next one's is on its way meanwhile."""

    def begin(task: int) -> tuple[int, atoll.Request, atoll.Request]:
        rows, columns = tasks[task]
        return (
            task,
            left.fitted.get_async(left.key(rows)),
            right.fitted.get_async(right.key(columns)),
        )

    under_way = None
    for task in atoll.Counter(group=left.fitted.group).below(len(tasks)):
        begun = begin(task)
        if under_way is not None:
            number, first, second = under_way
            yield tasks[number], first.wait(), second.wait()
        under_way = begun
    if under_way is not None:
        number, first, second = under_way
        yield tasks[number], first.wait(), second.wait()


def _block_terms(
    left: Pairs,
    right: Pairs,
    rows: slice,
    columns: slice,
    b_i: NDArray[np.float64],
    b_j: NDArray[np.float64],
    ordered: bool,
    exchange: bool,
) -> NDArray[np.float64]:
    v, w = len(left.virtual), len(right.virtual)
    terms = np.zeros(2)
    virtual = left.virtual[:, None] + right.virtual[None, :]
    g, amplitudes = np.empty((v, w)), np.empty((v, w))
    for i in range(rows.start, rows.stop):
        of_i = b_i[:, (i - rows.start) * v : (i - rows.start + 1) * v].T
        for j in range(columns.start, min(columns.stop, i + 1) if ordered else columns.stop):
            of_j = b_j[:, (j - columns.start) * w : (j - columns.start + 1) * w]
            np.matmul(of_i, of_j, out=g)
            np.subtract(left.occupied[i] + right.occupied[j], virtual, out=amplitudes)
            np.divide(g, amplitudes, out=amplitudes)
            weight = 2.0 if ordered and i != j else 1.0
            opposite = np.vdot(amplitudes, g)
            terms[1] += weight * opposite
            if exchange:
                terms[0] += weight * (opposite - np.einsum("ab,ba->", amplitudes, g))
    return terms
