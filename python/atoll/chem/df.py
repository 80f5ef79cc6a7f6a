"""Density fitting under PySCF's name: which fitting set, and where its integrals go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll.chem.fock.fitting import MEMORY, FittedIntegrals
from atoll.chem.pyscf_calls import modules

if TYPE_CHECKING:
    from atoll.chem.integrals.blocked_basis import BlockedBasis

__all__ = ["DF"]

__getattr__ = modules.stand_in(__name__)


class DF:
    """Settings of density fitting.

    Attributes:
        mol: The molecule.
        auxbasis: Fitting set, as PySCF takes it; None: PySCF's choice for Hartree-Fock.
        memory: Bytes a rank for three-index integrals; those that do not fit go to disk.
        scratch: Folder for them; None: the first one of `ATOLL_SCRATCH`.

    """

    def __init__(
        self, mol: Any, auxbasis: Any = None, memory: int = MEMORY, scratch: str | None = None
    ) -> None:
        self.mol = mol
        self.auxbasis = auxbasis
        self.memory = memory
        self.scratch = scratch

    def integrals(self, basis: BlockedBasis, omega: float = 0.0) -> FittedIntegrals:
        """Compute the integrals; with `omega` (1/bohr) those of the long range. Collective.

        Who asks closes them.
        """
        return FittedIntegrals(
            basis, self.auxbasis, memory=self.memory, scratch=self.scratch, omega=omega
        )
