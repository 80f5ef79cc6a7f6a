"""Roothaan's equations F C = S C e for closed shells, and DIIS to converge them (Pulay 1982).

Replicated linear algebra by LAPACK, on one rank.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPENDENT = 1e-6
"""Combinations of basis functions with a smaller overlap eigenvalue are left out (as in PySCF)."""


class Orthonormalizer:
    """An orthonormal basis of the space of the basis functions: X with X^T S X = 1.

    Canonical orthogonalisation: nearly dependent combinations are left out, so X may have
    fewer columns than rows.
    """

    def __init__(self, overlap: NDArray[np.float64]) -> None:
        values, vectors = scipy.linalg.eigh(overlap)
        kept = values > DEPENDENT
        self.smallest_eigenvalue = float(values[0])
        self.removed = int(np.count_nonzero(~kept))
        self.matrix: NDArray[np.float64] = vectors[:, kept] / np.sqrt(values[kept])

    @property
    def independent(self) -> int:
        """Number of independent combinations."""
        return int(self.matrix.shape[1])

    def energies(self, fock: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the orbital energies, ascending."""
        X = self.matrix
        energies: NDArray[np.float64] = scipy.linalg.eigh(X.T @ fock @ X, eigvals_only=True)
        return energies

    def density(self, fock: NDArray[np.float64], occupied: int) -> NDArray[np.float64]:
        """Return the density 2 C C^T of the `occupied` orbitals of lowest energy."""
        X = self.matrix
        _, vectors = scipy.linalg.eigh(X.T @ fock @ X, subset_by_index=[0, occupied - 1])
        orbitals = X @ vectors
        product: NDArray[np.float64] = 2.0 * orbitals @ orbitals.T
        return product

    def error(
        self,
        fock: NDArray[np.float64],
        density: NDArray[np.float64],
        overlap: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return F D S - S D F in the orthonormal basis: zero at convergence."""
        product = fock @ density @ overlap
        X = self.matrix
        transformed: NDArray[np.float64] = X.T @ (product - product.T) @ X
        return transformed


class Diis:
    """Direct inversion in the iterative subspace.

    Finds the combination of past Fock matrices whose error is smallest.
    """

    def __init__(self, length: int = 8) -> None:
        self._past: deque[tuple[NDArray[np.float64], NDArray[np.float64]]] = deque(maxlen=length)

    def extrapolate(
        self, fock: NDArray[np.float64], error: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Take a Fock matrix with its error; return the best combination so far."""
        self._past.append((fock, error))
        past_errors = [past_error for _, past_error in self._past]
        products = np.array([[np.vdot(a, b) for a in past_errors] for b in past_errors])
        norms = np.sqrt(products.diagonal())
        if norms.min() == 0.0:
            return fock
        # The coefficients, which add up to one, make the combined error smallest: they are the
        # solution of `products` c = 1, normalised. Scaled, as errors span many magnitudes; least
        # squares, as old ones become dependent near convergence.
        scaled = products / np.outer(norms, norms)
        solution = np.linalg.lstsq(scaled, 1.0 / norms, rcond=1e-13)[0] / norms
        coefficients = solution / solution.sum()
        best = np.zeros_like(fock)
        for coefficient, (past_fock, _) in zip(coefficients, self._past, strict=True):
            best += coefficient * past_fock
        return best
