"""An orthonormal basis of the space of the basis functions, and eigenproblems in it.

Matrices are distributed. Whether the solver works on all ranks or on one is `atoll.linalg`'s to
decide: `eigensolver` says which it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPENDENT = 1e-6
"""Combinations of basis functions with a smaller overlap eigenvalue are left out (as in PySCF)."""


class Orbitals(NamedTuple):
    """Molecular orbitals of one spin."""

    energies: NDArray[np.float64]
    """In hartree, ascending; on every rank."""
    coefficients: atoll.Array
    """Functions x orbitals."""


class OrthonormalBasis:
    """X with X^T S X = 1: canonical orthogonalisation. Collective throughout.

    Nearly dependent combinations are left out, so that X may have fewer columns than rows.

    Attributes:
        overlap: S.
        matrix: X, functions x independent combinations.
        independent: Their number.
        removed: The number of combinations left out.

    """

    def __init__(self, overlap: atoll.Array) -> None:
        self.overlap = overlap
        values, vectors = atoll.linalg.eigh(overlap)
        kept = values > DEPENDENT
        self.removed = int(np.count_nonzero(~kept))
        self.independent = len(values) - self.removed
        factors = np.zeros_like(values)
        factors[kept] = values[kept] ** -0.5
        scale = atoll.from_numpy(factors, group=overlap.group)
        atoll.linalg.scale_columns(vectors, scale)
        self.matrix = columns(vectors, self.removed, len(values))

    def transformed(self, matrix: atoll.Array) -> atoll.Array:
        """Give X^T M X."""
        return atoll.matmul(self.matrix.at[...].T, matrix @ self.matrix)

    def orbitals(self, fock: atoll.Array) -> Orbitals:
        """Solve F C = S C e."""
        energies, vectors = atoll.linalg.eigh(self.transformed(fock))
        return Orbitals(energies, self.matrix @ vectors)

    def residual(self, fock: atoll.Array, orbitals: Orbitals) -> float:
        """Give the largest element of F C - S C e in the orthonormal basis."""
        scaled = self.overlap @ orbitals.coefficients
        group = self.overlap.group
        atoll.linalg.scale_columns(scaled, atoll.from_numpy(orbitals.energies, group=group))
        left = atoll.matmul(self.matrix.at[...].T, fock @ orbitals.coefficients - scaled)
        return max(float(left.max()), -float(left.min()))

    def commutator(self, fock: atoll.Array, density: atoll.Array) -> atoll.Array:
        """Give F D S - S D F in the orthonormal basis: zero at self-consistency."""
        product = fock @ density @ self.overlap
        return self.transformed(product - product.T)


def columns(matrix: atoll.Array, begin: int, end: int) -> atoll.Array:
    """Give some columns of a matrix in a new one, or the matrix itself if it has no others."""
    rows = matrix.shape[0]
    if (begin, end) == (0, matrix.shape[1]):
        return matrix
    part = atoll.zeros((rows, end - begin), group=matrix.group, name="columns")
    part.copy_from(matrix.at[:, begin:end])
    return part


def density_of(
    coefficients: atoll.Array, occupations: NDArray[np.float64], like: atoll.Array
) -> tuple[atoll.Array, atoll.Array]:
    """Give the density sum_i n_i C_i C_i^T, distributed as `like`, and its occupied orbitals.

    The orbitals, C_i times the root of n_i, are columns of a new array, up to the last one that is
    occupied. Collective.
    """
    filled = np.flatnonzero(occupations)
    occupied = int(filled[-1]) + 1 if len(filled) else 1  # none: a column of zeros
    orbitals = columns(coefficients, 0, occupied)
    roots = atoll.from_numpy(np.sqrt(occupations[:occupied]), group=like.group)
    if orbitals is coefficients:
        orbitals = orbitals.copy()
    atoll.linalg.scale_columns(orbitals, roots)
    density = like.duplicate()
    atoll.matmul(orbitals, orbitals.at[...].T, density)
    return density, orbitals
