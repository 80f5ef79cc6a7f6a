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
from atoll.chem.guarded import NotSupportedError
from atoll.chem.molecules import InputError
from atoll.chem.molecules.supported import require_supported
from atoll.chem.properties.spin import spin_square, spin_square_of
from atoll.chem.pyscf_calls import modules
from atoll.chem.self_consistency.mean_field import MeanField

if TYPE_CHECKING:
    import atoll

__all__ = ["HF", "RHF", "ROHF", "UHF"]

__getattr__ = modules.stand_in(__name__)

_NO_STABILITY = "the stability of ROHF is not supported: that of UHF is"


class RHF(MeanField):
    """Hartree-Fock of closed shells; of open shells it makes `ROHF`, as PySCF's function does."""

    def __new__(cls, mol: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Make this class, or `ROHF`; a copy is made without arguments."""
        if cls is RHF and int(getattr(mol, "spin", None) or 0) != 0:
            return ROHF(mol, *args, **kwargs)
        return super().__new__(cls)

    def spin_square(self, mo_coeff: Any = None, s: Any = None) -> tuple[int, int]:
        """Give 0 and 1: the spins are paired."""
        del mo_coeff, s
        return 0, 1


class _OpenShells(MeanField):
    """Electrons of either spin."""

    _nelec: tuple[int, int] | None = None

    @property
    def nelec(self) -> tuple[int, ...]:
        """Electrons of either spin: those of the molecule, unless others were set."""
        alpha, beta = self.mol.nelec if self._nelec is None else self._nelec
        return int(alpha), int(beta)

    @nelec.setter
    def nelec(self, electrons: tuple[int, int] | None) -> None:
        if electrons is not None:
            alpha, beta = electrons
            if not alpha >= beta >= 0:
                raise InputError(f"nelec is {electrons!r}, expected alpha's, and beta's not more")
        self._nelec = electrons

    def electrons(self) -> tuple[int, ...]:
        """Give the electrons of either spin."""
        return self.nelec


class UHF(_OpenShells):
    """Hartree-Fock with orbitals of their own for each spin."""

    spins = 2
    method = "UHF"

    init_guess_breaksym: bool | int | str = 1
    """How the densities of the spins begin unlike where both have as many electrons.

    False or 0: they do not; 1 or True, 2, "mix": as PySCF's, beta's has nothing between atoms,
    alpha's has two electrons more, HOMO and LUMO are mixed; "atom": beta's has nothing on the first
    atom, which breaks symmetries of the molecule, too. The default is PySCF's.
    """

    @collective
    def spin_square(self, mo_coeff: Any = None, s: Any = None) -> tuple[float, float]:
        """Give the expectation value of the spin's square, and the multiplicity. Collective.

        Args:
            mo_coeff: Occupied orbitals of alpha and of beta, of one's own; none: the result's.
            s: The overlap of functions; none: the molecule's.

        """
        if mo_coeff is not None or s is not None:
            return spin_square_of(self, mo_coeff, s)
        self._require_orbitals()
        return spin_square(self.orbitals, self._occupations, self.integrals.overlap)


class ROHF(_OpenShells):
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
        return super().electrons()

    def spin_square(self, mo_coeff: Any = None, s: Any = None) -> tuple[float, float]:
        """Give the spin's square and the multiplicity."""
        del mo_coeff, s
        alpha, beta = self.nelec
        half = (alpha - beta) / 2
        return half * (half + 1), 2 * half + 1

    def stability_analysis(self, *, internal: bool = True, external: bool = True) -> Any:
        """Raise NotImplementedError."""
        del internal, external
        raise NotSupportedError(_NO_STABILITY)

    def follow(self, found: Any, angle: float = 1.0) -> float:
        """Raise NotImplementedError."""
        del found, angle
        raise NotSupportedError(_NO_STABILITY)


def HF(mol: Any, group: atoll.Group | None = None) -> MeanField:  # noqa: N802  # PySCF's name
    """Make an RHF for closed shells, a UHF else. Collective."""
    require_supported(mol, "HF")
    if int(mol.spin) < 0:
        raise InputError(f"spin is {mol.spin}, expected 0 or more unpaired electrons")
    return RHF(mol, group) if int(mol.spin) == 0 else UHF(mol, group)
