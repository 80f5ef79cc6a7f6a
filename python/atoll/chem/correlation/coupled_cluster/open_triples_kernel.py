"""Energies of one task of the (T) correction of open shells, by products over tiles.

For one orbital a after the other: what is summed over goes into products of matrices, a few large
ones for all b and c of the tiles, and `_core` does the permutations and the energies.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from atoll import _core
from atoll.chem.correlation.coupled_cluster.open_triples_operands import left_shape, right_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.open_triples_tasks import Orbitals, Spin, Task

    Values: TypeAlias = NDArray[np.float64]
    Get: TypeAlias = Callable[..., Values]
    """Gives a part of the operands by its name and tiles."""


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
        self._fock = fock
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
        one = self._of_one_spin if task.spin == task.spin_c else self._of_two_spins
        found = np.zeros(2)
        tile = self._tiles[task.spin][task.a]
        for a in range(1 if task.same_ab else 0, tile.stop - tile.start):
            found += one(task, a, get)
        self.flops += task.cost
        return float(found[0]), float(found[1])

    def _of_one_spin(self, task: Task, a: int, get: Get) -> tuple[float, float]:
        s, o = task.spin, len(self._occupied[task.spin])
        lefts = [get(f"left {s}{s}", x) for x in (task.a, task.b, task.c)]
        pairs, depth = lefts[0].shape[1:]
        with self._time("packing"):
            b = a if task.same_ab else len(lefts[1])
            c = b if task.same_bc else len(lefts[2])
            right_bc = np.ascontiguousarray(get(f"right {s}{s}", task.b, task.c)[:b, :c])
            right_ac = get(f"right {s}{s}", task.a, task.c)[a, :c]
            right_ab = get(f"right {s}{s}", task.a, task.b)[a, :b]
            singles = (
                np.ascontiguousarray(self._singles(get, s, task.a)[:, a]),
                np.ascontiguousarray(self._singles(get, s, task.b)[:, :b]),
                np.ascontiguousarray(self._singles(get, s, task.c)[:, :c]),
            )
        with self._time("products"):
            products = (
                self._multiply(0, lefts[0][a], right_bc, depth, (pairs, b, c, o)),
                self._multiply(1, lefts[1][:b], right_ac, depth, (b, pairs, c, o)),
                self._multiply(2, lefts[2][:c], right_ab, depth, (c, pairs, b, o)),
            )
        with self._time("energies"):
            return _core.same_spin_triples(
                products,
                (right_bc, right_ac, right_ab),
                singles,
                self._occupied[s],
                self._energies(task, a, b, c),
                task.same_bc,
            )

    def _of_two_spins(self, task: Task, a: int, get: Get) -> tuple[float, float]:
        s, t = task.spin, task.spin_c
        o, others = len(self._occupied[s]), len(self._occupied[t])
        mixed_a, mixed_b = (get(f"left {s}{t}", x) for x in (task.a, task.b))
        pairs_a, pairs_b = (get(f"left {s}{s}", x) for x in (task.a, task.b))
        mixed_c = get(f"left {t}{s}", task.c)
        pairs, depth, mixed_depth = pairs_a.shape[1], pairs_a.shape[2], mixed_a.shape[3]
        both = o * others
        with self._time("packing"):
            b, c = a if task.same_ab else len(mixed_b), len(mixed_c)
            right_bc = get(f"right {s}{t}", task.b, task.c)[:b]
            right_ac = get(f"right {s}{t}", task.a, task.c)[a]
            right_ab = get(f"right {s}{s}", task.a, task.b)[a, :b]
            right_cb = np.ascontiguousarray(get(f"right {t}{s}", task.c, task.b)[:, :b])
            right_ca = np.ascontiguousarray(get(f"right {t}{s}", task.c, task.a)[:, a])
            singles = (
                np.ascontiguousarray(self._singles(get, s, task.a)[:, a]),
                np.ascontiguousarray(self._singles(get, s, task.b)[:, :b]),
                self._singles(get, t, task.c),
            )
        with self._time("products"):
            products = (
                self._multiply(0, mixed_a[a], right_bc, mixed_depth, (both, b, c, o)),
                self._multiply(1, mixed_b[:b], right_ac, mixed_depth, (b, both, c, o)),
                self._multiply(2, pairs_a[a], right_cb, depth, (pairs, c, b, others)),
                self._multiply(3, pairs_b[:b], right_ca, depth, (b, pairs, c, others)),
                self._multiply(4, mixed_c, right_ab, depth, (c, both, b, o)),
            )
        with self._time("energies"):
            return _core.mixed_spin_triples(
                products,
                (right_bc, right_ac, right_ab),
                singles,
                self._occupied[s],
                self._occupied[t],
                self._energies(task, a, b, c),
            )

    def _multiply(
        self, number: int, left: Values, right: Values, depth: int, shape: tuple[int, ...]
    ) -> Values:
        """Multiply rows of left and right of the length `depth` into the buffer of that number."""
        size = int(np.prod(shape))
        if self._buffers[number].size < size:
            self._buffers[number] = np.empty(size)
        rows, columns = left.reshape(-1, depth), right.reshape(-1, right.shape[-1])[:, :depth]
        result = self._buffers[number][:size]
        np.matmul(rows, columns.T, out=result.reshape(len(rows), len(columns)))
        return result.reshape(shape)

    def _singles(self, get: Get, spin: Spin, x: int) -> Values:
        """Give amplitudes, and the Fock matrix if there is one: kinds x tile x occupied."""
        kinds = [get(f"singles {spin}", x)]
        if self._fock is not None:
            kinds.append(self._fock[spin][:, self._tiles[spin][x]])
        return np.ascontiguousarray([kind.T for kind in kinds])

    def _energies(self, task: Task, a: int, b: int, c: int) -> tuple[float, Values, Values]:
        of_a, of_b, of_c = (
            self._virtual[spin][self._tiles[spin][x]]
            for spin, x in ((task.spin, task.a), (task.spin, task.b), (task.spin_c, task.c))
        )
        return float(of_a[a]), of_b[:b], of_c[:c]

    @contextmanager
    def _time(self, kind: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self._spent[kind] += time.perf_counter() - started


def bytes_of_work(orbitals: dict[Spin, Orbitals], case: tuple[Spin, Spin], tile: int) -> int:
    """Give what a task of that case takes for tiles of such width, and the parts of the next."""

    def left(spin: Spin, other: Spin) -> int:
        return tile * int(np.prod(left_shape(orbitals, spin, other)[1:]))

    def right(spin: Spin, other: Spin) -> int:
        return tile**2 * int(np.prod(right_shape(orbitals, spin, other)[2:]))

    s, t = case
    one, other = orbitals[s], orbitals[t]
    if s == t:
        parts = 3 * (left(s, s) + right(s, s))
        products = 3 * tile**2 * one.pairs * one.occupied
        pass_of_energies = 3 * one.pairs * (one.occupied + 2)
    else:
        parts = 2 * left(s, s) + 2 * left(s, t) + left(t, s)
        parts += right(s, s) + 2 * right(s, t) + 2 * right(t, s)
        mixed, paired = one.occupied**2 * other.occupied, one.pairs * other.occupied
        products = tile**2 * (3 * mixed + 2 * paired)
        pass_of_energies = 2 * paired + 3 * one.occupied**2
    copies = 2 * right(t, s)
    return 8 * (2 * parts + products + pass_of_energies + copies)
