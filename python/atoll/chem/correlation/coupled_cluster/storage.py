"""What of a CCSD calculation lies in memory, and what on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atoll.chem.correlation.coupled_cluster.direct_ladder import bytes_of_direct_ladder
from atoll.chem.correlation.coupled_cluster.ladder import bytes_of_ladder
from atoll.chem.correlation.coupled_cluster.ladder_choice import STORED, LadderChoice, chosen
from atoll.chem.correlation.coupled_cluster.pairs import virtual_pairs
from atoll.chem.correlation.coupled_cluster.shares import Shares

if TYPE_CHECKING:
    import atoll

DOUBLES = 18
"""Arrays as large as the doubles that are there at a time: amplitudes, integrals, products."""


@dataclass(frozen=True)
class Storage:
    """Where things lie, and bytes a rank, of the rank that has most."""

    ladder_from: str
    """Integrals of four virtual orbitals: "memory", "disk", or "direct", computed anew."""
    diis_on_disk: bool
    """Earlier amplitudes."""
    fixed: int
    """What is in memory in any case."""
    ladder: int
    """Those integrals; computed anew: amplitudes over pairs of functions, in memory."""
    diis: int
    work: int
    """What is left for the transformation of integrals, and for strips of a disk array."""

    @property
    def ladder_on_disk(self) -> bool:
        """Whether integrals of four virtual orbitals lie there."""
        return self.ladder_from == "disk"

    def text(self) -> str:
        """Say where integrals of four virtual orbitals are, for people."""
        if self.ladder_from == "direct":
            return f"computed anew in each iteration, {self.ladder / 1e6:.3g} MB of memory a rank"
        place = "on disk" if self.ladder_on_disk else "in memory"
        return f"{place}, {self.ladder / 1e6:.3g} MB a rank"


def storage(
    group: atoll.Group,
    occupied: int,
    virtual: int,
    diis_space: int,
    memory: int,
    choice: LadderChoice = STORED,
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
    direct = bytes_of_direct_ladder(choice.functions, o * o, group.size)
    return planned(choice, group.size, fixed, (ladder, direct), diis, memory)


def planned(
    choice: LadderChoice,
    ranks: int,
    fixed: int,
    ladders: tuple[int, int],
    diis: int,
    memory: int,
) -> Storage:
    """Choose by bytes a rank: what there is in any case, the ladder stored or direct, and DIIS."""
    stored, direct = ladders
    ladder_from = chosen(
        choice, fixed=fixed, stored=stored, on_disk=(stored + diis) * ranks, memory=memory
    )
    ladder = direct if ladder_from == "direct" else stored
    held = fixed + (0 if ladder_from == "disk" else ladder)
    work = max(memory - held, memory // 4)
    return Storage(ladder_from, held + diis > memory, fixed, ladder, diis, work)
