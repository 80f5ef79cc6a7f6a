"""What of an open-shell CCSD calculation lies in memory, and what on disk."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from atoll.chem.correlation.coupled_cluster.direct_ladder import bytes_of_direct_ladder
from atoll.chem.correlation.coupled_cluster.ladder import bytes_of_ladder
from atoll.chem.correlation.coupled_cluster.ladder_choice import STORED, LadderChoice
from atoll.chem.correlation.coupled_cluster.shares import Shares
from atoll.chem.correlation.coupled_cluster.storage import Storage, planned
from atoll.chem.correlation.open_shell.spin_pairs import spin_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping

    import atoll

SQUARES = 16
"""Arrays as large as the doubles of all pairs of spins that are there at a time."""


def storage(
    group: atoll.Group,
    occupied: Mapping[int, int],
    virtual: Mapping[int, int],
    diis_space: int,
    memory: int,
    choice: LadderChoice = STORED,
) -> Storage:
    """Choose by numbers of orbitals by spin and the bytes a rank may have.

    As for closed shells: less memory than what is there in any case is as if it were that.
    """
    shares = {spin: Shares(group, count) for spin, count in virtual.items()}
    doubles = fixed = 0
    for s, t in product(occupied, repeat=2):
        rows = 8 * shares[s].most
        doubles += rows * occupied[s] * virtual[t] * occupied[t]
        # (ia|bc) twice: as it is, and in pairs.
        fixed += 2 * rows * virtual[s] * virtual[t] * occupied[t]
        fixed += 3 * rows * occupied[s] * occupied[t] ** 2
    fixed += SQUARES * doubles
    of_spins = spin_pairs(occupied, virtual)
    ladder = sum(bytes_of_ladder(each.virtual, shares[each.spins[0]], 1) for each in of_spins)
    # Two spins' amplitudes are there twice: what is symmetric in the functions, and the rest.
    columns = sum(each.size if each.same else 2 * each.size for each in of_spins)
    direct = bytes_of_direct_ladder(choice.functions, columns, group.size)
    diis = 2 * diis_space * doubles if diis_space > 1 else 0
    return planned(choice, group.size, fixed, (ladder, direct), diis, memory)
