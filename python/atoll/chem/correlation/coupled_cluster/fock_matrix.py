"""The Fock matrix over correlated orbitals, as it is and not as orbital energies say.

Orbitals of a mean field are never converged to the last digit, and the energy of coupled cluster
feels what is left between occupied and virtual ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.orbitals import Correlated

    Matrix = NDArray[np.float64]


class OrbitalFock(NamedTuple):
    """Blocks of the Fock matrix, hartree."""

    oo: Matrix
    vv: Matrix
    vo: Matrix

    @property
    def energies(self) -> tuple[Matrix, Matrix]:
        """Diagonals: of occupied and of virtual orbitals."""
        return np.diag(self.oo).copy(), np.diag(self.vv).copy()


def canonical(orbitals: Correlated) -> OrbitalFock:
    """Take the orbitals' energies for the matrix."""
    o, v = orbitals.occupied.shape[1], orbitals.virtual.shape[1]
    return OrbitalFock(
        np.diag(orbitals.occupied_energies), np.diag(orbitals.virtual_energies), np.zeros((v, o))
    )


def of_orbitals(matrix: Matrix, orbitals: Correlated) -> OrbitalFock:
    """Transform the matrix over basis functions."""
    occupied, virtual = orbitals.occupied, orbitals.virtual
    return OrbitalFock(
        occupied.T @ matrix @ occupied, virtual.T @ matrix @ virtual, virtual.T @ matrix @ occupied
    )


class TwoElectronSum:
    """A rank's part of J - K / 2 of a density of closed shells, from integrals as they come."""

    def __init__(self, density: Matrix) -> None:
        self._density = density
        self.matrix: Matrix = np.zeros(density.shape)

    def add(self, integrals: NDArray[np.float64], rows: slice, before: int) -> None:
        """Add what integrals (mn|ls), m x n x l x s, bring: m of `rows`, n from 0 on.

        Pairs with n below `before` come once and stand for both orders.
        """
        density, functions = self._density, len(self._density)
        count, end = integrals.shape[:2]
        coulomb = (integrals.reshape(count * end, -1) @ density.ravel()).reshape(count, end)
        self.matrix[rows, :end] += coulomb
        self.matrix[:before, rows] += coulomb[:, :before].T
        flat = integrals.reshape(count, end * functions, functions)
        self.matrix[rows] -= 0.5 * np.matmul(density[:end].ravel(), flat)
        other = np.matmul(density[rows, None, None, :], integrals[:, :before])
        self.matrix[:before] -= 0.5 * other.sum(axis=0)[:, 0, :]

    def add_fitted(self, tensor: NDArray[np.float64]) -> None:
        """Add what some rows of B[Q, mn] bring: Q x m x n."""
        density = self._density
        if len(tensor) == 0:
            return
        charges = tensor.reshape(len(tensor), -1) @ density.ravel()
        self.matrix += (charges @ tensor.reshape(len(tensor), -1)).reshape(density.shape)
        for part in tensor:
            self.matrix -= 0.5 * (part @ density @ part)
