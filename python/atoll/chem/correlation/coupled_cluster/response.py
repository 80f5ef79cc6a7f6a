"""What the amplitudes' equations feel of the Fock matrix, weighted with the multipliers.

That is the one-particle density (Helgaker, Jorgensen, Olsen, section 13.5), and a part of the
equations for the multipliers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from atoll.chem.correlation.coupled_cluster.shares import Shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes

    Matrix = NDArray[np.float64]


class Response(NamedTuple):
    """Derivatives of half the Lagrangian; whole on every rank, no larger than a Fock matrix."""

    oo: Matrix
    """With respect to F_ki."""
    vv: Matrix
    """With respect to F_ac."""
    ov: Matrix
    """With respect to F_kc, of the equations and not of the energy; rows c."""
    doubles_vv: Matrix
    """What the doubles alone bring to `vv`."""


def response(amplitudes: Amplitudes, multipliers: Amplitudes) -> Response:
    """Compute it of amplitudes t and multipliers l. Collective."""
    t1, l1 = amplitudes.singles, multipliers.singles
    v, o = t1.shape
    mine = Shares(amplitudes.doubles.group, v).own
    of_oo, of_vv, coupled = np.zeros((o, o)), np.zeros((v, v)), np.zeros((v, o))
    rows = zip(range(mine.start, mine.stop), amplitudes.own(), multipliers.own(), strict=True)
    for a, t, l in rows:  # noqa: E741  # i x b x j of one a
        contrast = 2 * l - l.transpose(2, 1, 0)
        of_oo -= t.reshape(-1, o).T @ contrast.reshape(-1, o)
        of_vv += _by_virtual(contrast).T @ _by_virtual(t)
        coupled[a] = 2 * t.reshape(o, -1) @ l1.ravel() - np.tensordot(t, l1, ((1, 0), (0, 1)))
    group = amplitudes.doubles.group
    parts = np.concatenate([of_oo.ravel(), of_vv.ravel(), coupled.ravel()])
    total = np.asarray(group.reduce(parts))
    of_oo = total[: o * o].reshape(o, o) - t1.T @ l1
    of_vv = total[o * o : o * o + v * v].reshape(v, v)
    coupled = total[o * o + v * v :].reshape(v, o)
    return Response(
        oo=of_oo,
        vv=of_vv + l1 @ t1.T,
        ov=t1 @ of_oo.T - of_vv.T @ t1 + coupled,
        doubles_vv=of_vv,
    )


def _by_virtual(square: NDArray[np.float64]) -> Matrix:
    """Turn i x b x j to ij x b."""
    turned: Matrix = square.transpose(0, 2, 1).reshape(-1, square.shape[1])
    return turned
