"""Integrals of quartets of blocks times amplitudes over pairs of functions.

For pairs of functions mn and ls the matrix is (ml|ns) +- (ms|nl). Of four blocks A >= B >= C >= D
there are three kinds of integrals, (AB|CD), (AC|BD) and (AD|BC), and three parts of the matrix,
AB with CD, AC with BD and AD with BC; each part is made of two kinds. So a task computes each
integral once, and each part, which stands in the matrix twice, is multiplied from both sides.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from atoll._core import BlockIntegrals
    from atoll.chem.correlation.coupled_cluster.function_pairs import FunctionPairs
    from atoll.chem.integrals.blocks import Blocks

    Array = NDArray[np.float64]
    Pair = tuple[int, int]


class Part(NamedTuple):
    """A part of the matrix: two pairs of blocks, and the integrals that it is made of."""

    rows: Pair
    columns: Pair
    direct: Array | None
    """(ml|ns) as m x n x l x s; None: zeros."""
    exchanged: Array | None
    """(ms|nl) likewise; one of both is there."""

    def of_sign(self, sign: int) -> Array:
        """Give the matrix."""
        one = self.direct if self.exchanged is None else self.exchanged
        assert one is not None
        m, n, l, s = one.shape  # noqa: E741
        made = np.empty((m, n, l, s))  # in this order, whatever that of the parts
        if self.direct is None:
            np.multiply(one, sign, out=made)
        elif self.exchanged is None:
            made[...] = one
        else:
            (np.add if sign > 0 else np.subtract)(self.direct, self.exchanged, out=made)
        return made.reshape(m * n, l * s)


class QuartetProducts:
    """The product for a molecule.

    Args:
        integrals: Computes quartets of blocks; the bounds are set.
        blocks: Those.
        weights: Of each block: what computing its integrals costs.
        pairs: Rows of the amplitudes.
        group: Who computes.

    """

    def __init__(
        self,
        integrals: BlockIntegrals,
        blocks: Blocks,
        weights: NDArray[np.int64],
        pairs: FunctionPairs,
        group: atoll.Group,
    ) -> None:
        self._integrals, self._pairs, self._group = integrals, pairs, group
        quartets = np.array(
            list(combinations_with_replacement(range(blocks.count - 1, -1, -1), 4)), dtype=np.int64
        )
        costs = weights[quartets].prod(axis=1)
        self._tasks = quartets[np.argsort(-costs, kind="stable")].tolist()
        self._counter = atoll.Counter(group=group)
        self._widths = np.diff(blocks.functions).tolist()
        self._room = np.empty((3, max(self._widths) ** 4))

    def add(
        self,
        amplitudes: dict[int, atoll.Array],
        maxima: Array,
        out: dict[int, atoll.Array],
    ) -> None:
        """Add the product with amplitudes of each sign to `out`. Collective.

        `maxima`: the largest amplitudes of all pairs of shells.
        """
        self._counter.reset()
        for number in self._counter.below(len(self._tasks)):
            quartet = self._tasks[number]
            coming = self._begin_to_fetch(quartet, amplitudes)
            parts = list(self._parts(quartet, maxima))
            factors = {key: wait() for key, wait in coming.items()}
            for part in parts:
                rows, columns = self._pairs.rows(*part.rows), self._pairs.rows(*part.columns)
                for sign, target in out.items():
                    matrix = part.of_sign(sign)
                    target.accumulate(np.s_[rows, :], matrix @ factors[sign, part.columns])
                    if rows != columns:
                        found = matrix.T @ factors[sign, part.rows]
                        target.accumulate(np.s_[columns, :], found)
        self._group.sync()

    def _parts(self, quartet: list[int], maxima: Array) -> Iterator[Part]:
        """Compute the integrals of four blocks, descending, and give what is not all zeros."""
        a, b, c, d = quartet
        first = self._computed(0, (a, b, c, d), maxima)
        second = first if b == c else self._computed(1, (a, c, b, d), maxima)
        if c == d:
            third = second
        elif a == b:
            third = None if second is None else second.transpose(2, 3, 0, 1)
        else:
            third = self._computed(2, (a, d, b, c), maxima)
        ab_cd = _turned(second, (0, 2, 1, 3)), _turned(third, (0, 2, 3, 1))
        yield from self._part((a, b), (c, d), *ab_cd)
        if b != c:
            ac_bd = _turned(first, (0, 2, 1, 3)), _turned(third, (0, 3, 2, 1))
            yield from self._part((a, c), (b, d), *ac_bd)
        if a != b and c != d:
            ad_bc = _turned(first, (0, 3, 1, 2)), _turned(second, (0, 3, 2, 1))
            yield from self._part((a, d), (b, c), *ad_bc)

    def _part(
        self, rows: Pair, columns: Pair, direct: Array | None, exchanged: Array | None
    ) -> Iterator[Part]:
        if direct is not None or exchanged is not None:
            yield Part(rows, columns, direct, exchanged)

    def _computed(
        self, place: int, blocks: tuple[int, int, int, int], maxima: Array
    ) -> Array | None:
        """Compute (ij|kl) of blocks as i x j x k x l; None: all are negligible."""
        shape = [self._widths[block] for block in blocks]
        values = self._room[place, : math.prod(shape)]
        if self._integrals.compute(blocks, maxima, values) == 0:
            return None
        found: Array = values.reshape(shape)
        return found

    def _begin_to_fetch(
        self, quartet: list[int], amplitudes: dict[int, atoll.Array]
    ) -> dict[tuple[int, Pair], Callable[[], Array]]:
        """Begin to fetch the rows of a task from other nodes; calling what is given gives them."""
        wanted = {(x, y) for n, x in enumerate(quartet) for y in quartet[n + 1 :]}
        return {
            (sign, pair): self._rows_of(array, pair)
            for sign, array in amplitudes.items()
            for pair in sorted(wanted)
        }

    def _rows_of(self, array: atoll.Array, pair: Pair) -> Callable[[], Array]:
        rows = self._pairs.rows(*pair)
        owner, first = self._pairs.owner(*pair)
        if self._group.same_node(owner):
            view: Array = array.block(owner)[rows.start - first : rows.stop - first]
            return lambda: view
        return array.get_async((rows, slice(None))).wait


def _turned(values: Array | None, axes: tuple[int, int, int, int]) -> Array | None:
    return None if values is None else values.transpose(axes)
