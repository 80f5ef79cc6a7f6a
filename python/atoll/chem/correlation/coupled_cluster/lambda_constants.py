"""What the equations for the multipliers have of the amplitudes: made once, as they stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.pairs import unpacked
from atoll.chem.correlation.coupled_cluster.shares import Shares, own

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.equations import Intermediates
    from atoll.chem.correlation.coupled_cluster.integrals import Integrals

    Matrix = NDArray[np.float64]


class Constants(NamedTuple):
    """Made of `Intermediates`, most in their memory."""

    particles: Matrix
    """The Fock matrix of virtual orbitals, dressed behind the operator only."""
    rings: atoll.Array
    """2 (ai|kc) - (ac|ki), dressed, and all that the doubles add to it."""
    crossed: atoll.Array
    """(ac|ki), dressed, and all that the doubles add to it."""
    pairs: list[atoll.Array]
    """2 (tau_ij^ab +- tau_ji^ab), by pairs ab and ij."""
    holes: list[atoll.Array]
    """W_klij by pairs kl and ij, with the weights of sums over ij instead of kl."""
    of_contrast: atoll.Array
    """What meets 2 l - l exchanged in the equations of the singles: rows dj, columns li."""
    of_exchanged: atoll.Array
    """What meets l exchanged there."""

    def destroy(self) -> None:
        """Free what has memory of its own. Collective."""
        self.of_contrast.destroy()
        self.of_exchanged.destroy()


def constants(given: Intermediates, integrals: Integrals, t1: Matrix) -> Constants:
    """Make them, in place where they take the place of intermediates. Collective."""
    atoll.matmul(given.contrast, integrals.ovov_contrast, given.rings, alpha=0.5, beta=1)
    atoll.matmul(given.exchanged, integrals.ovov_exchanged, given.crossed, alpha=-0.5, beta=1)
    of_contrast, of_exchanged = _of_singles(given, integrals, t1)
    _reweigh(given, integrals)
    integrals.group.sync()
    return Constants(
        given.fock.vv + t1 @ given.fock.ov.T,
        given.rings,
        given.crossed,
        given.pairs,
        given.holes,
        of_contrast,
        of_exchanged,
    )


def _of_singles(
    given: Intermediates, integrals: Integrals, t1: Matrix
) -> tuple[atoll.Array, atoll.Array]:
    """Make what the doubles' residual has behind one t_la, by which it is derived."""
    o, rows = integrals.occupied, integrals.shares.rows
    dressed = own(given.dressed_ovoo, o, o, o)
    turned = rows(o * o, o, "(ki~|lc), turned")
    of_contrast = rows(o * o, o, "singles of the contrast")
    of_exchanged = rows(o * o, o, "singles of the exchanged")
    values = own(turned, o, o, o)
    values[...] = dressed.transpose(0, 2, 1, 3)
    atoll.matmul(given.exchanged, turned, of_exchanged)
    values *= -0.5
    values += dressed
    atoll.matmul(given.contrast, turned, of_contrast)
    turned.destroy()
    total, oovv = own(of_contrast, o, o, o), own(integrals.oovv, o, integrals.virtual, o)
    total += dressed
    parts = [
        own(array, o, kind.size)
        for array, kind in zip(given.ladder_rows, integrals.signs, strict=True)
    ]
    for number, out in enumerate(total):
        out += unpacked([part[number] for part in parts], integrals.signs).transpose(2, 0, 1)
        out += np.matmul(t1.T, oovv[number]).transpose(1, 0, 2)
    return of_contrast, of_exchanged


def _reweigh(given: Intermediates, integrals: Integrals) -> None:
    weights = weights_of_pairs(integrals)
    for kind, pairs, holes in zip(integrals.signs, given.pairs, given.holes, strict=True):
        tau = own(pairs, kind.size)
        tau *= 2 / weights
        counted = np.where(kind.left == kind.right, 0.5, 1.0)
        mine = Shares(integrals.group, kind.size).own
        rows = own(holes, kind.size)
        rows *= counted / counted[mine, None]


def weights_of_pairs(integrals: Integrals) -> Matrix:
    """Give the weights that amplitudes have in this rank's pairs ab, as a column."""
    mine = integrals.pairs.of(integrals.shares.own)
    same = integrals.pairs.left[mine] == integrals.pairs.right[mine]
    return np.where(same, 0.25, 0.5)[:, None]
