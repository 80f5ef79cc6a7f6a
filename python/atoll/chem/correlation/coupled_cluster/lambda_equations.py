"""The equations for the multipliers of closed-shell CCSD: what is left of them for given ones.

They are derivatives of half the Lagrangian, E / 2 + sum l_ia R_ia + sum (l_ij^ab - l_ji^ab / 2)
R_ij^ab, R what is left of the equations of the amplitudes as `equations.py` computes it: each of
its terms is derived, from the last one back to the first. With what the doubles are derived by, 2 x
- x exchanged is divided out, so that the first order of l is t. Everything is distributed as the
amplitudes are, by a virtual orbital.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.half_transform import runs
from atoll.chem.correlation.coupled_cluster.integrals import WORK
from atoll.chem.correlation.coupled_cluster.lambda_constants import constants, weights_of_pairs
from atoll.chem.correlation.coupled_cluster.pairs import unpacked
from atoll.chem.correlation.coupled_cluster.response import response
from atoll.chem.correlation.coupled_cluster.row_sums import add_transpose, multiply_rows, paired
from atoll.chem.correlation.coupled_cluster.shares import Shares, own, panels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes
    from atoll.chem.correlation.coupled_cluster.equations import Equations
    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.integrals import Integrals
    from atoll.chem.correlation.coupled_cluster.ladder_choice import LadderProduct
    from atoll.chem.correlation.coupled_cluster.response import Response

    Matrix = NDArray[np.float64]

DOUBLES, WITH_SINGLES = 8, 7
"""Arrays as large as the doubles, and of o^3 v elements, beside those of `Equations`.

Multipliers, begun with and given, amplitudes as they are given, and what is made here.
"""


def like_doubles(occupied: int, virtual: int) -> int:
    """Give how many arrays as large as the doubles these come to."""
    return DOUBLES + -(-WITH_SINGLES * occupied // virtual)


class LambdaEquations:
    """The equations for some amplitudes, and the memory for their parts. Collective throughout.

    Args:
        equations: Those of the amplitudes, whose memory is used from now on.
        integrals: All but those of four virtual orbitals.
        ladder: Those.
        fock: The Fock matrix.
        amplitudes: They have to solve the equations for the multipliers to mean anything.

    """

    def __init__(
        self,
        equations: Equations,
        integrals: Integrals,
        ladder: LadderProduct,
        fock: OrbitalFock,
        amplitudes: Amplitudes,
    ) -> None:
        self._integrals, self._ladder, self._fock = integrals, ladder, fock
        self._amplitudes = amplitudes
        self._given = equations.intermediates(amplitudes)
        self._constants = constants(self._given, integrals, amplitudes.singles)
        self._weights = weights_of_pairs(integrals)
        o, v = integrals.occupied, integrals.virtual
        rows = integrals.shares.rows
        self._exchanged = rows(v * o, o, "multipliers, exchanged")
        self._contrast = rows(v * o, o, "multipliers, contrast")
        self._rings = rows(v * o, o, "rings of multipliers")
        self._crossed = rows(v * o, o, "crossed rings of multipliers")
        self._contrast_oo = rows(o * o, o, "multipliers with a single, contrast")
        self._exchanged_oo = rows(o * o, o, "multipliers with a single, exchanged")
        self._rings_oo = rows(o * o, o, "rings with a single")
        self._crossed_oo = rows(o * o, o, "crossed rings with a single")
        self._pairs, self._particles, self._holes = [], [], []
        for kind in integrals.signs:
            ragged = integrals.shares.ragged
            self._pairs.append(ragged(kind.size, integrals.pairs.first, "multipliers of pairs"))
            self._particles.append(ragged(kind.size, integrals.pairs.first, "ladder's rest"))
            holes = Shares(integrals.group, kind.size)
            self._holes.append(holes.rows(kind.size, 1, "tau_kl^ab l_ij^ab"))

    def close(self) -> None:
        """Free the memory. Collective."""
        self._constants.destroy()
        for array in (
            self._exchanged,
            self._contrast,
            self._rings,
            self._crossed,
            self._contrast_oo,
            self._exchanged_oo,
            self._rings_oo,
            self._crossed_oo,
            *self._pairs,
            *self._particles,
            *self._holes,
        ):
            array.destroy()

    def residual(self, multipliers: Amplitudes) -> tuple[Matrix, atoll.Array]:
        """Give what is left of the equations, as the amplitudes are. Good until the next call."""
        found = response(self._amplitudes, multipliers)
        self._rearrange(multipliers)
        self._multiply()
        self._attach_singles(multipliers)
        self._add_pair_terms(multipliers, found)
        parts = self._singles_of_rings(found)
        parts += self._singles_of_ovoo(multipliers)
        parts += self._add_ladder()
        parts[self._integrals.shares.own] += self._singles_of_fock(multipliers.singles, found)
        total = self._integrals.group.reduce(parts)
        singles = np.asarray(total).reshape(parts.shape)
        singles += self._singles_of_dressing(multipliers.singles, found)
        return singles, self._symmetrized()

    # ------------------------------------------------------------------ doubles

    def _rearrange(self, multipliers: Amplitudes) -> None:
        """Make the multipliers exchanged, 2 l - exchanged, and those of pairs."""
        n = self._integrals
        o, v, mine = n.occupied, n.virtual, n.shares.own
        l2 = multipliers.own()
        exchanged, contrast = own(self._exchanged, o, v, o), own(self._contrast, o, v, o)
        exchanged[...] = l2.transpose(0, 3, 2, 1)
        np.multiply(l2, 2, out=contrast)
        contrast -= exchanged
        of_mine = n.pairs.of(mine)
        c, d = n.pairs.left[of_mine] - mine.start, n.pairs.right[of_mine]
        for some in runs(len(c), 4 * 8 * o * o, WORK):
            squares = l2[c[some], :, d[some], :]
            for kind, array in zip(n.signs, self._pairs, strict=True):
                own(array, kind.size)[some] = self._weights[some] * kind.packed(squares)

    def _multiply(self) -> None:
        """Multiply by what is as large as the doubles; begin one half of the residual."""
        n, given, made = self._integrals, self._given, self._constants
        left_array, product_array = given.spare
        atoll.matmul(self._contrast, given.contrast, self._rings)
        atoll.matmul(self._exchanged, given.exchanged, self._crossed)
        atoll.matmul(self._contrast, made.rings, left_array, alpha=0.5)
        atoll.matmul(self._exchanged, made.crossed, product_array)
        o, v = n.occupied, n.virtual
        left, product = own(left_array, o, v, o), own(product_array, o, v, o)
        left -= product.transpose(0, 3, 2, 1)
        product *= 0.5
        left -= product
        # What (ac|ki), dressed, is met by: -1.5 exchanged, and less half of the rings.
        rings, crossed = own(self._rings, v * o), own(self._crossed, v * o)
        crossed *= -1.5
        crossed -= 0.5 * rings

    def _attach_singles(self, multipliers: Amplitudes) -> None:
        """Make what has t_la for an orbital a: rows dj, columns li, and times the doubles."""
        n, t1 = self._integrals, self._amplitudes.singles
        o, v = n.occupied, n.virtual
        for source, target in (
            (self._contrast, self._contrast_oo),
            (self._exchanged, self._exchanged_oo),
        ):
            np.matmul(t1.T, own(source, o, v, o), out=own(target, o, o, o))
        atoll.matmul(self._given.contrast, self._contrast_oo, self._rings_oo)
        atoll.matmul(self._given.exchanged, self._exchanged_oo, self._crossed_oo)
        l2, arrays = multipliers.own(), self._given.ladder_rows
        for number, row in enumerate(l2):
            squares = -np.matmul(t1.T, row).transpose(1, 2, 0)  # k x i x j
            for kind, array in zip(n.signs, arrays, strict=True):
                own(array, o, kind.size)[number] = kind.packed(np.ascontiguousarray(squares))

    def _add_pair_terms(self, multipliers: Amplitudes, found: Response) -> None:
        """Add the integrals, what the Fock matrix couples, and what is of the singles."""
        n, given = self._integrals, self._given
        o, v = n.occupied, n.virtual
        l1, l2 = multipliers.singles, multipliers.own()
        left, coulomb = own(given.spare[0], o, v, o), own(n.ovov, o, v, o)
        left += 0.5 * coulomb
        left += np.matmul((given.fock.vv - given.sums.screened_vv).T, l2)
        left -= np.matmul(l2, (given.fock.oo + given.sums.screened_oo).T)
        left -= np.matmul(found.doubles_vv, coulomb)
        left += np.matmul(coulomb, found.oo)
        left += l1[n.shares.own, :, None, None] * given.fock.ov
        left += np.matmul(l1.T, own(n.ovvv, v, v * o)).reshape(left.shape)
        dressed = np.matmul(own(given.dressed_ovoo, o, o, o), l1.T)  # c x l x k x a
        left -= dressed.transpose(0, 1, 3, 2)

    def _symmetrized(self) -> atoll.Array:
        """Give one half of the residual plus its transpose."""
        n, (left, total) = self._integrals, self._given.spare
        add_transpose(left, total, n.shares, n.occupied)
        return total

    # ------------------------------------------------------------------ ladder

    def _add_ladder(self) -> Matrix:
        """Add what two electrons do to each other; give its part of the singles, of this rank."""
        n, given, made = self._integrals, self._given, self._constants
        self._ladder.multiply(self._pairs, given.ladders)
        for number, particles in enumerate(self._particles):
            pairs, holes = self._pairs[number], self._holes[number]
            multiply_rows(n.ladder_rows[number], given.ladder_rows[number], particles)
            multiply_rows(made.pairs[number], pairs, holes)
            atoll.matmul(n.hole_rows[number], holes, particles, alpha=0.5, beta=1)
            kept = own(particles, particles.shape[1])
            kept *= self._weights
            atoll.matmul(pairs, made.holes[number].at[...].T, particles, beta=1)
            kept += own(given.ladders[number], particles.shape[1])
        return self._unpack_ladder() + self._singles_of_holes()

    def _unpack_ladder(self) -> Matrix:
        """Add pairs to one half of the residual; give what their product of singles brings."""
        n, t1 = self._integrals, self._amplitudes.singles
        o, v, mine = n.occupied, n.virtual, n.shares.own
        left = own(self._given.spare[0], o, v, o)
        of_mine = n.pairs.of(mine)
        a, b = n.pairs.left[of_mine], n.pairs.right[of_mine]
        parts = [
            own(array, kind.size) for array, kind in zip(self._particles, n.signs, strict=True)
        ]
        singles = np.zeros((v, o))
        for some in runs(len(a), 6 * 8 * o * o, WORK):
            squares = unpacked([part[some] for part in parts], n.signs)
            left[a[some] - mine.start, :, b[some], :] += squares
            contrast = 2 * squares - squares.transpose(0, 2, 1)
            np.add.at(singles, a[some], np.matmul(contrast, t1[b[some], :, None])[:, :, 0])
            np.add.at(singles, b[some], np.matmul(t1[a[some], None, :], contrast)[:, 0])
        return singles

    def _singles_of_holes(self) -> Matrix:
        """Give sum_klj (2 w_klij - w_klji) (kc|lj), w_klij = sum_ab tau_kl^ab l_ij^ab."""
        n = self._integrals
        o, mine = n.occupied, n.shares.own
        singles = np.zeros((n.virtual, o))
        ovoo = own(n.ovoo, o, o, o)  # c x k x l x j
        for kind, array in zip(n.signs, self._holes, strict=True):
            for rows, panel in panels(array):
                k, l = kind.left[rows], kind.right[rows]  # noqa: E741
                squares = np.zeros((len(k), o, o))
                kind.add_to(squares, 0.5 * panel)
                contrast = 2 * squares - squares.transpose(0, 2, 1)
                singles[mine] += np.tensordot(ovoo[:, k, l], contrast, ((1, 2), (0, 2)))
                apart = k != l
                other, turned = ovoo[:, l[apart], k[apart]], contrast[apart]
                singles[mine] += np.tensordot(other, turned, ((1, 2), (0, 1)))
        return singles

    # ------------------------------------------------------------------ singles

    def _singles_of_rings(self, found: Response) -> Matrix:
        """Give the parts of this rank with (ad|kc), of rings and of the Fock matrix."""
        n = self._integrals
        o, v = n.occupied, n.virtual
        ovvv = own(n.ovvv, v, v * o)
        rings, crossed = own(self._rings, o, v, o), own(self._crossed, o, v, o)
        contrast, each = own(self._contrast, o, v, o), np.arange(o)
        singles = np.zeros((v, o))
        mine = range(n.shares.own.start, n.shares.own.stop)
        for number, a in enumerate(mine):
            straight = contrast[number] + rings[number]  # i x c x k
            straight[each, :, each] -= found.vv[a]
            other = crossed[number].copy()  # c x i x k, i in front
            other[each, :, each] += 2 * found.vv[a]
            singles += ovvv[number] @ straight.reshape(o, -1).T
            integrals = ovvv[number].reshape(v, v, o)
            singles += np.tensordot(integrals, other, ((0, 2), (1, 2)))
        return singles

    def _singles_of_ovoo(self, multipliers: Amplitudes) -> Matrix:
        """Give the parts of this rank with an orbital k or l that has one behind it dressed."""
        n, made, l1 = self._integrals, self._constants, multipliers.singles
        o, v = n.occupied, n.virtual
        contrast, exchanged = own(self._contrast, o, v, o), own(self._exchanged, o, v, o)
        singles = 1.5 * paired(exchanged, own(made.of_exchanged, o, o, o))
        singles -= paired(contrast, own(made.of_contrast, o, o, o))
        attached, rings = own(self._contrast_oo, o, o, o), own(self._rings_oo, o, o, o)
        crossed = own(self._crossed_oo, o, o, o)
        amplitudes, coulomb = own(self._given.contrast, o, v, o), own(n.ovov, o, v, o)
        oovv = own(n.oovv, o, v, o)
        for number, of_c in enumerate(amplitudes):
            turned = 0.5 * rings[number] + 1.5 * crossed[number]  # k x l x i
            weighted = -attached[number] - rings[number] + turned.transpose(1, 0, 2)
            weighted -= np.tensordot(of_c, l1, ((1,), (0,)))  # l x k x i
            singles += np.tensordot(coulomb[number], weighted, ((0, 2), (0, 1)))
            # j x k x i with (ki|bc)
            singles -= np.tensordot(oovv[number], attached[number], ((0, 2), (1, 2)))
        return singles

    def _singles_of_fock(self, l1: Matrix, found: Response) -> Matrix:
        """Give this rank's rows of what the Fock matrix has of the singles, and of the energy."""
        n, t1 = self._integrals, self._amplitudes.singles
        o, v = n.occupied, n.virtual
        ovoo = own(n.ovoo, o, o, o)
        singles: Matrix = 2 * np.tensordot(ovoo, found.oo, ((2, 3), (0, 1)))
        singles -= np.tensordot(ovoo, found.oo, ((1, 3), (0, 1)))
        flat = 2 * (own(n.ovov, v * o) @ l1.ravel()) - own(n.oovv, v * o) @ l1.ravel()
        flat += own(n.ovov_contrast, v * o) @ (found.ov + t1).ravel()
        singles += flat.reshape(-1, o)
        return singles

    def _singles_of_dressing(self, l1: Matrix, found: Response) -> Matrix:
        """Give what is of matrices that are whole on every rank."""
        fock, sums = self._given.fock, self._given.sums
        singles: Matrix = self._fock.vo - l1 @ (fock.oo + sums.screened_oo).T
        singles += self._constants.particles.T @ l1
        singles += fock.ov @ found.oo - found.doubles_vv @ fock.ov
        return singles
