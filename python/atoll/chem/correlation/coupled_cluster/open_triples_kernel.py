"""Energies of one task of the (T) correction of open shells, by products over tiles.

For one orbital a after the other: what is summed over goes into products of matrices, a few large
ones for all b and c of the tiles, and `_core` does the permutations and the energies.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll.chem.correlation.coupled_cluster.open_triples_operands import left_shape, right_shape
from atoll.chem.correlation.coupled_cluster.open_triples_packing import Packed, lanes_of, pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.open_triples_packing import Get
    from atoll.chem.correlation.coupled_cluster.open_triples_tasks import Orbitals, Spin, Task

    Values = NDArray[np.float64]


class Kernel:
    """Computes tasks.

    Energies of orbitals are in hartree; `fock` are blocks f_ia of spins alpha and beta, or none.
    """

    def __init__(
        self,
        tiles: dict[Spin, list[slice]],
        occupied_energies: dict[Spin, Values],
        virtual_energies: dict[Spin, Values],
        fock: dict[Spin, Values] | None,
    ) -> None:
        self._tiles = tiles
        self._occupied = occupied_energies
        self._virtual = virtual_energies
        self._fock: dict[Spin, list[Values]] | None = None
        if fock is not None:
            self._fock = {spin: [fock[spin][:, x] for x in each] for spin, each in tiles.items()}
        self._buffers: list[Values] = [np.empty(0)] * 5
        self._spent = {"packing": 0.0, "products": 0.0, "energies": 0.0}
        self.flops = 0
        """Operations of the tasks done."""

    @property
    def seconds(self) -> list[float]:
        """Spent on packing, products and energies."""
        return list(self._spent.values())

    def energies(self, task: Task, get: Get) -> tuple[float, float]:
        """Give [T] and what singles add to it, in hartree."""
        with self._time("packing"):
            packed = pack(task, get, self._fock)
        found = np.zeros(2)
        for a in range(1 if task.same_ab else 0, len(packed.left_a)):
            b = a if task.same_ab else len(packed.left_b)
            found += self._of_one(task, packed, a, b)
        self.flops += task.cost
        return float(found[0]), float(found[1])

    def _of_one(self, task: Task, x: Packed, a: int, b: int) -> tuple[float, float]:
        """Give the energies of one orbital a, and so many b."""
        with self._time("products"):
            products: Any = self._products(x, a, b)
        with self._time("energies"):
            bc, ac, ab = x.partners
            singles_a, singles_b, singles_c = x.singles
            same = task.spin == task.spin_c
            function: Any = _core.same_spin_triples if same else _core.mixed_spin_triples
            found: tuple[float, float] = function(
                products,
                _contiguous(bc[:, :b], ac[:, a], ab[:, a, :b]),
                _contiguous(singles_a[:, a], singles_b[:, :b], singles_c),
                (self._occupied[task.spin], self._occupied[task.spin_c]),
                self._energies(task, a, b, singles_c.shape[-1]),
                _length(self._tiles[task.spin_c][task.c]),
                *((task.same_bc,) if same else ()),
            )
            return found

    def _products(self, x: Packed, a: int, b: int) -> tuple[Values, ...]:
        left_c = x.left_c.reshape(-1, *x.left_c.shape[-2:])
        products = (
            self._multiply(0, x.left_a[a], x.right_bc[:b]),
            self._multiply(1, x.left_b[:b], x.right_ac[a]),
            self._multiply(2, x.right_ab[a, :b], left_c),
        )
        if x.pairs is None:
            return products
        pairs_a, pairs_b, right_cb, right_ca = x.pairs
        return (
            *products,
            self._multiply(3, pairs_a[a], right_cb[:b]),
            self._multiply(4, pairs_b[:b], right_ca[a]),
        )

    def _multiply(self, number: int, left: Values, right: Values) -> Values:
        """Multiply rows into the buffer of that number; left rows may be longer."""
        shape = left.shape[:-1] + right.shape[:-1]
        depth = right.shape[-1]
        rows, columns = left.reshape(-1, left.shape[-1])[:, :depth], right.reshape(-1, depth)
        size = len(rows) * len(columns)
        if self._buffers[number].size < size:
            self._buffers[number] = np.empty(size)
        result = self._buffers[number][:size]
        np.matmul(rows, columns.T, out=result.reshape(len(rows), len(columns)))
        return result.reshape(shape)

    def _energies(self, task: Task, a: int, b: int, lanes: int) -> tuple[float, Values, Values]:
        of_a, of_b, of_c = (
            self._virtual[spin][self._tiles[spin][x]]
            for spin, x in ((task.spin, task.a), (task.spin, task.b), (task.spin_c, task.c))
        )
        return float(of_a[a]), of_b[:b], np.pad(of_c, (0, lanes - len(of_c)), mode="edge")

    @contextmanager
    def _time(self, kind: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self._spent[kind] += time.perf_counter() - started


def bytes_of_work(orbitals: dict[Spin, Orbitals], case: tuple[Spin, Spin], tile: int) -> int:
    """Give what a task of that case takes for tiles of such width, and the parts of the next."""
    lanes = lanes_of(tile)

    def left(spin: Spin, other: Spin) -> int:
        return int(np.prod(left_shape(orbitals, spin, other)[1:]))

    def right(spin: Spin, other: Spin) -> int:
        return int(np.prod(right_shape(orbitals, spin, other)[2:]))

    s, t = case
    one, other = orbitals[s], orbitals[t]
    if s == t:
        lefts, lefts_c = 2 * left(s, s), left(s, s)
        rights, rights_c = right(s, s), 2 * right(s, s)
        products = 3 * one.pairs * one.occupied
    else:
        lefts, lefts_c = 2 * left(s, s) + 2 * left(s, t), left(t, s)
        rights, rights_c = right(s, s), 2 * right(s, t) + 2 * right(t, s)
        products = (3 * one.occupied**2 + 2 * one.pairs) * other.occupied
    parts = tile * (lefts + lefts_c) + tile**2 * (rights + rights_c)
    packed = lanes * lefts_c + 2 * tile * lanes * rights_c + 2 * tile**2 * one.occupied**2
    return 8 * (2 * parts + packed + tile * lanes * products)


def _contiguous(*arrays: Values) -> tuple[Values, ...]:
    return tuple(np.ascontiguousarray(array) for array in arrays)


def _length(tile: slice) -> int:
    return int(tile.stop - tile.start)
