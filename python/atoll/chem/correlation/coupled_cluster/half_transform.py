"""The first half of the transformation of integrals: (mn|ls) to (mn|qp), pairs mn by tasks.

Tasks are runs of pairs of shells, handed out one by one. The result is a matrix of pairs mn and
pairs of orbitals qp, distributed by q; so the second half needs no messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.shares import Shares, even_starts
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.pair_blocks import pair_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.fock_matrix import SpinSum, TwoElectronSum

MOST_INTEGRALS = 1 << 22  # of a task, in doubles: 32 MiB
TASKS_PER_RANK = 16
WIDTH = 12  # functions of a block of pairs: few pairs are there twice


class Wanted(NamedTuple):
    """Orbitals q and p that pairs of functions are transformed to: coefficients, in columns."""

    slow: NDArray[np.float64]
    """Of q."""
    fast: NDArray[np.float64]
    """Of p."""

    def of(self, integrals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Transform pairs x l x s to pairs x qp; to the fewer orbitals first."""
        pairs, functions, _ = integrals.shape
        if self.slow.shape[1] <= self.fast.shape[1]:
            first = np.matmul(self.slow.T, integrals)
            whole: NDArray[np.float64] = first.reshape(-1, functions) @ self.fast
        else:
            first = np.matmul(self.fast.T, integrals)
            whole = np.matmul(self.slow.T, first.transpose(0, 2, 1))
        return whole.reshape(pairs, -1)


class HalfTransformed(NamedTuple):
    """(mn|qp): pairs mn x pairs qp, p fastest. A rank has whole q."""

    array: atoll.Array
    shares: Shares
    """Of the orbitals q."""
    fast: int
    """Number of orbitals p."""

    def own(self, some: slice) -> NDArray[np.float64]:
        """View the columns of some q of this rank, counted from its first."""
        local: NDArray[np.float64] = self.array.local()
        return local[:, some.start * self.fast : some.stop * self.fast]


class Repulsion(Protocol):
    """Two-electron integrals of a molecule, that can be transformed.

    Attributes:
        group: Who computes.
        functions: Number of basis functions.
        pairs: Rows of what is half transformed.

    """

    group: atoll.Group
    functions: int

    @property
    def pairs(self) -> int:
        """Rows of what is half transformed."""

    def half_transformed(
        self, wanted: Sequence[Wanted], also: TwoElectronSum | SpinSum | None = None
    ) -> list[HalfTransformed]:
        """Do the first half for each of what is wanted; `also` meets all integrals. Collective."""

    def prepared(self, strip: NDArray[np.float64]) -> NDArray[np.float64]:
        """Make some columns of what is half transformed ready for `whole`."""

    def whole(
        self,
        prepared: NDArray[np.float64],
        left: NDArray[np.float64],
        right: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Give (rs|qp), r x s x qp; r and s are columns of `left` and `right`."""

    def close(self) -> None:
        """Free what is kept. Collective."""


class AtomicIntegrals:
    """The two-electron integrals of a molecule over basis functions, never all at a time."""

    def __init__(self, mole: Any, group: atoll.Group, memory: int) -> None:
        """Cut the pairs of functions into tasks; `memory`: bytes of one. Collective."""
        self.group = group
        self.functions = int(mole.nao_nr())
        self._blocks = pair_blocks(mole, WIDTH)
        self._integrals = pyscf_wheel.FourCentre(mole)
        self._counter = atoll.Counter(group=group)
        room = min(MOST_INTEGRALS, memory // 8) // self.functions**2
        even = self._blocks.size // (TASKS_PER_RANK * group.size)
        self._tasks = self._blocks.tasks(max(1, min(room, even)))

    @property
    def pairs(self) -> int:
        """Number of pairs mn that are kept."""
        return self._blocks.size

    def half_transformed(
        self, wanted: Sequence[Wanted], also: TwoElectronSum | SpinSum | None = None
    ) -> list[HalfTransformed]:
        """Compute (mn|qp) for each of what is wanted, in one pass. Collective.

        `also` is given all integrals, each by one rank.
        """
        made = [room(self.group, self.pairs, each) for each in wanted]
        self._counter.reset()
        last = len(self._tasks) - 1
        for number in self._counter.below(len(self._tasks)):
            task = self._tasks[last - number]  # those with long rows are at the end
            integrals = self._integrals.square(task.shells, task.end)
            for each, half in zip(wanted, made, strict=True):
                if half.array.size > 0:
                    half.array[task.pairs, :] = each.of(integrals)
            if also is not None:
                rows, end = self._blocks.functions_of(task)
                before = int(self._blocks.functions[self._blocks.block_of(task)])
                shape = (rows.stop - rows.start, end, self.functions, self.functions)
                also.add(integrals.reshape(shape), rows, before)
        self.group.sync()
        return made

    def prepared(self, strip: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give what `whole` takes: pairs mn x qp unpacked to m x n x qp."""
        n = self.functions
        full = np.empty((n, n, strip.shape[1]))
        for block in range(self._blocks.count):
            rows = self._blocks.rows(block)
            part = self._blocks.block(strip, block)
            full[rows, : rows.stop] = part
            full[: rows.start, rows] = part[:, : rows.start].transpose(1, 0, 2)
        return full

    def whole(
        self,
        prepared: NDArray[np.float64],
        left: NDArray[np.float64],
        right: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Transform m x n x qp to (rs|qp), r x s x qp. Not collective."""
        columns = prepared.shape[2]
        half = (left.T @ prepared.reshape(self.functions, -1)).reshape(-1, self.functions, columns)
        whole: NDArray[np.float64] = np.matmul(right.T, half)
        return whole

    def close(self) -> None:
        """Nothing is kept."""


def room(group: atoll.Group, pairs: int, wanted: Wanted) -> HalfTransformed:
    """Make room for so many pairs mn, or Q, and what is wanted. Collective."""
    slow, fast = wanted.slow.shape[1], wanted.fast.shape[1]
    shares, shape = Shares(group, slow), (pairs, slow * fast)
    if 0 in shape:
        return HalfTransformed(atoll.zeros(shape, group=group), shares, fast)
    starts = [fast * q for q in even_starts(slow, group.size)]
    layout = atoll.irregular([[0], starts])
    array = atoll.zeros(shape, distribution=layout, group=group, name="(mn|qp)")
    return HalfTransformed(array, shares, fast)


def runs(count: int, bytes_of_one: int, memory: int) -> Iterator[slice]:
    """Cut what is counted into runs that need about `memory` bytes, or of one."""
    width = max(1, memory // max(1, bytes_of_one))
    for begin in range(0, count, width):
        yield slice(begin, min(begin + width, count))
