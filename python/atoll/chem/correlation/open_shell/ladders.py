"""The ladder of all pairs of spins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll.chem.correlation.coupled_cluster.direct_ladder import DirectLadder
from atoll.chem.correlation.coupled_cluster.function_pairs import PairKind
from atoll.chem.correlation.coupled_cluster.ladder import Ladder

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import atoll
    from atoll.chem.correlation.coupled_cluster.half_transform import (
        HalfTransformed,
        Repulsion,
        Wanted,
    )
    from atoll.chem.correlation.coupled_cluster.storage import Storage
    from atoll.chem.correlation.open_shell.spin_pairs import SpinPairs
    from atoll.chem.correlation.orbitals import Correlated


class StoredLadders:
    """Ladders that keep their integrals, for pairs of spins in their order. Collective throughout.

    Args:
        atomic: Integrals over basis functions, or fitted ones.
        spaces: The correlated orbitals of each spin.
        pairs: Of spins.
        plan: Where integrals are kept, and the memory for the work.
        scratch: Folder of disk arrays.

    """

    def __init__(
        self,
        atomic: Repulsion,
        spaces: Mapping[int, Correlated],
        pairs: Sequence[SpinPairs],
        plan: Storage,
        scratch: str | os.PathLike[str] | None,
    ) -> None:
        self._ladders = [
            Ladder(
                atomic,
                spaces[each.spins[0]].virtual,
                each.virtual,
                [each.sign],
                plan.work // len(pairs),
                on_disk=plan.ladder_on_disk,
                scratch=scratch,
                others=spaces[each.spins[1]].virtual,
            )
            for each in pairs
        ]
        self._in_one_pass = [ladder for ladder in self._ladders if ladder.strips == 1]

    @property
    def seconds_waited(self) -> float:
        """For the disk, of this rank."""
        return sum(ladder.seconds_waited for ladder in self._ladders)

    def wanted(self) -> list[Wanted]:
        """Say what half transformed integrals are to be given to `fill`."""
        return [ladder.wanted(0) for ladder in self._in_one_pass]

    def fill(self, halves: Sequence[HalfTransformed]) -> None:
        """Compute the integrals; `halves`: what is wanted, which is freed."""
        firsts = dict(zip(map(id, self._in_one_pass), halves, strict=True))
        for ladder in self._ladders:
            ladder.fill(firsts.get(id(ladder)))

    def multiply(self, amplitudes: Sequence[atoll.Array], out: Sequence[atoll.Array]) -> None:
        """Set out[ab, ij] to the sum over pairs cd, for each pair of spins."""
        for ladder, factor, result in zip(self._ladders, amplitudes, out, strict=True):
            ladder.multiply([factor], [result])

    def close(self) -> None:
        """Free them."""
        for ladder in self._ladders:
            ladder.close()


def direct_ladder(
    mole: Any,
    spaces: Mapping[int, Correlated],
    pairs: Sequence[SpinPairs],
    group: atoll.Group,
    memory: int,
) -> DirectLadder:
    """Give the ladder of these pairs of spins that computes integrals anew. Collective."""
    kinds = []
    for each in pairs:
        left, right = (spaces[spin].virtual for spin in each.spins)
        kinds.append(PairKind(each.sign, left, right, each.virtual, each.size))
    return DirectLadder(mole, kinds, group, memory)
