"""Integrals over correlated orbitals for coupled cluster, but those of four virtual ones.

i, j, k, l are occupied orbitals, a, b, c, d virtual ones, (pq|rs) has p and q on one electron.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.half_transform import Wanted, runs
from atoll.chem.correlation.coupled_cluster.pairs import occupied_pairs, virtual_pairs
from atoll.chem.correlation.coupled_cluster.shares import Shares, own

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.half_transform import (
        HalfTransformed,
        Repulsion,
    )
    from atoll.chem.correlation.orbitals import Correlated

WORK = 1 << 26
"""Bytes of a batch: 64 MiB, or less where there is less memory."""


class Integrals:
    """The integrals of closed shells as distributed matrices. Making them is collective.

    Args:
        atomic: Integrals over basis functions, or fitted ones.
        halves: Of them what `wanted` says; they are freed.
        orbitals: The correlated orbitals; there are some of both kinds.
        memory: Bytes a rank for the work.

    Attributes:
        occupied, virtual: Numbers of orbitals.
        shares: Which virtual orbitals each rank has.
        pairs: Pairs of virtual orbitals.
        signs: Pairs of occupied orbitals, symmetric and, where there are any, antisymmetric.
        ovov: (ai|bj), rows ai, columns bj.
        ovov_exchanged: (aj|bi) there.
        ovov_contrast: 2 (ai|bj) - (aj|bi).
        oovv: (ij|ab), rows ai, columns bj.
        ovoo: (ck|ij), rows ck, columns ij.
        ovvv: (ad|ck), rows ad, columns ck.
        ladder_rows: (kc|bd) +- (kd|bc), rows bk, columns pairs cd, for each of `signs`.
        hole_rows: (kc|ld) +- (kd|lc) with pairs of `signs` for kl, rows cd, 2 (1 where k is l)
            times.
        oooo: (ki|lj) +- (kj|li), rows pairs kl of `signs`, columns pairs ij.

    """

    def __init__(
        self,
        atomic: Repulsion,
        halves: Sequence[HalfTransformed],
        orbitals: Correlated,
        memory: int,
    ) -> None:
        self.group = atomic.group
        self.occupied, self.virtual = (
            orbitals.occupied.shape[1],
            orbitals.virtual.shape[1],
        )
        self.shares = Shares(self.group, self.virtual)
        self.pairs = virtual_pairs(self.virtual)
        self.signs = occupied_pairs(self.occupied)
        self._memory = min(WORK, memory // 4)
        self._make_room()
        self._transform(atomic, halves, orbitals)
        self._exchange()
        self.ladder_rows = [self._ladder_rows(kind.sign) for kind in self.signs]
        self.hole_rows = [self._hole_rows(number) for number in range(len(self.signs))]
        self.group.sync()

    def release(self) -> None:
        """Free what only the iterations need: all but `ovov`, `ovoo` and `ovvv`. Collective."""
        for array in (
            self.ovov_exchanged,
            self.ovov_contrast,
            self.oovv,
            *self.ladder_rows,
            *self.hole_rows,
            *self.oooo,
        ):
            array.destroy()

    def close(self) -> None:
        """Free those, too. Collective."""
        for array in (self.ovov, self.ovoo, self.ovvv):
            array.destroy()

    def _make_room(self) -> None:
        o, v = self.occupied, self.virtual
        rows = self.shares.rows
        self.ovov = rows(v * o, o, "(ia|jb)")
        self.ovov_exchanged = rows(v * o, o, "(ib|ja)")
        self.ovov_contrast = rows(v * o, o, "2 (ia|jb) - (ib|ja)")
        self.oovv = rows(v * o, o, "(ij|ab)")
        self.ovoo = rows(o * o, o, "(ia|jk)")
        self.ovvv = rows(v * o, v, "(ia|bc)")

    @staticmethod
    def wanted(orbitals: Correlated) -> list[Wanted]:
        """Say what half transformed integrals are taken."""
        return [Wanted(slow, orbitals.occupied) for slow in (orbitals.virtual, orbitals.occupied)]

    def _transform(
        self, atomic: Repulsion, halves: Sequence[HalfTransformed], orbitals: Correlated
    ) -> None:
        """Compute all with at least one pair that has an occupied orbital."""
        all_orbitals = np.hstack([orbitals.occupied, orbitals.virtual])
        of_virtual, of_occupied = halves
        size = 8 * self.occupied * (atomic.functions + len(all_orbitals.T)) ** 2
        for some in runs(_own_count(of_virtual), size, self._memory):
            whole = atomic.whole(atomic.prepared(of_virtual.own(some)), all_orbitals, all_orbitals)
            self._store_of_virtual(whole, some)
        of_virtual.array.destroy()
        squares = Shares(self.group, self.occupied).rows(self.occupied**2, self.occupied, "(ij|kl)")
        for some in runs(_own_count(of_occupied), size, self._memory):
            whole = atomic.whole(atomic.prepared(of_occupied.own(some)), all_orbitals, all_orbitals)
            self._store_of_occupied(whole, some, of_occupied, squares)
        self.group.sync()
        of_occupied.array.destroy()
        self.oooo = [self._paired(squares, number) for number in range(len(self.signs))]
        self.group.sync()
        squares.destroy()

    def _store_of_virtual(self, whole: NDArray[np.float64], some: slice) -> None:
        """Store (rs|ck), orbitals r x s x ck, of some of this rank's c."""
        o, v = self.occupied, self.virtual
        columns = slice((self.shares.own.start + some.start) * o,
                        (self.shares.own.start + some.stop) * o)  # fmt: skip
        self.ovvv[:, columns] = whole[o:, o:].reshape(v * v, -1)
        self.ovov[columns, :] = whole[o:, :o].transpose(2, 0, 1).reshape(-1, v * o)
        self.ovoo[columns, :] = whole[:o, :o].transpose(2, 0, 1).reshape(-1, o * o)

    def _store_of_occupied(
        self,
        whole: NDArray[np.float64],
        some: slice,
        half: HalfTransformed,
        squares: atoll.Array,
    ) -> None:
        """Store (rs|jk), orbitals r x s x jk, of some of this rank's j."""
        o, v = self.occupied, self.virtual
        first = half.shares.own.start + some.start
        of_j = whole.reshape(*whole.shape[:2], -1, o)
        for step in range(some.stop - some.start):
            self.oovv[first + step :: o, :] = of_j[o:, o:, step].reshape(v, v * o)
        columns = slice(first * o, (first + some.stop - some.start) * o)
        squares[columns, :] = whole[:o, :o].transpose(2, 0, 1).reshape(-1, o * o)

    def _exchange(self) -> None:
        o, v = self.occupied, self.virtual
        coulomb = own(self.ovov, o, v, o)
        exchanged = own(self.ovov_exchanged, o, v, o)
        exchanged[...] = coulomb.transpose(0, 3, 2, 1)
        own(self.ovov_contrast, o, v, o)[...] = 2 * coulomb - exchanged

    def _ladder_rows(self, sign: int) -> atoll.Array:
        o, v = self.occupied, self.virtual
        c, d = self.pairs.left, self.pairs.right
        made = self.shares.rows(len(c), o, "(kc|bd) with (kd|bc)")
        source, target = own(self.ovvv, v, v, o), own(made, o, len(c))
        for some in runs(len(source), 3 * 8 * o * len(c), self._memory):
            part = source[some]
            pairs = part[:, d, c] + sign * part[:, c, d]  # b x pairs x k
            target[some] = pairs.transpose(0, 2, 1)
        return made

    def _hole_rows(self, number: int) -> atoll.Array:
        o, v = self.occupied, self.virtual
        kind = self.signs[number]
        mine = self.pairs.of(self.shares.own)
        c, d = self.pairs.left[mine] - self.shares.own.start, self.pairs.right[mine]
        made = self.shares.ragged(kind.size, self.pairs.first, "(kc|ld) with (kd|lc)")
        target = own(made, kind.size)
        weights = np.where(kind.left == kind.right, 0.5, 1.0) * 2
        for some in runs(len(c), 3 * 8 * o * o, self._memory):
            squares = own(self.ovov, o, v, o)[c[some], :, d[some], :]
            target[some] = weights * kind.packed(squares)
        return made

    def _paired(self, squares: atoll.Array, number: int) -> atoll.Array:
        """Give (ki|lj) of rows ki and columns lj by pairs kl and ij."""
        o, kind = self.occupied, self.signs[number]
        shares = Shares(self.group, kind.size)
        made = shares.rows(kind.size, 1, "(ki|lj) with (kj|li)")
        weights = np.where(kind.left == kind.right, 0.5, 1.0)
        for some in runs(shares.own.stop - shares.own.start, 4 * 8 * o**3, self._memory):
            rows = slice(shares.own.start + some.start, shares.own.start + some.stop)
            k, l = kind.left[rows], kind.right[rows]  # noqa: E741  # as in every textbook
            strip = squares[int(k[0]) * o : (int(k[-1]) + 1) * o, :].reshape(-1, o, o, o)
            both = strip[k - k[0], :, l, :]
            own(made, kind.size)[some] = weights[rows, None] * kind.packed(both)
        return made


def _own_count(half: HalfTransformed) -> int:
    return len(range(*half.shares.own.indices(half.shares.count)))
