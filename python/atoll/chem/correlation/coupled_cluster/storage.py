"""What of a CCSD calculation lies in memory, and what on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atoll.chem.correlation.coupled_cluster.ladder import bytes_of_ladder
from atoll.chem.correlation.coupled_cluster.pairs import virtual_pairs
from atoll.chem.correlation.coupled_cluster.shares import Shares

if TYPE_CHECKING:
    import atoll

DOUBLES = 18
"""Arrays as large as the doubles that are there at a time: amplitudes, integrals, products."""


@dataclass(frozen=True)
class Storage:
    """Where things lie, and bytes a rank, of the rank that has most."""

    ladder_on_disk: bool
    """Integrals of four virtual orbitals."""
    diis_on_disk: bool
    """Earlier amplitudes."""
    fixed: int
    """What is in memory in any case."""
    ladder: int
    diis: int
    work: int
    """What is left for the transformation of integrals, and for strips of a disk array."""


def storage(
    group: atoll.Group,
    occupied: int,
    virtual: int,
    diis_space: int,
    memory: int,
    arrays: int = DOUBLES,
) -> Storage:
    """Choose by numbers of orbitals and the bytes a rank may have; `arrays` are like the doubles.

    Less memory than what is there in any case is as if it were that. The integrals go first: they
    are read as a whole in each iteration, in memory or not.
    """
    shares = Shares(group, virtual)
    o, v, most = occupied, virtual, shares.most
    doubles = 8 * most * o * v * o
    # (ia|bc) twice: as it is, and in pairs.
    fixed = arrays * doubles + 2 * 8 * most * v * v * o + 3 * 8 * most * o**3
    ladder = bytes_of_ladder(virtual_pairs(v), shares, 2 if o > 1 else 1)
    diis = 2 * diis_space * doubles if diis_space > 1 else 0
    ladder_on_disk = fixed + ladder > memory * 3 // 4  # the rest is for the work
    held = fixed + (0 if ladder_on_disk else ladder)
    work = max(memory - held, memory // 4)
    return Storage(ladder_on_disk, held + diis > memory, fixed, ladder, diis, work)
