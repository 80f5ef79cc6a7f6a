"""What the equations of open shells need all ranks' rows for: no larger than Fock matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from atoll.chem.correlation.coupled_cluster.shares import own
from atoll.chem.correlation.open_shell.amplitudes import own_square

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.open_shell.integrals import Blocks, OpenShellIntegrals

    Matrix = NDArray[np.float64]


class Sums(NamedTuple):
    """Of one spin, whole on every rank. K is (..|..) less its exchange for equal spins."""

    fock_vo: Matrix
    """sum_kc t_kc K(ai|kc), rows a."""
    fock_ov: Matrix
    """sum_kc t_kc K(ia|kc), rows a."""
    fock_oo: Matrix
    """sum_lc t_lc K(ki|lc), rows k."""
    fock_vv: Matrix
    """sum_kd t_kd K(ac|kd), rows a."""
    screened_oo: Matrix
    """sum_kcd t_ik^cd (lc|kd), rows l."""
    screened_vv: Matrix
    """sum_kld t_kl^ad (kc|ld), rows a."""
    singles: Matrix
    """sum_kcd t_ik^cd (ac|kd) - sum_klc t_kl^ac (ki~|lc), rows a."""


class DressedFock(NamedTuple):
    """The Fock matrix of one spin, dressed."""

    oo: Matrix
    vv: Matrix
    vo: Matrix
    ov: Matrix
    """Rows a."""


def dressed_fock(fock: OrbitalFock, t1: Matrix, sums: Sums) -> DressedFock:
    """Dress a Fock matrix with the singles."""
    oo, vv = sums.fock_oo + fock.oo, sums.fock_vv + fock.vv
    ov, vo = sums.fock_ov + fock.vo, sums.fock_vo + fock.vo
    mixed = oo + ov.T @ t1
    return DressedFock(oo=mixed, vv=vv - t1 @ ov.T, vo=vo - t1 @ mixed + vv @ t1, ov=ov)


def add_up(
    n: OpenShellIntegrals,
    t1: Mapping[int, Matrix],
    t2: Blocks,
    dressed_ovoo: Blocks,
    dressed: Blocks,
    crossed: Blocks,
) -> dict[int, Sums]:
    """Give the sums by spin. Collective.

    Args:
        n: The integrals.
        t1: Single amplitudes.
        t2: Double ones of all pairs of spins.
        dressed_ovoo: (ki~|lc), rows cl, columns ki.
        dressed: sum_d t_id (ad|kc), rows ai, columns ck.
        crossed: sum_d t_id (ac|kd), rows ai, columns ck.

    """
    parts = {s: _zeros(n.occupied[s], n.virtual[s]) for s in n.spins}
    for s in n.spins:
        _add_fock(parts[s], s, n, t1, dressed, crossed)
        _add_screened(parts[s], s, n, t1, t2, dressed_ovoo)
    flat = np.concatenate([matrix.ravel() for s in n.spins for matrix in parts[s]])
    total = np.asarray(n.group.reduce(flat)).ravel()
    begin = 0
    for s in n.spins:
        for matrix in parts[s]:
            matrix[...] = total[begin : begin + matrix.size].reshape(matrix.shape)
            begin += matrix.size
    return parts


def _add_fock(
    part: Sums,
    s: int,
    n: OpenShellIntegrals,
    t1: Mapping[int, Matrix],
    dressed: Blocks,
    crossed: Blocks,
) -> None:
    """Add what the singles bring to the Fock matrix."""
    o, v, mine = n.occupied, n.virtual, n.shares[s].own
    for t in n.spins:
        flat, of_t = t1[t].ravel(), n.shares[t].own
        part.fock_vo[mine] += (own(n.ovov[s, t], v[t] * o[t]) @ flat).reshape(-1, o[s])
        part.fock_ov[mine] += (own(n.antisymmetric[s, t], v[t] * o[t]) @ flat).reshape(-1, o[s])
        ovoo = own(n.ovoo[t, s], o[t], o[s], o[s])
        part.fock_oo[...] += np.tensordot(t1[t][of_t], ovoo, 2)
        if s == t:
            part.fock_oo[...] -= np.tensordot(t1[s][of_t], ovoo, ((0, 1), (0, 2)))
        of_two = own(crossed[s, t], o[t], v[s], o[t])
        part.fock_vv[mine] += np.trace(of_two, axis1=1, axis2=3)
    part.fock_vo[mine] -= (own(n.oovv[s, s], v[s] * o[s]) @ t1[s].ravel()).reshape(-1, o[s])
    part.fock_vv[mine] -= np.trace(own(dressed[s, s], o[s], v[s], o[s]), axis1=1, axis2=3)


def _add_screened(
    part: Sums,
    s: int,
    n: OpenShellIntegrals,
    t1: Mapping[int, Matrix],
    t2: Blocks,
    dressed_ovoo: Blocks,
) -> None:
    """Add what the doubles bring."""
    o, v = n.occupied, n.virtual
    for t in n.spins:
        columns = v[t] * o[t]
        rows = own(t2[s, t], o[s], columns).transpose(0, 2, 1)  # c x dk x i
        part.screened_oo[...] += np.matmul(own(n.ovov[s, t], o[s], columns), rows).sum(axis=0)
        part.singles[...] += np.matmul(own(n.ovvv[s, t], v[s], columns), rows).sum(axis=0)
        # Of rows d or c of t, and its l: k of s last but one, a or c of s last.
        doubles = own_square(t2[t, s], t1, (t, s)).transpose(0, 1, 3, 2).reshape(-1, v[s])
        coulomb = own_square(n.ovov[t, s], t1, (t, s)).transpose(0, 1, 3, 2).reshape(-1, v[s])
        part.screened_vv[...] += doubles.T @ coulomb
        part.singles[...] -= doubles.T @ own(dressed_ovoo[t, s], o[s])


def _zeros(o: int, v: int) -> Sums:
    shapes = ((v, o), (v, o), (o, o), (v, v), (o, o), (v, v), (v, o))
    return Sums(*(np.zeros(shape) for shape in shapes))
