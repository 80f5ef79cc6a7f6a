"""The equations of open-shell CCSD: what is left of them for given amplitudes.

They are the spin-orbital equations of Stanton, Gauss, Watts, Bartlett (J. Chem. Phys. 94, 4334
(1991)), summed over spins, in the form that integrals dressed with the single amplitudes give them
(`coupled_cluster/equations.py`): a~ = a - sum_k t_ka k in front of an operator, i~ = i + sum_c t_ic
c behind it. With <pq||rs> = (pr|qs) - (ps|qr), and P the antisymmetrizer of ij and ab,

    r_ij^ab = <a~b~||i~j~> + P(ab) L_ac t_ij^cb - P(ij) L_ki t_kj^ab
              + 1/2 <a~b~||cd> t_ij^cd + 1/2 W_klij t_kl^ab + P(ij) P(ab) t_ik^ac X_kcbj

A matrix `left[s, t]` of pairs ai of spin s and bj of spin t gets one term of each P; the residual
of equal spins is what P makes of it, that of two is left[0, 1] with the transpose of left[1, 0].
Every rank has the rows of its virtual orbitals of each matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.half_transform import runs
from atoll.chem.correlation.coupled_cluster.integrals import WORK
from atoll.chem.correlation.coupled_cluster.shares import own, panels
from atoll.chem.correlation.open_shell.pair_ladders import PairLadders
from atoll.chem.correlation.open_shell.sums import add_up, dressed_fock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.ladder_choice import LadderProduct
    from atoll.chem.correlation.open_shell.amplitudes import OpenShellAmplitudes
    from atoll.chem.correlation.open_shell.integrals import Blocks, OpenShellIntegrals
    from atoll.chem.correlation.open_shell.spin_pairs import Spins
    from atoll.chem.correlation.open_shell.sums import DressedFock, Sums

    Matrix = NDArray[np.float64]


class OpenShellEquations:
    """The equations for some integrals, and the memory for their parts. Collective throughout.

    Args:
        integrals: All but those of four virtual orbitals.
        ladder: Those, of all pairs of spins.
        fock: The Fock matrix of each spin.

    """

    def __init__(
        self,
        integrals: OpenShellIntegrals,
        ladder: LadderProduct,
        fock: Mapping[int, OrbitalFock],
    ) -> None:
        n = self._integrals = integrals
        self._fock = fock
        apart = [both for both in n.both if both[0] != both[1]]
        o = n.occupied
        self._left = {both: n.square(both, "residual, one part") for both in n.both}
        self._product = {both: n.square(both, "residual") for both in n.both if both[0] <= both[1]}
        self._rings = {both: n.square(both, "rings") for both in n.both}
        self._crossed = {both: n.crossed_square(both, "crossed rings") for both in n.both}
        self._exchanged = {both: n.exchanging(both, "amplitudes, exchanged") for both in apart}
        self._exchange = {both: n.exchanging(both, "product") for both in apart}
        self._turned = {(1, 0): n.square((1, 0), "amplitudes of beta, alpha")} if apart else {}
        self._dressed_ovoo = {
            (s, t): n.shares[s].rows(o[t] ** 2, o[s], "(ki|lc), dressed") for s, t in n.both
        }
        self._pair_ladders = PairLadders(n, ladder)

    def close(self) -> None:
        """Free the memory. Collective."""
        for blocks in (
            self._left,
            self._product,
            self._rings,
            self._crossed,
            self._exchanged,
            self._exchange,
            self._turned,
            self._dressed_ovoo,
        ):
            for array in blocks.values():
                array.destroy()
        self._pair_ladders.close()

    def residual(self, amplitudes: OpenShellAmplitudes) -> tuple[dict[int, Matrix], Blocks]:
        """Give what is left of the equations, as the amplitudes are. Good until the next call."""
        t1 = amplitudes.singles
        t2 = self._rearranged(amplitudes)
        self._dress(t1)
        n = self._integrals
        sums = add_up(n, t1, t2, self._dressed_ovoo, self._left, self._crossed)
        fock = {s: dressed_fock(self._fock[s], t1[s], sums[s]) for s in n.spins}
        singles = self._singles(t1, t2, sums, fock)
        self._make_rings(t1)
        self._add_pair_terms(t2, sums, fock)
        self._multiply(t2)
        self._pair_ladders.add(self._left, t1, t2, self._dressed_ovoo)
        return singles, self._antisymmetrized()

    # ------------------------------------------------------------------ amplitudes and singles

    def _rearranged(self, amplitudes: OpenShellAmplitudes) -> Blocks:
        """Give the doubles of all pairs of spins, and exchange those of two."""
        n = self._integrals
        n.group.sync()  # the amplitudes are there
        for (s, t), array in self._turned.items():
            own(array, n.virtual[t] * n.occupied[t])[...] = 0
            _add_transposed(array, amplitudes.doubles[t, s], n.shares[s].own, n.occupied[s])
        t2 = {**amplitudes.doubles, **self._turned}
        for (s, t), array in self._exchanged.items():
            o, v = n.occupied, n.virtual
            source = own(t2[s, t], o[s], v[t], o[t])
            own(array, o[t], v[t], o[s])[...] = source.transpose(0, 3, 2, 1)
        return t2

    def _dress(self, t1: Mapping[int, Matrix]) -> None:
        """Make (ki~|lc), and begin with sum_d t_id (ad|kc) and sum_d t_id (ac|kd)."""
        n = self._integrals
        o, v = n.occupied, n.virtual
        for s, t in n.both:
            coulomb, ovoo = own(n.ovov[s, t], v[t], o[t]), own(self._dressed_ovoo[s, t], o[t], o[t])
            np.matmul(coulomb.transpose(0, 2, 1), t1[t], out=ovoo)
            ovoo += own(n.ovoo[s, t], o[t], o[t])
            ovvv = own(n.ovvv[s, t], v[s], v[t] * o[t])
            np.matmul(t1[s].T, ovvv, out=own(self._left[s, t], o[s], v[t] * o[t]))
            crossed = np.matmul(t1[t].T, ovvv.reshape(-1, v[t], o[t]))  # ac x i x k
            turned = crossed.reshape(-1, v[s], o[t], o[t]).transpose(0, 2, 1, 3)
            own(self._crossed[s, t], o[t], v[s], o[t])[...] = turned

    def _singles(
        self,
        t1: Mapping[int, Matrix],
        t2: Blocks,
        sums: Mapping[int, Sums],
        fock: Mapping[int, DressedFock],
    ) -> dict[int, Matrix]:
        """Give the residual of the singles, a x i, on every rank."""
        n = self._integrals
        found = {}
        for s in n.spins:
            coupled = np.zeros(t1[s].shape)
            for t in n.spins:
                rows = own(t2[s, t], t1[t].size) @ fock[t].ov.ravel()
                coupled[n.shares[s].own] += rows.reshape(-1, n.occupied[s])
            total = np.asarray(n.group.reduce(coupled)).reshape(coupled.shape)
            found[s] = total + fock[s].vo + sums[s].singles - t1[s] @ sums[s].screened_oo
        return found

    # ------------------------------------------------------------------ doubles

    def _make_rings(self, t1: Mapping[int, Matrix]) -> None:
        """Make (bj|kc), dressed, rows bj, columns ck, and (kj|bc), b and c of one spin."""
        n = self._integrals
        for both in n.both:
            np.add(_flat(n.ovov[both]), _flat(self._left[both]), out=_flat(self._rings[both]))
            crossed = _flat(self._crossed[both])
            crossed += _flat(n.oovv[both])
        n.group.sync()  # all of (ki~|lc) is there
        for both in n.both:
            self._dress_rings(both, t1)
        for s in n.spins:
            rings = _flat(self._rings[s, s])
            rings -= _flat(self._crossed[s, s])

    def _dress_rings(self, spins: Spins, t1: Mapping[int, Matrix]) -> None:
        """Subtract sum_l t_lb (lj~|kc), and sum_l t_lb (kj~|lc)."""
        n = self._integrals
        s, t = spins
        o, v = n.occupied, n.virtual
        rings = own(self._rings[t, s], o[t], v[s], o[s])
        crossed = own(self._crossed[s, t], o[t], v[s], o[t])
        for_rings, for_crossed = (t1[spin][n.shares[spin].own] for spin in (t, s))
        for rows, values in panels(self._dressed_ovoo[s, t]):
            panel = values.reshape(-1, o[s], o[t], o[t])  # c x k (l) x l (k) x j
            some = slice(rows.start // o[s], rows.stop // o[s])
            straight = panel.transpose(2, 3, 0, 1).reshape(o[t], -1)  # l x j x c x k
            product = for_rings @ straight
            rings[:, :, some] -= product.reshape(-1, o[t], len(panel), o[s])
            other = panel.transpose(1, 3, 0, 2).reshape(o[s], -1)
            product = for_crossed @ other
            crossed[:, :, some] -= product.reshape(-1, o[t], len(panel), o[t])

    def _add_pair_terms(
        self, t2: Blocks, sums: Mapping[int, Sums], fock: Mapping[int, DressedFock]
    ) -> None:
        """Add integrals, and what the Fock matrix couples, of the second electron."""
        n = self._integrals
        o, v = n.occupied, n.virtual
        for s, t in n.both:
            left, doubles = (own(x, o[s], v[t], o[t]) for x in (self._left[s, t], t2[s, t]))
            left += 0.5 * own(n.ovov[s, t], o[s], v[t], o[t])
            weight = weight_of((s, t))
            left += np.matmul(weight * (fock[t].vv - sums[t].screened_vv), doubles)
            of_occupied = weight * (fock[t].oo + sums[t].screened_oo)
            left -= (doubles.reshape(-1, o[t]) @ of_occupied).reshape(left.shape)

    def _multiply(self, t2: Blocks) -> None:
        """Multiply what is quadratic in the doubles, and add it."""
        n = self._integrals
        for s, t in n.both:
            for u in n.spins:
                integrals = n.antisymmetric[u, t]
                atoll.matmul(t2[s, u], integrals, self._rings[s, t], alpha=0.5, beta=1)
        for s, t in n.both:
            for u in n.spins:
                atoll.matmul(self._rings[s, u], t2[u, t], self._left[s, t], beta=1)
        for s, t in self._exchanged:
            crossed, exchanged = self._crossed[s, t], self._exchanged[s, t]
            atoll.matmul(exchanged, n.exchanged[t, s], crossed, alpha=-0.5, beta=1)
            atoll.matmul(crossed, exchanged, self._exchange[s, t])
            o, v = n.occupied, n.virtual
            left = own(self._left[s, t], o[s], v[t], o[t])
            left -= own(self._exchange[s, t], o[t], v[t], o[s]).transpose(0, 3, 2, 1)

    def _antisymmetrized(self) -> Blocks:
        """Give the residual of the parts."""
        n = self._integrals
        o, v = n.occupied, n.virtual
        for s in n.spins:
            left = own(self._left[s, s], o[s], v[s], o[s])
            for some in runs(len(left), 8 * v[s] * o[s] ** 2, WORK):
                left[some] -= left[some].transpose(0, 3, 2, 1).copy()
        n.group.sync()
        for (s, t), total in self._product.items():
            _flat(total)[...] = _flat(self._left[s, t])
            _add_transposed(total, self._left[t, s], n.shares[s].own, o[s])
        n.group.sync()  # nobody reads them any more
        return self._product


def weight_of(spins: Spins) -> float:
    """Give the weight of a term that the antisymmetrizer of equal spins has twice."""
    return 0.5 if spins[0] == spins[1] else 1.0


def _add_transposed(target: atoll.Array, source: atoll.Array, mine: slice, occupied: int) -> None:
    """Add to this rank's rows, of so many orbitals each, the columns of another matrix."""
    total = _flat(target)
    if total.size == 0:
        return
    for rows, panel in panels(source, slice(mine.start * occupied, mine.stop * occupied)):
        total[:, rows] += panel.T


def _flat(array: atoll.Array) -> NDArray[np.float64]:
    return own(array, array.shape[1])
