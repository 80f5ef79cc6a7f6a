"""Integrals by four indices and two spins, as those who go on from UCCSD want them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from atoll.chem.correlation.coupled_cluster.amplitudes import by_dimension, store
from atoll.chem.correlation.coupled_cluster.shares import own

if TYPE_CHECKING:
    from atoll.chem.correlation.open_shell.integrals import Blocks, OpenShellIntegrals


class OpenShellFourIndex(NamedTuple):
    """Integrals (pq|rs) by spins: 0 alpha, 1 beta; p and q are of the first, r and s the second.

    Each is distributed by a virtual orbital. PySCF's `ovOV` is `ovov[0, 1]`, its `OVvv`
    `ovvv[1, 0]`. A spin without occupied or without virtual orbitals is not there.
    """

    ovov: Blocks
    """[i, a, j, b]: (ia|jb)."""
    ovvv: Blocks
    """[i, a, b, c]: (ia|bc)."""
    ovoo: Blocks
    """[i, a, j, k]: (ia|jk)."""

    def destroy(self) -> None:
        """Free them. Collective."""
        for blocks in self:
            for array in blocks.values():
                array.destroy()


def four_index(integrals: OpenShellIntegrals) -> OpenShellFourIndex:
    """Make new arrays of integrals. Collective; nothing goes from rank to rank."""
    group, o, v = integrals.group, integrals.occupied, integrals.virtual
    made = OpenShellFourIndex({}, {}, {})
    for s, t in integrals.both:
        ovov = by_dimension(group, (o[s], v[s], o[t], v[t]), 1, "(ia|jb)")
        ovvv = by_dimension(group, (o[s], v[s], v[t], v[t]), 2, "(ia|bc)")
        ovoo = by_dimension(group, (o[s], v[s], o[t], o[t]), 1, "(ia|jk)")
        store(ovov, own(integrals.ovov[s, t], o[s], v[t], o[t]).transpose(1, 0, 3, 2))
        store(ovvv, own(integrals.ovvv[t, s], v[t], v[s], o[s]).transpose(3, 2, 0, 1))
        store(ovoo, own(integrals.ovoo[s, t], o[s], o[t], o[t]).transpose(1, 0, 2, 3))
        made.ovov[s, t], made.ovvv[s, t], made.ovoo[s, t] = ovov, ovvv, ovoo
    group.sync()
    return made
