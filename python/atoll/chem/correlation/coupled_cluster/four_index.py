"""Integrals by four indices, as those who go on from CCSD want them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from atoll.chem.correlation.coupled_cluster.amplitudes import by_dimension, store
from atoll.chem.correlation.coupled_cluster.shares import own

if TYPE_CHECKING:
    import atoll
    from atoll.chem.correlation.coupled_cluster.integrals import Integrals


class FourIndex(NamedTuple):
    """Integrals (pq|rs), p and q on one electron; each distributed by a virtual orbital."""

    ovov: atoll.Array
    """[i, a, j, b]: (ia|jb)."""
    ovvv: atoll.Array
    """[i, a, b, c]: (ia|bc)."""
    ovoo: atoll.Array
    """[i, a, j, k]: (ia|jk)."""

    def destroy(self) -> None:
        """Free them. Collective."""
        for array in self:
            array.destroy()


def four_index(integrals: Integrals) -> FourIndex:
    """Make new arrays of integrals. Collective; nothing goes from rank to rank."""
    group, o, v = integrals.group, integrals.occupied, integrals.virtual
    made = FourIndex(
        by_dimension(group, (o, v, o, v), 1, "(ia|jb)"),
        by_dimension(group, (o, v, v, v), 2, "(ia|bc)"),
        by_dimension(group, (o, v, o, o), 1, "(ia|jk)"),
    )
    store(made.ovov, own(integrals.ovov, o, v, o).transpose(1, 0, 3, 2))
    store(made.ovvv, own(integrals.ovvv, v, v, o).transpose(3, 2, 0, 1))
    store(made.ovoo, own(integrals.ovoo, o, o, o).transpose(1, 0, 2, 3))
    group.sync()
    return made
