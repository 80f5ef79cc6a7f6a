"""Hartree-Fock under PySCF's names, over any number of ranks.

>>> from pyscf import gto
>>> from atoll.chem import scf
>>> mol = gto.M(atom="O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", basis="sto-3g", verbose=0)
>>> round(scf.RHF(mol).run().e_tot, 5)
-74.96336
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll._agreement import collective
from atoll.chem.molecules import InputError
from atoll.chem.properties.spin import spin_square
from atoll.chem.self_consistency.mean_field import MeanField

if TYPE_CHECKING:
    import atoll

__all__ = ["HF", "RHF", "ROHF", "UHF"]

_NO_STABILITY = "the stability of ROHF is not supported: that of UHF is"


class RHF(MeanField):
    """Hartree-Fock of closed shells."""


class UHF(MeanField):
    """Hartree-Fock with orbitals of their own for each spin."""

    spins = 2
    method = "UHF"

    init_guess_breaksym: bool | int | str = False
    """How the densities of the spins begin unlike where both have as many electrons.

    False or 0: they do not; 1 or True, 2, "mix": as PySCF's, beta's has nothing between atoms,
    alpha's has two electrons more, HOMO and LUMO are mixed; "atom": beta's has nothing on the first
    atom, which breaks symmetries of the molecule, too.
    """

    def electrons(self) -> tuple[int, ...]:
        """Give the electrons of either spin."""
        alpha, beta = self.mol.nelec
        return int(alpha), int(beta)

    @property
    def nelec(self) -> tuple[int, ...]:
        """Electrons of either spin."""
        return self.electrons()

    @collective
    def spin_square(self) -> tuple[float, float]:
        """Give the expectation value of the spin's square, and the multiplicity. Collective."""
        self._require_orbitals()
        return spin_square(self.orbitals, self._occupations, self.integrals.overlap)


class ROHF(MeanField):
    """Hartree-Fock of open shells with the same orbitals for both spins.

    Orbitals are in the order of their electrons, two, one or none; energies are those of Roothaan's
    matrix, as PySCF's. There is no gradient and no stability of it here.
    """

    shared = True
    method = "ROHF"

    @collective
    def __init__(self, mol: Any, group: atoll.Group | None = None) -> None:
        if int(mol.spin) < 0:
            raise InputError(f"spin is {mol.spin}, expected 0 or more unpaired electrons")
        super().__init__(mol, group)

    def electrons(self) -> tuple[int, ...]:
        """Give the electrons of either spin."""
        if self.smearing:
            raise InputError(f"smearing is {self.smearing}, expected 0: ROHF has whole electrons")
        alpha, beta = self.mol.nelec
        return int(alpha), int(beta)

    @property
    def nelec(self) -> tuple[int, ...]:
        """Electrons of either spin."""
        return self.electrons()

    def spin_square(self) -> tuple[float, float]:
        """Give the spin's square and the multiplicity."""
        half = int(self.mol.spin) / 2
        return half * (half + 1), 2 * half + 1

    def stability(self) -> Any:
        """Raise NotImplementedError."""
        raise NotImplementedError(_NO_STABILITY)

    def follow(self, found: Any, angle: float = 1.0) -> float:
        """Raise NotImplementedError."""
        raise NotImplementedError(_NO_STABILITY)


def HF(mol: Any, group: atoll.Group | None = None) -> MeanField:  # noqa: N802  # PySCF's name
    """Make an RHF for closed shells, a UHF else, unlike PySCF, which takes ROHF. Collective."""
    if int(mol.spin) < 0:
        raise InputError(f"spin is {mol.spin}, expected 0 or more unpaired electrons")
    return RHF(mol, group) if int(mol.spin) == 0 else UHF(mol, group)
