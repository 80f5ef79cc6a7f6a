"""Properties as methods of a mean field, under PySCF's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from atoll._agreement import collective
from atoll.chem.properties import moments, populations

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    import atoll
    from atoll.chem.fock.two_electron import Density
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.integrals.one_electron import OneElectron


class HasDensity(Protocol):
    """What a mean field gives its properties."""

    mol: Any

    @property
    def basis(self) -> BlockedBasis:
        """How functions are cut."""

    @property
    def integrals(self) -> OneElectron:
        """One-electron integrals."""

    def density_arrays(self, dm: Any = None) -> list[Density]:
        """Give the density of each spin: of the result, or of NumPy arrays. Collective."""


class PropertyMethods:
    """Properties of a mean field's density. All are collective.

    They take PySCF's arguments: `mol`, which may only be the mean field's own, and `dm`, a density
    as `make_rdm1` gives it; none: that of the result.
    """

    @collective
    def dip_moment(
        self: HasDensity,
        mol: Any = None,
        dm: Any = None,
        unit: str = "Debye",
        origin: ArrayLike | None = None,
        verbose: int | None = None,
    ) -> NDArray[np.float64]:
        """Give the dipole moment, 3 numbers, in debye or, with `unit="AU"`, atomic units.

        `origin` is a position in bohr; it matters where the molecule is charged.
        """
        del verbose
        factor = {"DEBYE": moments.DEBYE}.get(_unit(unit, "Debye"), 1.0)
        return factor * moments.dipole(self.basis, _densities(self, mol, dm), origin)

    @collective
    def quad_moment(
        self: HasDensity,
        mol: Any = None,
        dm: Any = None,
        unit: str = "DebyeAngstrom",
        origin: ArrayLike | None = None,
        verbose: int | None = None,
    ) -> NDArray[np.float64]:
        """Give the traceless quadrupole moment, 3 x 3, in debye angstrom or, "AU", atomic units."""
        del verbose
        in_debye = moments.DEBYE * moments.ANGSTROM
        factor = {"DEBYEANGSTROM": in_debye}.get(_unit(unit, "DebyeAngstrom"), 1.0)
        return factor * moments.quadrupole(self.basis, _densities(self, mol, dm), origin)

    @collective
    def mulliken_pop(
        self: HasDensity, mol: Any = None, dm: Any = None, s: Any = None, verbose: int | None = None
    ) -> tuple[Any, NDArray[np.float64]]:
        """Give Mulliken's electrons of each function, for two spins of both, and atoms' charges."""
        del verbose
        _refuse_overlap(s)
        overlap = self.integrals.overlap
        found = [populations.mulliken(self.basis, D, overlap) for D in _densities(self, mol, dm)]
        return _with_charges(self.basis, found)

    @collective
    def lowdin_pop(
        self: HasDensity, mol: Any = None, dm: Any = None, s: Any = None, verbose: int | None = None
    ) -> tuple[Any, NDArray[np.float64]]:
        """Give Loewdin's electrons of each function, for two spins of both, and atoms' charges."""
        del verbose
        _refuse_overlap(s)
        densities = _densities(self, mol, dm)
        found = populations.loewdin(self.basis, densities, self.integrals.overlap)
        return _with_charges(self.basis, found)


def _densities(mean_field: HasDensity, mol: Any, dm: Any) -> list[atoll.Array]:
    if mol is not None and mol is not mean_field.mol:
        raise NotImplementedError("mol is another molecule, expected that of the mean field")
    return [density.matrix for density in mean_field.density_arrays(dm)]


def _unit(unit: str, named: str) -> str:
    found = unit.upper()
    if found not in (named.upper(), "AU", "A.U."):
        raise ValueError(f"unit is {unit!r}, expected {named!r} or 'AU'")
    return found


def _refuse_overlap(s: Any) -> None:
    if s is not None:
        raise NotImplementedError("s, an overlap of one's own, is not supported: leave it out")


def _with_charges(
    basis: BlockedBasis, found: list[NDArray[np.float64]]
) -> tuple[Any, NDArray[np.float64]]:
    charges = populations.charges(basis, np.sum(found, axis=0))
    return (found[0] if len(found) == 1 else tuple(found)), charges
