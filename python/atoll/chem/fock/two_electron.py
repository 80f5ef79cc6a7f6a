"""What builds Coulomb and exchange matrices, whichever way it comes by the integrals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import atoll

    Progress = Callable[[int, int], None]


class Density(NamedTuple):
    """A density of one spin, or of both; nobody writes to its arrays."""

    matrix: atoll.Array
    """Functions x functions, symmetric, as `BlockedBasis.matrix` makes it."""
    orbitals: atoll.Array | None = None
    """Functions x occupied: `matrix` is orbitals @ orbitals.T. None: not known, or no such."""


@dataclass(frozen=True)
class BuildStatistics:
    """What a build did, over all ranks."""

    tasks: int
    quartets: int
    """Shell quartets whose integrals were computed."""
    seconds: float
    efficiency: float
    """Mean over largest time that the ranks spent on tasks; 1: an even load."""
    details: dict[str, float] = field(default_factory=dict)
    """What else is worth a line, by name: quartets read back, seconds waited for the disk."""


class TwoElectron(Protocol):
    """Builds Coulomb and exchange matrices of symmetric densities. Collective throughout."""

    incremental: bool
    """Whether the change of a density costs less than the density; then `orbitals` are not used."""

    def build(
        self,
        densities: Sequence[Density],
        coulomb: atoll.Array | None,
        exchange: Sequence[atoll.Array],
        progress: Progress | None = None,
    ) -> BuildStatistics:
        """Overwrite the matrices given with those of the densities.

        `coulomb`, if any, becomes J_ij = sum (ij|kl) D_kl of the sum D of all densities;
        `exchange` is empty or has one matrix a density, K_ij = sum (ik|jl) D_kl of that one. They
        are symmetric and made by `BlockedBasis.matrix`, and the group has met when they are
        complete. `progress(done, total)` is called before each task of this rank, where given.
        """

    def close(self) -> None:
        """Free what is distributed, and scratch files. Collective."""
