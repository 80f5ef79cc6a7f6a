"""All pairs of orbitals (i, j), by blocks: which are in memory together, and who works on which.

What fits in memory is there once and for all. Of what is on disk a part is held at a time, as large
as the memory allows, and the orbitals before it go by in strips that are read ahead; so a pass over
the file is made for each part that is held, and all ranks' memory together decides how many.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll.chem.correlation.held import Held, OrbitalBlock
    from atoll.chem.correlation.three_index import PairTensor

    Fetched = NDArray[np.float64] | atoll.Request

PAIRS_A_RANK = 12  # of blocks, at least, so that the load is even
RECTANGLES_A_RANK = 2  # the same, where all pairs of blocks are equally large
MOST_PRODUCTS = 1 << 23  # of a pair of blocks, in doubles: 64 MiB


class Room:
    """Memory for products, used again and again."""

    def __init__(self) -> None:
        self._values = np.empty(0)

    def matrix(self, rows: int, columns: int) -> NDArray[np.float64]:
        """Give a matrix with anything in it; the one before it is overwritten."""
        if self._values.size < rows * columns:
            self._values = np.empty(rows * columns)
        return self._values[: rows * columns].reshape(rows, columns)


class BlockPair(NamedTuple):
    """Blocks of orbitals i and j with their integrals, Q x i x a; memory that nobody writes to."""

    rows: slice
    columns: slice
    left: NDArray[np.float64]
    right: NDArray[np.float64]

    def products(self, room: Room) -> NDArray[np.float64]:
        """Compute (ia|jb): ia x jb."""
        left, right = (each.reshape(each.shape[0], -1) for each in (self.left, self.right))
        return np.matmul(left.T, right, out=room.matrix(left.shape[1], right.shape[1]))


def needed(pair: BlockPair, ordered: bool) -> Iterator[BlockPair]:
    """Cut what is not wanted off a block with itself: j above i."""
    if not ordered or pair.rows != pair.columns:
        yield pair
        return
    for offset, i in enumerate(range(pair.rows.start, pair.rows.stop)):
        yield BlockPair(
            slice(i, i + 1),
            slice(pair.columns.start, i + 1),
            pair.left[:, offset : offset + 1],
            pair.right[:, : offset + 1],
        )


def held_pairs(left: PairTensor, right: PairTensor, memory: int) -> Iterator[tuple[Held, Held]]:
    """Give parts of two tensors that are in memory together, so that all pairs come by.

    Of one tensor with itself each pair comes once, j not above i. Collective; what is given is good
    until the next is asked for.
    """
    if left.whole is not None and right.whole is not None:
        yield left.whole, right.whole
        return
    ranks = left.group.size
    orbitals = memory // max(left.bytes_of_orbital, right.bytes_of_orbital)  # of a rank
    streamed = ranks * max(1, orbitals * 3 // 20)  # two of them are in memory
    resident = ranks * max(1, orbitals // 2)
    count = left.shape[1]
    parts = -(-count // resident)
    cuts = [count * part // parts for part in range(parts + 1)]
    for begin, end in pairwise(cuts):
        held = left.load(slice(begin, end))
        if left is right:
            yield held, held
        for other in right.stream(begin if left is right else right.shape[1], streamed):
            yield held, other
        held.array.destroy()


def block_pairs(left: Held, right: Held, memory: int, ordered: bool) -> Iterator[BlockPair]:
    """Give this rank pairs of blocks until there are none; the next one is on its way meanwhile.

    With `ordered` pairs of blocks with j above i are left out. Collective.
    """
    group = left.array.group
    width = _width(left, right, memory)
    tasks = [
        (i, j)
        for i in left.blocks(width)
        for j in right.blocks(width)
        if not ordered or j.orbitals.start <= i.orbitals.start
    ]
    under_way: tuple[OrbitalBlock, OrbitalBlock, Fetched, Fetched] | None = None
    for number in atoll.Counter(group=group).below(len(tasks)):
        i, j = tasks[number]
        begun = (i, j, left.get(i), right.get(j))
        if under_way is not None:
            yield _complete(*under_way)
        under_way = begun
    if under_way is not None:
        yield _complete(*under_way)
    group.sync()


def _complete(i: OrbitalBlock, j: OrbitalBlock, left: Fetched, right: Fetched) -> BlockPair:
    return BlockPair(i.orbitals, j.orbitals, _values(left), _values(right))


def _values(fetched: Fetched) -> NDArray[np.float64]:
    if isinstance(fetched, atoll.Request):
        return np.asarray(fetched.wait())
    return fetched


def _width(left: Held, right: Held, memory: int) -> int:
    """Choose the orbitals of a block: large products of matrices, and enough tasks for all."""
    group = left.array.group
    fitting, _, virtual = map(max, left.array.shape, right.array.shape)
    products = min(MOST_PRODUCTS, memory // (8 * 8))
    width = int(products**0.5) // virtual
    if group.nodes > 1:  # four blocks may be on their way from other nodes
        width = min(width, memory // (8 * 8 * fitting * virtual))
    if group.size > 1:
        tasks = group.size * (PAIRS_A_RANK if left is right else RECTANGLES_A_RANK)
        width = min(width, int((left.count * right.count / tasks) ** 0.5))
    return max(1, width)
