"""Amplitudes and integrals of open shells as the (T) correction reads them.

Distributed arrays, made once, for spin s and the other spin, in capitals; pairs j < k lie at
k (k - 1) / 2 + j. Of the products of rows of left and right, d, l and D, L are summed over:

    left ss[a]       jk   x  t_jk^ad, <la||jk>                       d, l
    right ss[b, c]   i    x  <di||bc>, -t_il^bc, <il||bc>            d, l, k
    left sS[a]       jK   x  -t_jK^aD, (ja|LK)                       D, L
    right sS[b, C]   i    x  (ib|CD), t_iL^bC, (ib|LC)               D, L, K
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.open_triples_tasks import Orbitals
from atoll.chem.correlation.coupled_cluster.triples_fetching import Fetched
from atoll.chem.correlation.coupled_cluster.triples_operands import probes_of, runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.open_triples_tasks import Spin, Task
    from atoll.chem.correlation.coupled_cluster.triples_fetching import Part

    Values = NDArray[np.float64]


class Integrals(NamedTuple):
    """Distributed arrays of one group, in chemists' notation; capitals are of spin beta."""

    ovov: atoll.Array
    """(ia|jb)"""
    ovOV: atoll.Array  # noqa: N815 - PySCF's names tell spins by capitals
    """(ia|JB)"""
    OVOV: atoll.Array
    """(IA|JB)"""
    ovvv: atoll.Array
    """(ia|bc), all b and c"""
    ovVV: atoll.Array  # noqa: N815
    """(ia|BC)"""
    OVvv: atoll.Array
    """(IA|bc)"""
    OVVV: atoll.Array
    """(IA|BC)"""
    ovoo: atoll.Array
    """(ia|jk)"""
    ovOO: atoll.Array  # noqa: N815
    """(ia|JK)"""
    OVoo: atoll.Array
    """(IA|jk)"""
    OVOO: atoll.Array
    """(IA|JK)"""


class Inputs(NamedTuple):
    """All that the correction is made of, but energies."""

    singles: tuple[atoll.Array, atoll.Array]
    """t_i^a and t_I^A"""
    doubles: tuple[atoll.Array, atoll.Array, atoll.Array]
    """t_ij^ab, t_iJ^aB and t_IJ^AB, as i, j, a, b"""
    integrals: Integrals

    @property
    def orbitals(self) -> dict[Spin, Orbitals]:
        """How many there are."""
        a, b = (Orbitals(*map(int, array.shape)) for array in self.singles)
        return {"a": a, "b": b}


class Operands:
    """Those arrays that cases of spins need. Making and closing them is collective.

    This rank reads of `inputs` what it owns here, some at a time: `memory` is for that, in bytes.
    """

    def __init__(
        self, group: atoll.Group, inputs: Inputs, cases: list[tuple[Spin, Spin]], memory: int
    ) -> None:
        self._group = group
        self._inputs = inputs
        self._orbitals = inputs.orbitals
        self._memory = memory // 4
        self._arrays: dict[str, atoll.Array] = {}
        spins: list[tuple[Spin, Spin]] = []
        for one, other in cases:
            spins += [(one, one)] if one == other else [(one, one), (one, other), (other, one)]
        for one, other in sorted(set(spins)):
            self._make_left(one, other)
            self._make_right(one, other)
        group.sync()

    def ask(self, part: Part, tiles: dict[Spin, list[slice]]) -> Fetched:
        """Ask for a part, of one or two of the tiles of virtual orbitals. Not collective."""
        name, *numbers = part
        kind, spins = name.split()
        each = cast("list[Spin]", list(spins))
        ranges = tuple(tiles[s][int(n)] for s, n in zip(each, numbers, strict=False))
        if kind == "singles":
            return Fetched(self._inputs.singles[0 if spins == "a" else 1], (slice(None), *ranges))
        array = self._arrays[name]
        return Fetched(array, (*ranges, *(slice(None),) * (array.ndim - len(ranges))))

    def probes(self) -> Values:
        """Give numbers that differ if an operand does. Collective."""
        return probes_of(self._group, [*self._arrays.values(), *self._inputs.singles])

    def close(self) -> None:
        """Free the arrays."""
        for array in self._arrays.values():
            array.destroy()

    def _make_left(self, spin: Spin, other: Spin) -> None:
        shape = left_shape(self._orbitals, spin, other)
        array = self._make("left", spin + other, shape, atoll.blocked((0, *shape[1:])))
        fill = self._left_of_one_spin if spin == other else self._left_of_two
        for (own, *_), block in array.blocks():
            for some in runs(block.shape[0], self._memory // max(1, block[:1].nbytes)):
                fill(block[some], _moved(some, own.start), spin)

    def _make_right(self, spin: Spin, other: Spin) -> None:
        shape = right_shape(self._orbitals, spin, other)
        array = self._make("right", spin + other, shape, atoll.blocked((0, 0, *shape[2:])))
        fill = self._right_of_one_spin if spin == other else self._right_of_two
        for (own_x, own_y, *_), block in array.blocks():
            columns = list(runs(block.shape[1], self._memory // max(1, block[:1, :1].nbytes)))
            if not columns:
                continue
            rows = self._memory // max(1, block[:1, columns[0]].nbytes)
            for some_x in runs(block.shape[0], rows):
                for some_y in columns:
                    x, y = _moved(some_x, own_x.start), _moved(some_y, own_y.start)
                    fill(block[some_x, some_y], x, y, spin)

    def _make(
        self, kind: str, spins: str, shape: tuple[int, ...], distribution: atoll.Layout
    ) -> atoll.Array:
        name = f"{kind} {spins}"
        array = atoll.empty(shape, distribution=distribution, group=self._group, name=f"(T) {name}")
        self._arrays[name] = array
        return array

    def _left_of_one_spin(self, block: Values, a: slice, spin: Spin) -> None:
        amplitudes, integrals = self._inputs.doubles, self._inputs.integrals
        t2 = amplitudes[0] if spin == "a" else amplitudes[2]
        ovoo = integrals.ovoo if spin == "a" else integrals.OVOO
        orbitals = self._orbitals[spin]
        k, j = np.tril_indices(orbitals.occupied, -1)
        block[..., : orbitals.virtual] = t2[:, :, a, :].transpose(2, 0, 1, 3)[:, j, k]
        exchanged = ovoo[:, a, :, :].transpose(1, 0, 2, 3)
        block[..., orbitals.virtual :] = exchanged[:, k, j] - exchanged[:, j, k]

    def _left_of_two(self, block: Values, a: slice, spin: Spin) -> None:
        t2, integrals = self._inputs.doubles[1], self._inputs.integrals
        if spin == "a":
            amplitudes = t2[:, :, a, :].transpose(2, 0, 1, 3)
            repulsion = integrals.ovOO[:, a, :, :]
        else:
            amplitudes = t2[:, :, :, a].transpose(3, 1, 0, 2)
            repulsion = integrals.OVoo[:, a, :, :]
        depth = amplitudes.shape[3]
        np.negative(amplitudes, out=block[..., :depth])
        block[..., depth:] = repulsion.transpose(1, 0, 3, 2)

    def _right_of_one_spin(self, block: Values, b: slice, c: slice, spin: Spin) -> None:
        amplitudes, integrals = self._inputs.doubles, self._inputs.integrals
        t2 = amplitudes[0] if spin == "a" else amplitudes[2]
        ovvv = integrals.ovvv if spin == "a" else integrals.OVVV
        ovov = integrals.ovov if spin == "a" else integrals.OVOV
        o, v = self._orbitals[spin]
        block[..., :v] = ovvv[:, c, b, :].transpose(2, 1, 0, 3)
        block[..., :v] -= ovvv[:, b, c, :].transpose(1, 2, 0, 3)
        np.negative(t2[:, :, b, c].transpose(2, 3, 0, 1), out=block[..., v : v + o])
        block[..., v + o :] = ovov[:, b, :, c].transpose(1, 3, 0, 2)
        block[..., v + o :] -= ovov[:, c, :, b].transpose(3, 1, 0, 2)

    def _right_of_two(self, block: Values, b: slice, c: slice, spin: Spin) -> None:
        t2, integrals = self._inputs.doubles[1], self._inputs.integrals
        o, v = self._orbitals["b" if spin == "a" else "a"]
        if spin == "a":
            block[..., :v] = integrals.ovVV[:, b, c, :].transpose(1, 2, 0, 3)
            block[..., v : v + o] = t2[:, :, b, c].transpose(2, 3, 0, 1)
            block[..., v + o :] = integrals.ovOV[:, b, :, c].transpose(1, 3, 0, 2)
        else:
            block[..., :v] = integrals.OVvv[:, b, c, :].transpose(1, 2, 0, 3)
            block[..., v : v + o] = t2[:, :, c, b].transpose(3, 2, 1, 0)
            block[..., v + o :] = integrals.ovOV[:, c, :, b].transpose(3, 1, 2, 0)


def parts_of(task: Task) -> set[Part]:
    """Give what a task needs."""
    s, o, a, b, c = task.spin, task.spin_c, task.a, task.b, task.c
    parts: set[Part] = {
        (f"left {s}{s}", a),
        (f"left {s}{s}", b),
        (f"right {s}{s}", a, b),
        (f"singles {s}", a),
        (f"singles {s}", b),
        (f"singles {o}", c),
    }
    if s == o:
        return parts | {(f"left {s}{s}", c), *((f"right {s}{s}", x, c) for x in (a, b))}
    parts |= {(f"left {o}{s}", c)}
    for x in (a, b):
        parts |= {(f"left {s}{o}", x), (f"right {s}{o}", x, c), (f"right {o}{s}", c, x)}
    return parts


def left_shape(orbitals: dict[Spin, Orbitals], spin: Spin, other: Spin) -> tuple[int, ...]:
    """Give the shape of an array of left rows."""
    one, second = orbitals[spin], orbitals[other]
    rows = (one.pairs,) if spin == other else (one.occupied, second.occupied)
    return one.virtual, *rows, second.virtual + second.occupied


def right_shape(orbitals: dict[Spin, Orbitals], spin: Spin, other: Spin) -> tuple[int, ...]:
    """Give the shape of an array of right rows."""
    one, second = orbitals[spin], orbitals[other]
    return one.virtual, second.virtual, one.occupied, second.virtual + 2 * second.occupied


def _moved(some: slice, start: int) -> slice:
    return slice(start + some.start, start + some.stop)
