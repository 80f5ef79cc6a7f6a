"""Open shells of orbitals that both spins share: ROHF (Roothaan 1960), as PySCF has it.

The lowest orbitals hold two electrons, the next ones an alpha electron each, the others none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.fock.two_electron import Density
from atoll.chem.self_consistency.orthonormal import Orbitals, density_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def densities_of(
    coefficients: Sequence[atoll.Array],
    occupations: Sequence[NDArray[np.float64]],
    like: atoll.Array,
    shared: bool = False,
) -> tuple[Density, ...]:
    """Give the density of each set of orbitals; of orbitals that are `shared` both spins'.

    Collective.
    """
    if shared:
        coefficients = [coefficients[0]] * 2
        occupations = by_spin(occupations[0])
    pairs = zip(coefficients, occupations, strict=True)
    return tuple(Density(*density_of(c, filled, like)) for c, filled in pairs)


def by_spin(occupations: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give alpha and beta electrons of orbitals with two, one or none."""
    alpha = np.minimum(occupations, 1.0)
    return alpha, occupations - alpha


def coupled(
    focks: Sequence[atoll.Array], densities: Sequence[atoll.Array], overlap: atoll.Array
) -> atoll.Array:
    """Give Roothaan's matrix of both spins' Fock matrices. Collective.

    It is their mean F, but beta's between doubly and singly occupied orbitals, alpha's between
    singly occupied and empty ones: there, as everywhere else, what couples two shells is the slope
    of the energy. In terms of projectors: F + X + X^T, X = (P_empty - P_double)^T G P_single with
    half the difference G.
    """
    half = focks[0] - focks[1]
    half.scale(0.5)
    on_single = half @ ((densities[0] - densities[1]) @ overlap)
    X = on_single - overlap @ ((densities[0] + densities[1]) @ on_single)
    both = X + X.T
    both.add_scaled(1.0, both, 0.5, focks[0])
    both.add_scaled(1.0, both, 0.5, focks[1])
    return both


def filled(
    orbitals: Orbitals, alpha_fock: atoll.Array, electrons: Sequence[int]
) -> tuple[Orbitals, NDArray[np.float64]]:
    """Put electrons into orbitals, and these in the order of electrons. Collective.

    Two go into each of the lowest, one each into those of the others that are lowest for alpha
    electrons: the levels of Roothaan's matrix are no measure for these.
    """
    alpha, beta = electrons
    order = np.argsort(orbitals.energies, kind="stable")
    others = order[beta:]
    by_alpha = np.argsort(_levels(orbitals.coefficients, alpha_fock)[others], kind="stable")
    single = np.zeros(len(others), dtype=bool)
    single[by_alpha[: alpha - beta]] = True
    order = np.concatenate([order[:beta], others[single], others[~single]])
    occupations = np.zeros(len(order))
    occupations[:alpha] = 1.0
    occupations[:beta] = 2.0
    coefficients = _in_order(orbitals.coefficients, order)
    return Orbitals(orbitals.energies[order], coefficients), occupations


def _levels(coefficients: atoll.Array, fock: atoll.Array) -> NDArray[np.float64]:
    """Give the diagonal of C^T F C, on every rank."""
    product = coefficients.duplicate()
    atoll.matmul(fock, coefficients, product)
    levels = np.zeros(coefficients.shape[1])
    for (key, c), (_, of_c) in zip(coefficients.blocks(), product.blocks(), strict=True):
        levels[key[1]] += np.einsum("ij,ij->j", c, of_c)
    return np.asarray(coefficients.group.reduce(levels))


def _in_order(matrix: atoll.Array, order: NDArray[np.intp]) -> atoll.Array:
    """Give the columns in this order, runs of neighbours at once; the matrix itself as it is."""
    if np.array_equal(order, np.arange(len(order))):
        return matrix
    ordered = matrix.duplicate()
    begin = 0
    for run in np.split(order, np.flatnonzero(np.diff(order) != 1) + 1):
        end = begin + len(run)
        ordered.at[:, begin:end].copy_from(matrix.at[:, int(run[0]) : int(run[-1]) + 1])
        begin = end
    return ordered
