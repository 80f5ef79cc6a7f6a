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
        _add_coulomb(self.matrix, self._density, integrals, rows, before)
        _add_exchange(self.matrix, -0.5, self._density, integrals, rows, before)

    def add_fitted(self, tensor: NDArray[np.float64]) -> None:
        """Add what some rows of B[Q, mn] bring: Q x m x n."""
        _add_fitted_coulomb(self.matrix, self._density, tensor)
        _add_fitted_exchange(self.matrix, -0.5, self._density, tensor)


class SpinSum:
    """A rank's part of J of a density of both spins less K of one, for each of the spins.

    `densities`: spins x functions x functions.
    """

    def __init__(self, densities: Matrix) -> None:
        self._densities = densities
        self.matrix: Matrix = np.zeros(densities.shape)
        """Spins x functions x functions."""

    def add(self, integrals: NDArray[np.float64], rows: slice, before: int) -> None:
        """Add what integrals bring, as `TwoElectronSum` does."""
        coulomb = np.zeros(self.matrix.shape[1:])
        _add_coulomb(coulomb, self._densities.sum(axis=0), integrals, rows, before)
        for matrix, density in zip(self.matrix, self._densities, strict=True):
            matrix += coulomb
            _add_exchange(matrix, -1.0, density, integrals, rows, before)

    def add_fitted(self, tensor: NDArray[np.float64]) -> None:
        """Add what some rows of B[Q, mn] bring, as `TwoElectronSum` does."""
        coulomb = np.zeros(self.matrix.shape[1:])
        _add_fitted_coulomb(coulomb, self._densities.sum(axis=0), tensor)
        for matrix, density in zip(self.matrix, self._densities, strict=True):
            matrix += coulomb
            _add_fitted_exchange(matrix, -1.0, density, tensor)


def _add_coulomb(
    matrix: Matrix, density: Matrix, integrals: NDArray[np.float64], rows: slice, before: int
) -> None:
    count, end = integrals.shape[:2]
    coulomb = (integrals.reshape(count * end, -1) @ density.ravel()).reshape(count, end)
    matrix[rows, :end] += coulomb
    matrix[:before, rows] += coulomb[:, :before].T


def _add_exchange(
    matrix: Matrix,
    factor: float,
    density: Matrix,
    integrals: NDArray[np.float64],
    rows: slice,
    before: int,
) -> None:
    functions = len(density)
    count, end = integrals.shape[:2]
    flat = integrals.reshape(count, end * functions, functions)
    matrix[rows] += factor * np.matmul(density[:end].ravel(), flat)
    other = np.matmul(density[rows, None, None, :], integrals[:, :before])
    matrix[:before] += factor * other.sum(axis=0)[:, 0, :]


def _add_fitted_coulomb(matrix: Matrix, density: Matrix, tensor: NDArray[np.float64]) -> None:
    if len(tensor) > 0:
        rows = tensor.reshape(len(tensor), -1)
        matrix += ((rows @ density.ravel()) @ rows).reshape(density.shape)


def _add_fitted_exchange(
    matrix: Matrix, factor: float, density: Matrix, tensor: NDArray[np.float64]
) -> None:
    for part in tensor:
        matrix += factor * (part @ density @ part)
