"""What of an open-shell CCSD calculation lies in memory, and what on disk."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from atoll.chem.correlation.coupled_cluster.ladder import bytes_of_ladder
from atoll.chem.correlation.coupled_cluster.shares import Shares
from atoll.chem.correlation.coupled_cluster.storage import Storage
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
    ladder = sum(
        bytes_of_ladder(pairs.virtual, shares[pairs.spins[0]], 1)
        for pairs in spin_pairs(occupied, virtual)
    )
    diis = 2 * diis_space * doubles if diis_space > 1 else 0
    ladder_on_disk = fixed + ladder > memory * 3 // 4  # the rest is for the work
    held = fixed + (0 if ladder_on_disk else ladder)
    work = max(memory - held, memory // 4)
    return Storage(ladder_on_disk, held + diis > memory, fixed, ladder, diis, work)
