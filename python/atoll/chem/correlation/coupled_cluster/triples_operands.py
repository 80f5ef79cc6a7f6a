"""Amplitudes and integrals as the (T) correction reads them: rows of one virtual orbital together.

Two distributed arrays, made once; L and R are what the kernel multiplies (src/chem/
triples_products.hpp), and behind R come the integrals of the disconnected part:

    left[x]      k, j  x  t_kj^xd, -(xk|jl)            d, l
    right[x, y]  i     x  (yd|xi), t_il^xy, (ix|jy)    d, l, j
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

import atoll

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

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

    def close(self) -> None:
        """Free the arrays."""
        self.left.destroy()
        self.right.destroy()

    def probes(self) -> Values:
        """Give numbers that differ if an operand does, each beside its array's norm. Collective."""
        group = self.left.group
        sums = np.zeros((3, 2))
        for row, array in enumerate((self.left, self.right, self.singles)):
            for key, block in array.blocks():
                sums[row] += _probe(key, block), np.vdot(block, block)
        sums = np.asarray(group.reduce(sums))
        sums[:, 1] = np.sqrt(sums[:, 1])
        return sums

    def _fill_left(self, memory: int) -> None:
        t2, ovoo, v = self._inputs.t2, self._inputs.ovoo, self._inputs.virtual
        for (own, *_), block in self.left.blocks():
            for some in _runs(block.shape[0], memory // block[:1].nbytes):
                x = slice(own.start + some.start, own.start + some.stop)
                block[some, :, :, :v] = t2[:, :, x, :].transpose(2, 0, 1, 3)
                np.negative(ovoo[:, x, :, :].transpose(1, 0, 2, 3), out=block[some, :, :, v:])

    def _fill_right(self, memory: int) -> None:
        _, t2, ovov, ovvv, _ = self._inputs
        o, v = self._inputs.occupied, self._inputs.virtual
        for (own_x, own_y, *_), block in self.right.blocks():
            columns = list(_runs(block.shape[1], memory // block[:1, :1].nbytes))
            rows = memory // block[:1, columns[0]].nbytes
            for some_x in _runs(block.shape[0], rows):
                for some_y in columns:
                    x = slice(own_x.start + some_x.start, own_x.start + some_x.stop)
                    y = slice(own_y.start + some_y.start, own_y.start + some_y.stop)
                    part = block[some_x, some_y]
                    part[..., :v] = ovvv[:, x, y, :].transpose(1, 2, 0, 3)
                    part[..., v : v + o] = t2[:, :, x, y].transpose(2, 3, 0, 1)
                    part[..., v + o :] = ovov[:, x, :, y].transpose(1, 3, 0, 2)


class Fetched:
    """What is on its way from an array, or has come."""

    def __init__(self, array: atoll.Array, key: tuple[slice, ...]) -> None:
        self._request: atoll.Request | None = array.get_async(key)
        self._values: Values | None = None

    def values(self) -> Values:
        """Give it; wait for it the first time."""
        if self._request is not None:
            self._values = np.asarray(self._request.wait())
            self._request = None
        assert self._values is not None
        return self._values


Part: TypeAlias = tuple[str, int] | tuple[str, int, int]
"""The name of an array of `Operands`, and a tile or two."""


class Fetcher:
    """Gets the parts that tasks need; those that the task before has, too, stay."""

    def __init__(self, operands: Operands, tiles: list[slice]) -> None:
        self._operands = operands
        self._tiles = tiles
        self._latest: dict[Part, Fetched] = {}
        self.seconds_waited = 0.0

    def begin(self, task: Task) -> dict[Part, Fetched]:
        """Ask for all parts of a task. Not collective."""
        tiles = (task.a, task.b, task.c)
        parts: set[Part] = {(name, x) for name in ("left", "singles") for x in tiles}
        parts |= {("right", tiles[i], tiles[j]) for i, j in itertools.permutations(range(3), 2)}
        self._latest = {part: self._latest.get(part) or self._ask(part) for part in sorted(parts)}
        return self._latest

    def values(self, fetched: Fetched) -> Values:
        """Wait for it, and count the time."""
        started = time.perf_counter()
        values = fetched.values()
        self.seconds_waited += time.perf_counter() - started
        return values

    def _ask(self, part: Part) -> Fetched:
        name, *numbers = part
        ranges = tuple(self._tiles[int(number)] for number in numbers)
        everything = slice(None)
        if name == "singles":
            return Fetched(self._operands.singles, (everything, *ranges))
        array = self._operands.left if name == "left" else self._operands.right
        return Fetched(array, (*ranges, *(everything,) * (4 - len(ranges))))


def bytes_of_tiles(occupied: int, virtual: int, tile: int) -> int:
    """Give what the tiles of two tasks take: of the one at work, and of the next."""
    left = tile * occupied**2 * (virtual + occupied)
    right = tile**2 * occupied * (virtual + 2 * occupied)
    return 2 * 8 * (3 * left + 6 * right)


def _runs(count: int, width: int) -> Iterator[slice]:
    width = max(1, width)
    for begin in range(0, count, width):
        yield slice(begin, min(begin + width, count))


def _probe(key: tuple[slice, ...], block: Values) -> float:
    """Sum a block with weights that depend on the place in the whole array only."""
    weights = [np.cos(0.7 * np.arange(k.start, k.stop) + axis) for axis, k in enumerate(key)]
    while weights:
        block = block @ weights.pop()
    return float(block)
