"""The equations of closed-shell CCSD: what is left of them for given amplitudes.

The formulation is that of integrals dressed with the single amplitudes (Helgaker, Jorgensen, Olsen,
Molecular Electronic-Structure Theory, section 13.7): a~ = a - sum_k t_ka k in front of an operator,
i~ = i + sum_c t_ic c behind it, make the doubles equations those without singles. Where only
integrals of four virtual orbitals would be dressed, t_ij^cd + t_i^c t_j^d meets them as they are.

Every rank has the rows of its virtual orbitals of each matrix (`shares.py`), so that what is not a
product of two large matrices moves nothing; sums over rows are added up once for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.half_transform import runs
from atoll.chem.correlation.coupled_cluster.integrals import WORK
from atoll.chem.correlation.coupled_cluster.pairs import unpacked
from atoll.chem.correlation.coupled_cluster.row_sums import add_transpose
from atoll.chem.correlation.coupled_cluster.shares import own, panels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes
    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.integrals import Integrals
    from atoll.chem.correlation.coupled_cluster.ladder_choice import LadderProduct

    Matrix = NDArray[np.float64]


class Sums(NamedTuple):
    """What needs all ranks' rows: whole on every rank, no larger than a Fock matrix."""

    fock_vo: Matrix
    """sum_kc t_kc (2 (ai|kc) - (ac|ki))."""
    fock_ov: Matrix
    """The same of (ia|kc), rows a."""
    fock_oo: Matrix
    fock_vv: Matrix
    screened_oo: Matrix
    """sum_kcd u_ki^cd (ld|kc), rows l."""
    screened_vv: Matrix
    """sum_klc u_kl^ac (kd|lc), rows a."""
    singles: Matrix
    """sum_kcd u_ki^cd (ad|kc) - sum_klc u_kl^ac (ki~|lc), rows a."""


class DressedFock(NamedTuple):
    """The Fock matrix, dressed."""

    oo: Matrix
    vv: Matrix
    vo: Matrix
    ov: Matrix
    """Rows a."""


class Intermediates(NamedTuple):
    """What is made of amplitudes for a residual, for those who take derivatives of it.

    The arrays are the equations' own, gone with `Equations.close`, and may be written to.
    """

    sums: Sums
    fock: DressedFock
    exchanged: atoll.Array
    """t_ki^ac, rows ai, columns ck."""
    contrast: atoll.Array
    """2 t - exchanged."""
    rings: atoll.Array
    """2 (ai|kc) - (ac|ki), dressed, and half of what the doubles add to it."""
    crossed: atoll.Array
    """(ac|ki), dressed, and half of what the doubles add to it."""
    dressed_ovoo: atoll.Array
    """(ki~|lc), rows cl, columns ki."""
    pairs: list[atoll.Array]
    """Doubles and products of singles, by pairs ab and ij, for each sign."""
    holes: list[atoll.Array]
    """W_klij, by pairs kl and ij."""
    ladder_rows: list[atoll.Array]
    """sum_cd (kc|bd) of the pairs' amplitudes, rows bk, columns ij."""
    ladders: list[atoll.Array]
    """Like `pairs`, to be overwritten."""
    spare: tuple[atoll.Array, atoll.Array]
    """Like the doubles, to be overwritten."""


class Equations:
    """The equations for some integrals, and the memory for their parts. Collective throughout.

    Args:
        integrals: All but those of four virtual orbitals.
        ladder: Those.
        fock: The Fock matrix.

    """

    def __init__(self, integrals: Integrals, ladder: LadderProduct, fock: OrbitalFock) -> None:
        self._integrals, self._ladder = integrals, ladder
        self._fock = fock
        self._latest: tuple[Sums, DressedFock]
        o, v = integrals.occupied, integrals.virtual
        rows, pairs = integrals.shares.rows, integrals.pairs
        self._exchanged = rows(v * o, o, "amplitudes, exchanged")
        self._contrast = rows(v * o, o, "amplitudes, contrast")
        self._rings = rows(v * o, o, "rings")
        self._crossed = rows(v * o, o, "crossed rings")
        self._product = rows(v * o, o, "product")
        self._left = rows(v * o, o, "residual, one half")
        self._dressed_ovoo = rows(o * o, o, "(ki|lc), dressed")
        self._pairs, self._ladders, self._ladder_rows, self._holes = [], [], [], []
        for kind, bare in zip(integrals.signs, integrals.oooo, strict=True):
            ragged = integrals.shares.ragged
            self._pairs.append(ragged(kind.size, pairs.first, "amplitudes of pairs"))
            self._ladders.append(ragged(kind.size, pairs.first, "ladder"))
            self._ladder_rows.append(rows(kind.size, o, "ladder's rows kb"))
            self._holes.append(bare.duplicate())

    def close(self) -> None:
        """Free the memory. Collective."""
        for array in (
            self._exchanged,
            self._contrast,
            self._rings,
            self._crossed,
            self._product,
            self._left,
            self._dressed_ovoo,
            *self._pairs,
            *self._ladders,
            *self._ladder_rows,
            *self._holes,
        ):
            array.destroy()

    def residual(self, amplitudes: Amplitudes) -> tuple[Matrix, atoll.Array]:
        """Give what is left of the equations, as the amplitudes are. Good until the next call."""
        t1 = amplitudes.singles
        self._rearrange(amplitudes)
        self._dress_ovoo(t1)
        dressed, crossed = self._dressed_rings(t1)
        sums = self._sums(t1, dressed, crossed)
        fock = self._dressed_fock(t1, sums)
        self._latest = (sums, fock)
        singles = self._singles(t1, sums, fock)
        self._add_pair_terms(amplitudes, sums, fock, dressed)
        self._make_rings(t1, dressed, crossed)
        self._multiply()
        self._add_ladder(t1)
        return singles, self._symmetrized()

    def intermediates(self, amplitudes: Amplitudes) -> Intermediates:
        """Compute a residual, and give what it was made of. Good until the next residual."""
        self.residual(amplitudes)
        sums, fock = self._latest
        return Intermediates(
            sums,
            fock,
            self._exchanged,
            self._contrast,
            self._rings,
            self._crossed,
            self._dressed_ovoo,
            self._pairs,
            self._holes,
            self._ladder_rows,
            self._ladders,
            (self._left, self._product),
        )

    # ------------------------------------------------------------------ amplitudes and singles

    def _rearrange(self, amplitudes: Amplitudes) -> None:
        """Make the amplitudes exchanged, 2 t - exchanged, and those of pairs with singles."""
        o, v = self._integrals.occupied, self._integrals.virtual
        t1, t2 = amplitudes.singles, own(amplitudes.doubles, o, v, o)
        exchanged, contrast = own(self._exchanged, o, v, o), own(self._contrast, o, v, o)
        exchanged[...] = t2.transpose(0, 3, 2, 1)
        np.multiply(t2, 2, out=contrast)
        contrast -= exchanged
        pairs, mine = self._integrals.pairs, self._integrals.shares.own
        of_mine = pairs.of(mine)
        c, d = pairs.left[of_mine], pairs.right[of_mine]
        weights = np.where(c == d, 0.25, 0.5)[:, None]
        for some in runs(len(c), 6 * 8 * o * o, WORK):
            squares = t2[c[some] - mine.start, :, d[some], :]
            squares += t1[c[some], :, None] * t1[d[some], None, :]
            for kind, array in zip(self._integrals.signs, self._pairs, strict=True):
                own(array, kind.size)[some] = weights[some] * kind.packed(squares)

    def _dress_ovoo(self, t1: Matrix) -> None:
        """Make (ki~|lc) = (ki|lc) + sum_d t_id (kd|lc), rows cl, columns ki."""
        o, v = self._integrals.occupied, self._integrals.virtual
        coulomb = own(self._integrals.ovov, v, o)
        out = own(self._dressed_ovoo, o, o)
        np.matmul(coulomb.transpose(0, 2, 1), t1, out=out)
        out += own(self._integrals.ovoo, o, o)

    def _dressed_rings(self, t1: Matrix) -> tuple[Matrix, Matrix]:
        """Give sum_d t_id (ad|kc), a x i x ck, and sum_d t_id (ac|kd), a x c x i x k."""
        o, v = self._integrals.occupied, self._integrals.virtual
        ovvv = own(self._integrals.ovvv, v, v * o)
        dressed = np.matmul(t1.T, ovvv)
        crossed = np.matmul(t1.T, ovvv.reshape(-1, v, o)).reshape(-1, v, o, o)
        return dressed.reshape(-1, o, v, o), crossed

    def _sums(self, t1: Matrix, dressed: Matrix, crossed: Matrix) -> Sums:
        """Add up over all ranks' rows."""
        n = self._integrals
        o, v, mine = n.occupied, n.virtual, n.shares.own
        flat, t_mine = t1.reshape(-1), t1[mine]
        coulomb, contrast = own(n.ovov, o, v, o), own(self._contrast, o, v, o)
        ovoo, dressed_ovoo = own(n.ovoo, o, o, o), own(self._dressed_ovoo, o, o)
        parts = Sums(*(np.zeros(shape) for shape in _shapes(o, v)))
        parts.fock_vo[mine] = (
            2 * (coulomb.reshape(-1, v * o) @ flat) - own(n.oovv, v * o) @ flat
        ).reshape(-1, o)
        parts.fock_ov[mine] = (own(n.ovov_contrast, v * o) @ flat).reshape(-1, o)
        parts.fock_oo[...] = 2 * np.tensordot(t_mine, ovoo, 2)
        parts.fock_oo[...] -= np.tensordot(t_mine, ovoo, ((0, 1), (0, 2)))
        parts.fock_vv[mine] = 2 * np.trace(crossed, axis1=2, axis2=3)
        parts.fock_vv[mine] -= np.trace(dressed, axis1=1, axis2=3)
        parts.screened_oo[...] = coulomb.reshape(-1, o).T @ contrast.reshape(-1, o)
        turned = np.ascontiguousarray(contrast.transpose(0, 1, 3, 2)).reshape(-1, v)
        parts.screened_vv[...] = turned.T @ coulomb.transpose(0, 1, 3, 2).reshape(-1, v)
        parts.singles[...] = -turned.T @ dressed_ovoo.reshape(-1, o)
        ovvv, rows = own(n.ovvv, v, v * o), contrast.reshape(-1, o, v * o)
        parts.singles[...] += np.matmul(ovvv, rows.transpose(0, 2, 1)).sum(axis=0)
        total = n.group.reduce(np.concatenate([part.ravel() for part in parts]))
        return Sums(*_split(np.asarray(total), _shapes(o, v)))

    def _dressed_fock(self, t1: Matrix, sums: Sums) -> DressedFock:
        oo, vv = sums.fock_oo + self._fock.oo, sums.fock_vv + self._fock.vv
        ov, vo = sums.fock_ov + self._fock.vo, sums.fock_vo + self._fock.vo
        mixed = ov.T @ t1  # sum_c F_kc t_ic
        return DressedFock(
            oo=oo + mixed, vv=vv - t1 @ ov.T, vo=vo - t1 @ (oo + mixed) + vv @ t1, ov=ov
        )

    def _singles(self, t1: Matrix, sums: Sums, fock: DressedFock) -> Matrix:
        """Give the residual of the singles, a x i, on every rank."""
        n = self._integrals
        o, v = n.occupied, n.virtual
        coupled = np.zeros((v, o))
        rows = own(self._contrast, v * o) @ fock.ov.reshape(-1)
        coupled[n.shares.own] = rows.reshape(-1, o)
        total = np.asarray(n.group.reduce(coupled)).reshape(v, o)
        singles: Matrix = total + fock.vo + sums.singles - t1 @ sums.screened_oo
        return singles

    # ------------------------------------------------------------------ doubles

    def _add_pair_terms(
        self, amplitudes: Amplitudes, sums: Sums, fock: DressedFock, dressed: Matrix
    ) -> None:
        """Begin one half of the residual: integrals, and what the Fock matrix couples."""
        o, v = self._integrals.occupied, self._integrals.virtual
        left, t2 = own(self._left, o, v, o), own(amplitudes.doubles, o, v, o)
        np.multiply(own(self._integrals.ovov, o, v, o), 0.5, out=left)
        left += dressed
        left += np.matmul(fock.vv - sums.screened_vv, t2)
        left -= (t2.reshape(-1, o) @ (fock.oo + sums.screened_oo)).reshape(left.shape)

    def _make_rings(self, t1: Matrix, dressed: Matrix, crossed: Matrix) -> None:
        """Make 2 (ai|kc) - (ac|ki) and (ac|ki), all dressed, rows ai, columns ck."""
        n = self._integrals
        o, v = n.occupied, n.virtual
        rings, exchange = own(self._rings, o, v, o), own(self._crossed, o, v, o)
        np.add(own(n.oovv, o, v, o), crossed.transpose(0, 2, 1, 3), out=exchange)
        np.add(own(n.ovov, o, v, o), dressed, out=rings)
        rings *= 2
        rings -= exchange
        t_mine = t1[n.shares.own]
        n.group.sync()  # all of (ki~|lc) is there
        for rows, values in panels(self._dressed_ovoo):
            panel = values.reshape(-1, o, o, o)  # c x l x k x i
            orbitals = slice(rows.start // o, rows.stop // o)
            straight = panel.transpose(2, 3, 0, 1).reshape(o, -1)  # l x i x c x k of (li~|kc)
            other = panel.transpose(1, 3, 0, 2).reshape(o, -1)  # of (ki~|lc)
            shape = (len(t_mine), o, len(panel), o)
            exchange[:, :, orbitals] -= (t_mine @ other).reshape(shape)
            rings[:, :, orbitals] -= (t_mine @ (2 * straight - other)).reshape(shape)

    def _multiply(self) -> None:
        """Multiply what is quadratic in the doubles, and add it to one half of the residual."""
        n = self._integrals
        atoll.matmul(self._contrast, n.ovov_contrast, self._rings, alpha=0.5, beta=1)
        atoll.matmul(self._rings, self._contrast, self._left, alpha=0.5, beta=1)
        atoll.matmul(self._exchanged, n.ovov_exchanged, self._crossed, alpha=-0.5, beta=1)
        atoll.matmul(self._crossed, self._exchanged, self._product)
        o, v = n.occupied, n.virtual
        left, product = own(self._left, o, v, o), own(self._product, o, v, o)
        left -= product.transpose(0, 3, 2, 1)
        product *= 0.5
        left -= product

    def _add_ladder(self, t1: Matrix) -> None:
        """Add what two electrons do to each other: of particles, of holes, of both."""
        n = self._integrals
        self._make_holes(t1)
        self._ladder.multiply(self._pairs, self._ladders)
        for tau, holes, out in zip(self._pairs, self._holes, self._ladders, strict=True):
            atoll.matmul(tau, holes, out, beta=1)
        for integrals, tau, out in zip(n.ladder_rows, self._pairs, self._ladder_rows, strict=True):
            atoll.matmul(integrals, tau, out)
        self._unpack_ladder()
        self._add_ladder_rows(t1)

    def _make_holes(self, t1: Matrix) -> None:
        """Make W_klij = (ki~|lj~) + sum_cd (kc|ld) t_ij^cd of pairs kl (rows) and ij."""
        n = self._integrals
        o = n.occupied
        for bare, holes in zip(n.oooo, self._holes, strict=True):
            own(holes, holes.shape[1])[...] = own(bare, bare.shape[1])
        n.group.sync()
        t_mine = t1[n.shares.own]
        ovoo = own(n.ovoo, o, o, o)  # c x k x l x j
        for some in runs(o, 6 * 8 * o**3, WORK):
            first = np.tensordot(t_mine, ovoo[:, some], (0, 0))  # i, k of some, l, j: t_ic (kc|lj)
            last = np.tensordot(t_mine, ovoo[:, :, some], (0, 0))  # i, l, k of some, j
            squares = first.transpose(1, 2, 0, 3) + last.transpose(2, 1, 3, 0)  # k, l, i, j
            for kind, factor, tau, holes in zip(
                n.signs, n.hole_rows, self._pairs, self._holes, strict=True
            ):
                rows = np.searchsorted(kind.left, [some.start, some.stop])
                chosen = slice(int(rows[0]), int(rows[1]))
                if chosen.start == chosen.stop:
                    continue
                k, l = kind.left[chosen], kind.right[chosen]  # noqa: E741
                weights = np.where(k == l, 0.5, 1.0)[:, None]
                part = weights * kind.packed(squares[k - some.start, l])
                part += own(factor, kind.size)[:, chosen].T @ own(tau, kind.size)
                holes.accumulate(np.s_[chosen, :], part)
        n.group.sync()

    def _unpack_ladder(self) -> None:
        n = self._integrals
        o, v, mine = n.occupied, n.virtual, n.shares.own
        left = own(self._left, o, v, o)
        of_mine = n.pairs.of(mine)
        a, b = n.pairs.left[of_mine] - mine.start, n.pairs.right[of_mine]
        parts = [own(array, kind.size) for array, kind in zip(self._ladders, n.signs, strict=True)]
        for some in runs(len(a), 4 * 8 * o * o, WORK):
            left[a[some], :, b[some], :] += unpacked([part[some] for part in parts], n.signs)

    def _add_ladder_rows(self, t1: Matrix) -> None:
        """Add - sum_k t_ka (b j~|k i~) with all of the ladder in it, rows bj, columns ai."""
        n = self._integrals
        o, v = n.occupied, n.virtual
        left = own(self._left, o, v, o)
        dressed, oovv = own(self._dressed_ovoo, o, o, o), own(n.oovv, o, v, o)
        parts = [
            own(array, o, kind.size) for array, kind in zip(self._ladder_rows, n.signs, strict=True)
        ]
        for some in runs(len(left), 6 * 8 * o * o * max(o, v), WORK):
            rows = unpacked([part[some] for part in parts], n.signs)  # b x k x i x j
            rows += dressed[some].transpose(0, 2, 3, 1)
            rows += np.matmul(oovv[some].transpose(0, 1, 3, 2), t1).transpose(0, 2, 1, 3)
            product = np.matmul(t1, rows.reshape(-1, o, o * o))  # b x a x ij
            left[some] -= product.reshape(-1, v, o, o).transpose(0, 3, 1, 2)

    def _symmetrized(self) -> atoll.Array:
        """Give one half of the residual plus its transpose."""
        n = self._integrals
        add_transpose(self._left, self._product, n.shares, n.occupied)
        return self._product


def _shapes(o: int, v: int) -> list[tuple[int, int]]:
    return [(v, o), (v, o), (o, o), (v, v), (o, o), (v, v), (v, o)]


def _split(values: Matrix, shapes: list[tuple[int, int]]) -> list[Matrix]:
    ends = np.cumsum([rows * columns for rows, columns in shapes])
    return [
        part.reshape(shape)
        for part, shape in zip(np.split(values.ravel(), ends[:-1]), shapes, strict=True)
    ]
