"""Amplitudes and integrals as the (T) correction reads them: rows of one virtual orbital together.

Two distributed arrays, made once; L and R are what the kernel multiplies (src/chem/
triples_products.hpp), and behind R come the integrals of the disconnected part:

    left[x]      k, j  x  t_kj^xd, -(xk|jl)            d, l
    right[x, y]  i     x  (yd|xi), t_il^xy, (ix|jy)    d, l, j
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.triples_fetching import Fetched

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.triples_fetching import Part
    from atoll.chem.correlation.coupled_cluster.triples_tasks import Task

    Values = NDArray[np.float64]


MOST_BYTES = 1 << 23  # read at once: more does not stay in the cache, and is new memory each time


class Inputs(NamedTuple):
    """Distributed arrays of one group, in chemists' notation."""

    t1: atoll.Array
    """i, a"""
    t2: atoll.Array
    """i, j, a, b"""
    ovov: atoll.Array
    """i, a, j, b"""
    ovvv: atoll.Array
    """i, a, b, c"""
    ovoo: atoll.Array
    """i, a, j, k"""

    @property
    def occupied(self) -> int:
        """Number of occupied orbitals."""
        return int(self.t1.shape[0])

    @property
    def virtual(self) -> int:
        """Number of virtual orbitals."""
        return int(self.t1.shape[1])


class Operands:
    """The arrays left, v x o x o x (v + o), and right, v x v x o x (v + 2 o); and singles.

    Made from `inputs`, of which this rank reads what it owns here, some at a time: `memory` is for
    that, in bytes. Making and closing them is collective.
    """

    def __init__(self, group: atoll.Group, inputs: Inputs, memory: int) -> None:
        o, v = inputs.occupied, inputs.virtual
        left, right = (v, o, o, v + o), (v, v, o, v + 2 * o)
        whole = atoll.blocked((0, *left[1:]))
        self.left = atoll.empty(left, distribution=whole, group=group, name="(T) left")
        whole = atoll.blocked((0, 0, *right[2:]))
        self.right = atoll.empty(right, distribution=whole, group=group, name="(T) right")
        self.singles = inputs.t1
        self._inputs = inputs
        self._fill_left(min(memory // 4, MOST_BYTES))
        self._fill_right(min(memory // 4, MOST_BYTES))
        group.sync()

    def ask(self, part: Part, tiles: list[slice]) -> Fetched:
        """Ask for a part, of one or two of the tiles of virtual orbitals. Not collective."""
        name, *numbers = part
        ranges = tuple(tiles[int(number)] for number in numbers)
        everything = slice(None)
        if name == "singles":
            return Fetched(self.singles, (everything, *ranges))
        array = self.left if name == "left" else self.right
        return Fetched(array, (*ranges, *(everything,) * (4 - len(ranges))))

    def close(self) -> None:
        """Free the arrays."""
        self.left.destroy()
        self.right.destroy()

    def probes(self) -> Values:
        """Give numbers that differ if an operand does. Collective."""
        return probes_of(self.left.group, (self.left, self.right, self.singles))

    def _fill_left(self, memory: int) -> None:
        t2, ovoo, v = self._inputs.t2, self._inputs.ovoo, self._inputs.virtual
        for (own, *_), block in self.left.blocks():
            for some in runs(block.shape[0], memory // block[:1].nbytes):
                x = slice(own.start + some.start, own.start + some.stop)
                block[some, :, :, :v] = t2[:, :, x, :].transpose(2, 0, 1, 3)
                np.negative(ovoo[:, x, :, :].transpose(1, 0, 2, 3), out=block[some, :, :, v:])

    def _fill_right(self, memory: int) -> None:
        _, t2, ovov, ovvv, _ = self._inputs
        o, v = self._inputs.occupied, self._inputs.virtual
        for (own_x, own_y, *_), block in self.right.blocks():
            columns = list(runs(block.shape[1], memory // block[:1, :1].nbytes))
            rows = memory // block[:1, columns[0]].nbytes
            for some_x in runs(block.shape[0], rows):
                for some_y in columns:
                    x = slice(own_x.start + some_x.start, own_x.start + some_x.stop)
                    y = slice(own_y.start + some_y.start, own_y.start + some_y.stop)
                    part = block[some_x, some_y]
                    part[..., :v] = ovvv[:, x, y, :].transpose(1, 2, 0, 3)
                    part[..., v : v + o] = t2[:, :, x, y].transpose(2, 3, 0, 1)
                    part[..., v + o :] = ovov[:, x, :, y].transpose(1, 3, 0, 2)


def parts_of(task: Task) -> set[Part]:
    """Give what a task needs."""
    tiles = (task.a, task.b, task.c)
    parts: set[Part] = {(name, x) for name in ("left", "singles") for x in tiles}
    return parts | {("right", tiles[i], tiles[j]) for i, j in itertools.permutations(range(3), 2)}


def bytes_of_tiles(occupied: int, virtual: int, tile: int) -> int:
    """Give what the tiles of two tasks take: of the one at work, and of the next."""
    left = tile * occupied**2 * (virtual + occupied)
    right = tile**2 * occupied * (virtual + 2 * occupied)
    return 2 * 8 * (3 * left + 6 * right)


def runs(count: int, width: int) -> Iterator[slice]:
    """Cut a range into runs of `width`, of one at least, and what is left."""
    width = max(1, width)
    for begin in range(0, count, width):
        yield slice(begin, min(begin + width, count))


def probes_of(group: atoll.Group, arrays: Iterable[atoll.Array]) -> Values:
    """Give a number that differs if an array does, and its norm, for each. Collective."""
    found = []
    for array in arrays:
        sums = np.zeros(2)
        for key, block in array.blocks():
            sums += probe(key, block), np.vdot(block, block)
        found.append(sums)
    sums = np.asarray(group.reduce(np.array(found)))
    sums[:, 1] = np.sqrt(sums[:, 1])
    return sums


def probe(key: tuple[slice, ...], block: Values) -> float:
    """Sum a block with weights that depend on the place in the whole array only."""
    weights = [np.cos(0.7 * np.arange(k.start, k.stop) + axis) for axis, k in enumerate(key)]
    while weights:
        block = block @ weights.pop()
    return float(block)
