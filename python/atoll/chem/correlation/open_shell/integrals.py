"""Integrals over the orbitals of two spins, but those of four virtual ones.

i, j, k, l are occupied orbitals, a, b, c, d virtual ones, (pq|rs) has p and q on one electron.
[s, t] are the spins of two electrons, or orbitals; a spin that nothing can be excited in is not
there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.correlation.coupled_cluster.half_transform import Wanted, runs
from atoll.chem.correlation.coupled_cluster.integrals import WORK
from atoll.chem.correlation.coupled_cluster.shares import Shares, own
from atoll.chem.correlation.open_shell.spin_pairs import spin_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.coupled_cluster.half_transform import (
        HalfTransformed,
        Repulsion,
    )
    from atoll.chem.correlation.open_shell.spin_pairs import SpinPairs, Spins
    from atoll.chem.correlation.orbitals import Correlated

    Blocks = dict[Spins, atoll.Array]


class OpenShellIntegrals:
    """The integrals of open shells as distributed matrices. Making them is collective.

    Args:
        atomic: Integrals over basis functions, or fitted ones.
        halves: Of them what `wanted` says; they are freed.
        spaces: The correlated orbitals of each spin that has some of both kinds.
        memory: Bytes a rank for the work.

    Attributes:
        spins: Those of `spaces`.
        both: All pairs of them.
        occupied, virtual: Numbers of orbitals by spin.
        shares: Which virtual orbitals each rank has, by spin.
        pairs: Pairs of electrons, by their spins.
        ovov: (ai|bj), rows ai of s, columns bj of t.
        antisymmetric: The same, less (aj|bi) where s is t.
        exchanged: For two spins (al|bk), rows ak, columns bl; a and l of s, k and b of t.
        oovv: (ij|ab), rows ai, columns bj; a and b of s, i and j of t.
        ovoo: (ck|ij), rows ck of s, columns ij of t.
        ovvv: (ad|ck), rows ad of s, columns ck of t.
        ladder_rows: (ac|dk), rows ak, a of s, k of t, columns pairs cd of `pairs`; antisymmetric.
        hole_rows: (ck|dl), rows pairs cd, columns pairs kl; antisymmetric.
        oooo: (ki|lj), rows pairs kl, columns pairs ij; antisymmetric.

    """

    def __init__(
        self,
        atomic: Repulsion,
        halves: Sequence[HalfTransformed],
        spaces: Mapping[int, Correlated],
        memory: int,
    ) -> None:
        self.group = atomic.group
        self.spins = list(spaces)
        self.both: list[Spins] = [(s, t) for s in spaces for t in spaces]
        self.occupied = {s: spaces[s].occupied.shape[1] for s in spaces}
        self.virtual = {s: spaces[s].virtual.shape[1] for s in spaces}
        self.shares = {s: Shares(self.group, self.virtual[s]) for s in spaces}
        self.pairs = spin_pairs(self.occupied, self.virtual)
        self._memory = min(WORK, memory // 4)
        self._make_room()
        self._transform(atomic, halves, spaces)
        self._exchange()
        self.ladder_rows = self._made_ladder_rows()
        self.hole_rows = {pairs.spins: self._hole_rows(pairs) for pairs in self.pairs}
        self.group.sync()

    def close(self) -> None:
        """Free them. Collective."""
        for kind in (self.ovov, self.exchanged, self.oovv, self.ovoo, self.ovvv):
            for array in kind.values():
                array.destroy()
        for spin in self.spins:
            self.antisymmetric[spin, spin].destroy()
        for kind in (self.ladder_rows, self.hole_rows, self.oooo):
            for array in kind.values():
                array.destroy()

    @staticmethod
    def wanted(spaces: Mapping[int, Correlated]) -> list[Wanted]:
        """Say what half transformed integrals are taken."""
        return [
            Wanted(slow, space.occupied)
            for space in spaces.values()
            for slow in (space.virtual, space.occupied)
        ]

    def square(self, spins: Spins, name: str) -> atoll.Array:
        """Make a matrix of zeros: rows ai of one spin, columns bj of the other. Collective."""
        s, t = spins
        return self.shares[s].rows(self.virtual[t] * self.occupied[t], self.occupied[s], name)

    def crossed_square(self, spins: Spins, name: str) -> atoll.Array:
        """Make zeros: rows ai, a of one spin, i of the other, columns bj likewise. Collective."""
        s, t = spins
        return self.shares[s].rows(self.virtual[s] * self.occupied[t], self.occupied[t], name)

    def exchanging(self, spins: Spins, name: str) -> atoll.Array:
        """Make zeros: rows ai, a of one spin, i of the other, columns bj contrariwise."""
        s, t = spins
        return self.shares[s].rows(self.virtual[t] * self.occupied[s], self.occupied[t], name)

    def _make_room(self) -> None:
        o, v = self.occupied, self.virtual
        self.ovov = {both: self.square(both, "(ia|jb)") for both in self.both}
        self.antisymmetric = {
            (s, t): self.square((s, t), "(ia|jb) - (ib|ja)") if s == t else self.ovov[s, t]
            for s, t in self.both
        }
        self.exchanged = {
            both: self.exchanging(both, "(ib|ja)") for both in self.both if both[0] != both[1]
        }
        self.oovv = {both: self.crossed_square(both, "(ij|ab)") for both in self.both}
        self.ovoo = {(s, t): self.shares[s].rows(o[t] ** 2, o[s], "(ia|jk)") for s, t in self.both}
        self.ovvv = {
            (s, t): self.shares[s].rows(v[t] * o[t], v[s], "(ia|bc)") for s, t in self.both
        }

    def _transform(
        self,
        atomic: Repulsion,
        halves: Sequence[HalfTransformed],
        spaces: Mapping[int, Correlated],
    ) -> None:
        """Compute all with at least one pair that has an occupied orbital."""
        orbitals = {s: np.hstack([spaces[s].occupied, spaces[s].virtual]) for s in spaces}
        most = atomic.functions + max(each.shape[1] for each in orbitals.values())
        squares: Blocks = {}
        for s, t in self.both:
            o = self.occupied
            squares[s, t] = Shares(self.group, o[s]).rows(o[t] ** 2, o[s], "(ij|kl)")
        for number, s in enumerate(self.spins):
            of_virtual, of_occupied = halves[2 * number : 2 * number + 2]
            size = 8 * self.occupied[s] * most**2
            for some in runs(_own_count(of_virtual), size, self._memory):
                prepared = atomic.prepared(of_virtual.own(some))
                for t in self.spins:
                    whole = atomic.whole(prepared, orbitals[t], orbitals[t])
                    self._store_of_virtual(whole, some, (s, t))
            for some in runs(_own_count(of_occupied), size, self._memory):
                prepared = atomic.prepared(of_occupied.own(some))
                for t in self.spins:
                    whole = atomic.whole(prepared, orbitals[t], orbitals[t])
                    self._store_of_occupied(whole, some, of_occupied, squares[s, t], (s, t))
        self.group.sync()
        for half in halves[: 2 * len(self.spins)]:
            half.array.destroy()
        self.oooo = {pairs.spins: self._paired(squares[pairs.spins], pairs) for pairs in self.pairs}
        self.group.sync()
        for array in squares.values():
            array.destroy()

    def _store_of_virtual(self, whole: NDArray[np.float64], some: slice, spins: Spins) -> None:
        """Store (pr|ck), p x r x ck, of some of this rank's c; c and k of s, p and r of t."""
        s, t = spins
        o, v, first = self.occupied, self.virtual, self.shares[s].own.start
        columns = slice((first + some.start) * o[s], (first + some.stop) * o[s])
        of_two, mixed, none = whole[o[t] :, o[t] :], whole[o[t] :, : o[t]], whole[: o[t], : o[t]]
        self.ovvv[t, s][:, columns] = of_two.reshape(v[t] ** 2, -1)
        self.ovov[s, t][columns, :] = mixed.transpose(2, 0, 1).reshape(-1, v[t] * o[t])
        self.ovoo[s, t][columns, :] = none.transpose(2, 0, 1).reshape(-1, o[t] ** 2)

    def _store_of_occupied(
        self,
        whole: NDArray[np.float64],
        some: slice,
        half: HalfTransformed,
        squares: atoll.Array,
        spins: Spins,
    ) -> None:
        """Store (pr|jk), p x r x jk, of some of this rank's j; j and k of s, p and r of t."""
        s, t = spins
        o, v, first = self.occupied, self.virtual, half.shares.own.start + some.start
        of_j = whole.reshape(*whole.shape[:2], -1, o[s])
        for step in range(some.stop - some.start):
            strip = of_j[o[t] :, o[t] :, step].reshape(v[t], v[t] * o[s])
            self.oovv[t, s][first + step :: o[s], :] = strip
        rows = slice(first * o[s], (first + some.stop - some.start) * o[s])
        squares[rows, :] = whole[: o[t], : o[t]].transpose(2, 0, 1).reshape(-1, o[t] ** 2)

    def _exchange(self) -> None:
        o, v = self.occupied, self.virtual
        for s, t in self.both:
            coulomb = own(self.ovov[s, t], o[s], v[t], o[t])
            other = coulomb.transpose(0, 3, 2, 1)
            if s == t:
                np.subtract(coulomb, other, out=own(self.antisymmetric[s, s], o[s], v[s], o[s]))
            else:
                own(self.exchanged[s, t], o[t], v[t], o[s])[...] = other

    def _made_ladder_rows(self) -> Blocks:
        made = {}
        for pairs in self.pairs:
            s, t = pairs.spins
            made[s, t] = self._ladder_rows((s, t), pairs)
            if s != t:
                made[t, s] = self._ladder_rows((t, s), pairs)
        return made

    def _ladder_rows(self, spins: Spins, pairs: SpinPairs) -> atoll.Array:
        """Give (ac|dk) of rows ak and columns cd; or dc where the first spin is that of d."""
        s, t = spins
        o, v, count = self.occupied, self.virtual, len(pairs.virtual.left)
        c, d = pairs.virtual.left, pairs.virtual.right
        if spins != pairs.spins:
            c, d = d, c
        made = self.shares[s].rows(count, o[t], "(ac|dk) with (ad|ck)")
        source, target = own(self.ovvv[s, t], v[s], v[t], o[t]), own(made, o[t], count)
        for some in runs(len(source), 3 * 8 * o[t] * count, self._memory):
            part = source[some][:, c, d]  # a x pairs x k
            if pairs.same:
                part -= source[some][:, d, c]
            target[some] = part.transpose(0, 2, 1)
        return made

    def _hole_rows(self, pairs: SpinPairs) -> atoll.Array:
        s, t = pairs.spins
        o, v, mine = self.occupied, self.virtual, self.shares[s].own
        of_mine = pairs.virtual.of(mine)
        c, d = pairs.virtual.left[of_mine] - mine.start, pairs.virtual.right[of_mine]
        made = self.shares[s].ragged(pairs.size, pairs.virtual.first, "(kc|ld) with (kd|lc)")
        target = own(made, pairs.size)
        source = own(self.ovov[s, t], o[s], v[t], o[t])
        for some in runs(len(c), 3 * 8 * o[s] * o[t], self._memory):
            target[some] = pairs.packed(source[c[some], :, d[some], :])
        return made

    def _paired(self, squares: atoll.Array, pairs: SpinPairs) -> atoll.Array:
        """Give (ki|lj) of rows ki and columns lj by pairs kl and ij."""
        s, t = pairs.spins
        o = self.occupied
        shares = Shares(self.group, pairs.size)
        made = shares.rows(pairs.size, 1, "(ki|lj) with (kj|li)")
        for some in runs(
            shares.own.stop - shares.own.start, 4 * 8 * o[s] * o[t] ** 2, self._memory
        ):
            rows = slice(shares.own.start + some.start, shares.own.start + some.stop)
            k, l = pairs.left[rows], pairs.right[rows]  # noqa: E741  # as in every textbook
            strip = squares[int(k[0]) * o[s] : (int(k[-1]) + 1) * o[s], :]
            both = strip.reshape(-1, o[s], o[t], o[t])[k - k[0], :, l, :]
            own(made, pairs.size)[some] = pairs.packed(both)
        return made


def _own_count(half: HalfTransformed) -> int:
    return len(range(*half.shares.own.indices(half.shares.count)))
