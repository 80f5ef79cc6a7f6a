"""What rank 0 keeps between the iterations of a Hartree-Fock calculation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.integrals import pyscf_wheel
from atoll.chem.self_consistency.roothaan import Diis, Orthonormalizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.molecules import Molecule
    from atoll.chem.integrals.one_electron import OneElectron

COMPONENTS = ("nuclear repulsion", "kinetic", "nuclear attraction", "Coulomb", "exchange")
"""The parts of the energy, in the order of `ScfState.components`."""
REBUILD = 10
"""Every so many iterations the Fock matrix is built from the whole density, not its change."""


class ScfState:
    """Density, Coulomb and exchange matrices, and the way to better ones."""

    def __init__(self, molecule: Molecule, integrals: OneElectron) -> None:
        self._integrals = integrals
        self._repulsion = molecule.nuclear_repulsion
        self._occupied = molecule.electrons // 2
        self.basis = Orthonormalizer(integrals.overlap)
        self._diis = Diis()
        self._density = pyscf_wheel.starting_density(molecule.mole)
        self._built_for = np.zeros_like(self._density)
        self._coulomb = np.zeros_like(self._density)
        self._exchange = np.zeros_like(self._density)
        self._fock = np.zeros_like(self._density)
        self._error = np.zeros_like(self._density)

    def next_density(self, number: int) -> NDArray[np.float64]:
        """Go to the density of iteration `number` (from 1); return what has to be built for it.

        That is the whole density in the first iteration and now and then, else its change.
        """
        if number > 1:
            best = self._diis.extrapolate(self._fock, self._error)
            self._density = self.basis.density(best, self._occupied)
        if number % REBUILD == 1:
            for matrix in (self._built_for, self._coulomb, self._exchange):
                matrix[...] = 0.0
        return self._density - self._built_for

    def add(self, coulomb: NDArray[np.float64], exchange: NDArray[np.float64]) -> None:
        """Take the matrices built for what `next_density` returned."""
        self._coulomb += coulomb
        self._exchange += exchange
        self._built_for = self._density
        core = self._integrals.kinetic + self._integrals.attraction
        self._fock = core + self._coulomb - 0.5 * self._exchange
        self._error = self.basis.error(self._fock, self._density, self._integrals.overlap)

    def components(self) -> list[float]:
        """Return the parts of the energy, in hartree; they add up to it."""
        D = self._density
        return [
            self._repulsion,
            float(np.vdot(D, self._integrals.kinetic)),
            float(np.vdot(D, self._integrals.attraction)),
            0.5 * float(np.vdot(D, self._coulomb)),
            -0.25 * float(np.vdot(D, self._exchange)),
        ]

    def error(self) -> float:
        """Return the DIIS error: the largest element of F D S - S D F in an orthonormal basis."""
        return float(np.abs(self._error).max())

    def orbital_energies(self) -> NDArray[np.float64]:
        """Return the eigenvalues of the present Fock matrix, ascending."""
        return self.basis.energies(self._fock)
