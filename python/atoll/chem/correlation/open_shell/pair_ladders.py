"""What two electrons do to each other, both particles, both holes, or one of each.

For <pq||i~j~> + 1/2 sum_cd <pq||cd> t_ij^cd, where pq are ab, ak, or kl, amplitudes with singles,
tau_ij^cd = t_ij^cd + t_i^c t_j^d (antisymmetric for equal spins), meet integrals as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.half_transform import runs
from atoll.chem.correlation.coupled_cluster.integrals import WORK
from atoll.chem.correlation.coupled_cluster.shares import own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.ladder_choice import LadderProduct
    from atoll.chem.correlation.open_shell.integrals import Blocks, OpenShellIntegrals
    from atoll.chem.correlation.open_shell.spin_pairs import SpinPairs, Spins

    Matrix = NDArray[np.float64]


class PairLadders:
    """The terms of all pairs of spins, and the memory for their parts. Collective throughout."""

    def __init__(self, integrals: OpenShellIntegrals, ladder: LadderProduct) -> None:
        n = self._integrals = integrals
        self._ladder = ladder
        self._tau, self._out, self._holes = {}, {}, {}
        for pairs in n.pairs:
            both, first = pairs.spins, pairs.virtual.first
            ragged = n.shares[both[0]].ragged
            self._tau[both] = ragged(pairs.size, first, "amplitudes of pairs")
            self._out[both] = ragged(pairs.size, first, "ladder")
            self._holes[both] = n.oooo[both].duplicate()
        sizes = {pairs.spins: pairs.size for pairs in n.pairs}
        self._rows = {
            (s, t): n.shares[s].rows(sizes[min(s, t), max(s, t)], n.occupied[t], "ladder's rows ak")
            for s, t in n.ladder_rows
        }

    def close(self) -> None:
        """Free the memory. Collective."""
        for blocks in (self._tau, self._out, self._holes, self._rows):
            for array in blocks.values():
                array.destroy()

    def add(self, left: Blocks, t1: Mapping[int, Matrix], t2: Blocks, dressed_ovoo: Blocks) -> None:
        """Add them to one part of the residual, `left`; `dressed_ovoo`: (ki~|lc)."""
        n = self._integrals
        for pairs in n.pairs:
            self._make_tau(pairs, t1, t2)
            self._make_holes(pairs, t1)
        self._ladder.multiply(list(self._tau.values()), list(self._out.values()))
        for pairs in n.pairs:
            both = pairs.spins
            atoll.matmul(self._tau[both], self._holes[both], self._out[both], beta=1)
            self._unpack(pairs, left)
        for (s, t), integrals in n.ladder_rows.items():
            atoll.matmul(integrals, self._tau[min(s, t), max(s, t)], self._rows[s, t])
        for both in n.both:
            self._add_rows(both, left, t1, dressed_ovoo)

    def _make_tau(self, pairs: SpinPairs, t1: Mapping[int, Matrix], t2: Blocks) -> None:
        n = self._integrals
        s, t = pairs.spins
        mine = n.shares[s].own
        of_mine = pairs.virtual.of(mine)
        c, d = pairs.virtual.left[of_mine], pairs.virtual.right[of_mine]
        doubles = own(t2[s, t], n.occupied[s], n.virtual[t], n.occupied[t])
        target = own(self._tau[s, t], pairs.size)
        for some in runs(len(c), 4 * 8 * n.occupied[s] * n.occupied[t], WORK):
            squares = doubles[c[some] - mine.start, :, d[some], :]
            if pairs.same:
                squares *= 0.5  # it is antisymmetric as it is
            squares += t1[s][c[some], :, None] * t1[t][d[some], None, :]
            target[some] = pairs.packed(squares)

    def _make_holes(self, pairs: SpinPairs, t1: Mapping[int, Matrix]) -> None:
        """Make <kl||i~j~> + 1/2 sum_cd <kl||cd> t_ij^cd of pairs kl (rows) and ij."""
        n = self._integrals
        s, t = pairs.spins
        o, holes = n.occupied, self._holes[s, t]
        holes.copy_from(n.oooo[s, t])
        n.group.sync()
        of_s, of_t = t1[s][n.shares[s].own], t1[t][n.shares[t].own]
        of_first = own(n.ovoo[s, t], o[s], o[t], o[t])  # c x k x l x j
        of_last = own(n.ovoo[t, s], o[t], o[s], o[s])  # d x l x k x i
        tau, rows_of = own(self._tau[s, t], pairs.size), own(n.hole_rows[s, t], pairs.size)
        for some in runs(o[s], 4 * 8 * o[s] * o[t] ** 2, WORK):
            chosen = slice(*(int(x) for x in np.searchsorted(pairs.left, [some.start, some.stop])))
            if chosen.start == chosen.stop:
                continue
            first = np.tensordot(of_s, of_first[:, some], (0, 0))  # i x k x l x j
            last = np.tensordot(of_t, of_last[:, :, some], (0, 0))  # j x l x k x i
            squares = first.transpose(1, 2, 0, 3) + last.transpose(2, 1, 3, 0)  # k x l x i x j
            k, l = pairs.left[chosen] - some.start, pairs.right[chosen]  # noqa: E741
            part = pairs.packed(squares[k, l]) + rows_of[:, chosen].T @ tau
            holes.accumulate(np.s_[chosen, :], part)
        n.group.sync()

    def _unpack(self, pairs: SpinPairs, left: Blocks) -> None:
        n = self._integrals
        s, t = pairs.spins
        mine = n.shares[s].own
        of_mine = pairs.virtual.of(mine)
        a, b = pairs.virtual.left[of_mine] - mine.start, pairs.virtual.right[of_mine]
        target = own(left[s, t], n.occupied[s], n.virtual[t], n.occupied[t])
        found = own(self._out[s, t], pairs.size)
        weight = 0.5 if pairs.same else 1.0  # the antisymmetrizer exchanges i and j too
        for some in runs(len(a), 4 * 8 * n.occupied[s] * n.occupied[t], WORK):
            target[a[some], :, b[some], :] += weight * pairs.unpacked(found[some])

    def _add_rows(
        self, spins: Spins, left: Blocks, t1: Mapping[int, Matrix], dressed_ovoo: Blocks
    ) -> None:
        """Add - sum_k t_kb <ak||i~j~>, with all of the ladder in it."""
        n = self._integrals
        s, t = spins
        o, v = n.occupied, n.virtual
        target = own(left[s, t], o[s], v[t], o[t])
        dressed = own(dressed_ovoo[s, t], o[s], o[t], o[t])
        oovv = own(n.oovv[s, t], o[t], v[s], o[t])
        for some in runs(len(target), 6 * 8 * o[s] * o[t] * max(o[t], v[t]), WORK):
            rows = dressed[some].transpose(0, 2, 1, 3).copy()  # a x k x i x j
            rows += np.matmul(oovv[some].transpose(0, 1, 3, 2), t1[s]).transpose(0, 1, 3, 2)
            rows += self._ladder_rows(spins, some)
            product = np.matmul(t1[t].copy(), rows.reshape(-1, o[t], o[s] * o[t]))
            shape = (-1, v[t], o[s], o[t])  # a x b x i x j
            target[some] -= product.reshape(shape).transpose(0, 2, 1, 3)

    def _ladder_rows(self, spins: Spins, some: slice) -> NDArray[np.float64] | float:
        """Give 1/2 sum_cd <ak||cd> tau_ij^cd of some of this rank's a: a x k x i x j."""
        if spins not in self._rows:
            return 0.0
        s, t = spins
        for pairs in self._integrals.pairs:
            if pairs.spins == (min(s, t), max(s, t)):
                array = own(self._rows[s, t], self._integrals.occupied[t], pairs.size)
                squares = pairs.unpacked(array[some])
                if pairs.same:
                    return 0.5 * squares  # the antisymmetrizer has it twice
                return squares if s < t else squares.transpose(0, 1, 3, 2)
        raise AssertionError(spins)
