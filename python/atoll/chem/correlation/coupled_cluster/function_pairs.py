"""Amplitudes over pairs of basis functions, for integrals that are not transformed.

Functions are in blocks A of shells. Of a pair of blocks A >= B all pairs of functions are rows, of
a block with itself both orders, so that a quartet of blocks is a product of matrices. Ranks have
whole pairs of blocks. Columns are pairs of occupied orbitals, of all `kinds` of one sign after each
other: what is symmetric in the functions is one matrix, what changes its sign another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.correlation.coupled_cluster.half_transform import runs
from atoll.chem.correlation.coupled_cluster.shares import Shares

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.coupled_cluster.pairs import VirtualPairs
    from atoll.chem.integrals.blocks import Blocks

    Array = NDArray[np.float64]

SIGNS = (1, -1)


@dataclass(frozen=True)
class PairKind:
    """Amplitudes of pairs cd of virtual orbitals, and what they become over functions."""

    sign: int
    """Of exchanging c and d, where each pair is there once; 0: all pairs are there."""
    left: NDArray[np.float64]
    """Coefficients of the orbitals c, in columns."""
    right: NDArray[np.float64]
    pairs: VirtualPairs
    columns: int
    """Pairs of occupied orbitals."""

    def has(self, sign: int) -> bool:
        """Tell whether it has a part of that sign over pairs of functions."""
        return self.sign in (sign, 0)

    def over_functions(self, part: Array) -> Array:
        """Transform pairs cd x columns to functions x functions x columns, of all ordered pairs."""
        width = part.shape[1]
        square = np.zeros((self.left.shape[1], self.right.shape[1], width))
        square[self.pairs.left, self.pairs.right] = part
        if self.sign != 0:
            square = square + self.sign * square.transpose(1, 0, 2)
        half = (self.left @ square.reshape(len(square), -1)).reshape(-1, square.shape[1], width)
        full: Array = np.matmul(self.right, half)
        return full

    def over_orbitals(self, full: Array) -> Array:
        """Transform functions x functions x columns to pairs cd, half of it where c is d."""
        functions, _, width = full.shape
        half = (self.left.T @ full.reshape(functions, -1)).reshape(-1, functions, width)
        part: Array = np.matmul(self.right.T, half)[self.pairs.left, self.pairs.right]
        if self.sign != 0:
            part[self.pairs.left == self.pairs.right] *= 0.5
        return part


class FunctionPairs:
    """The rows of matrices over pairs of functions, and what is transformed to them.

    Args:
        blocks: Of functions.
        shells: First function of each shell, and their number.
        kinds: What is transformed.
        group: Who computes.
        memory: Bytes a rank for the work.

    Attributes:
        first: First row of each pair of blocks; at the end the number of rows.
        columns: Columns of the matrix of each sign that there is.

    """

    def __init__(
        self,
        blocks: Blocks,
        shells: NDArray[np.int32],
        kinds: Sequence[PairKind],
        group: atoll.Group,
        memory: int,
    ) -> None:
        self._blocks, self._shells, self._kinds = blocks, shells, kinds
        self._group, self._memory = group, memory
        widths = np.diff(blocks.functions).astype(np.int64)
        self._pairs = [(p, q) for p in range(blocks.count) for q in range(p + 1)]
        sizes = [int(widths[p] * widths[q]) for p, q in self._pairs]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._shares = Shares(group, len(self._pairs))
        of_ranks = [range(len(self._pairs))[self._shares.of(rank)] for rank in range(group.size)]
        self._owners = [
            (rank, int(self.first[numbers.start]))
            for rank, numbers in enumerate(of_ranks)
            for _ in numbers
        ]
        columns = {sign: sum(kind.columns for kind in kinds if kind.has(sign)) for sign in SIGNS}
        self.columns = {sign: count for sign, count in columns.items() if count > 0}

    def matrices(self, name: str) -> dict[int, atoll.Array]:
        """Make a matrix of zeros for each sign that there is. Collective."""
        return {
            sign: self._shares.ragged(count, self.first, name)
            for sign, count in self.columns.items()
        }

    def rows(self, p: int, q: int) -> slice:
        """Give the rows of blocks p >= q."""
        number = p * (p + 1) // 2 + q
        return slice(int(self.first[number]), int(self.first[number + 1]))

    def owner(self, p: int, q: int) -> tuple[int, int]:
        """Give the rank that has the rows of blocks p >= q, and its first row."""
        return self._owners[p * (p + 1) // 2 + q]

    def spread(
        self, amplitudes: Sequence[atoll.Array], targets: dict[int, atoll.Array]
    ) -> NDArray[np.float64]:
        """Transform amplitudes of each kind to `targets` by sign. Collective.

        Blocks with themselves are halved, as they have both orders of each pair. Gives the largest
        absolute value for each pair of shells, on all ranks.
        """
        shells = len(self._shells) - 1
        largest = np.zeros((shells, shells))
        for kind, array, before in zip(self._kinds, amplitudes, self._before(), strict=True):
            for some in self._batches(kind):
                full = kind.over_functions(array[:, some])
                for sign in filter(kind.has, SIGNS):
                    values = full
                    if kind.sign == 0:
                        values = 0.5 * (full + sign * full.transpose(1, 0, 2))
                    np.maximum(largest, self._shell_maxima(values), out=largest)
                    targets[sign][:, _shifted(some, before[sign])] = self._packed(values)
        self._group.sync()
        found: NDArray[np.float64] = np.asarray(self._group.reduce(largest.ravel(), "max"))
        return found.reshape(shells, shells)

    def collect(self, sources: dict[int, atoll.Array], out: Sequence[atoll.Array]) -> None:
        """Transform `sources` by sign to pairs of orbitals of each kind. Collective."""
        for kind, array, before in zip(self._kinds, out, self._before(), strict=True):
            for some in self._batches(kind):
                signs = list(filter(kind.has, SIGNS))
                full = self._unpacked(sources, signs, [_shifted(some, before[s]) for s in signs])
                array[:, some] = kind.over_orbitals(full)
        self._group.sync()

    def _before(self) -> Iterator[dict[int, int]]:
        """Give for each kind the columns before its own, by sign."""
        before = dict.fromkeys(SIGNS, 0)
        for kind in self._kinds:
            yield dict(before)
            for sign in filter(kind.has, SIGNS):
                before[sign] += kind.columns

    def _batches(self, kind: PairKind) -> Iterator[slice]:
        """Give this rank's columns, as many as the memory is enough for at a time."""
        mine = Shares(self._group, kind.columns).own
        functions = int(self._blocks.functions[-1])
        for some in runs(max(0, mine.stop - mine.start), 5 * 8 * functions**2, self._memory):
            yield _shifted(some, mine.start)

    def _packed(self, full: Array) -> Array:
        packed = np.empty((int(self.first[-1]), full.shape[2]))
        for p, q in self._pairs:
            part = self._patch(full, p, q)
            target = packed[self.rows(p, q)].reshape(part.shape)
            np.multiply(part, 0.5 if p == q else 1.0, out=target)
        return packed

    def _unpacked(
        self, sources: dict[int, atoll.Array], signs: list[int], columns: list[slice]
    ) -> Array:
        functions = int(self._blocks.functions[-1])
        full = np.zeros((functions, functions, columns[0].stop - columns[0].start))
        for sign, some in zip(signs, columns, strict=True):
            packed = sources[sign][:, some]
            for p, q in self._pairs:
                target = self._patch(full, p, q)
                part = packed[self.rows(p, q)].reshape(target.shape)
                target += part
                if p != q:
                    mirrored = self._patch(full, q, p)
                    mirrored += sign * part.transpose(1, 0, 2)
        return full

    def _patch(self, full: Array, p: int, q: int) -> Array:
        return full[self._blocks.function_range(p), self._blocks.function_range(q)]

    def _shell_maxima(self, full: Array) -> Array:
        largest = np.maximum(full.max(axis=2), -full.min(axis=2))
        starts = self._shells[:-1]
        found: Array = np.maximum.reduceat(np.maximum.reduceat(largest, starts, 0), starts, 1)
        return found


def _shifted(some: slice, by: int) -> slice:
    return slice(some.start + by, some.stop + by)
