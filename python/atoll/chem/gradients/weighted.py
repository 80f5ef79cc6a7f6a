"""The density weighted with orbital energies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.self_consistency.orthonormal import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis


def weighted_density(
    basis: BlockedBasis,
    orbitals: Sequence[atoll.Array],
    energies: Sequence[NDArray[np.float64]],
    occupations: Sequence[NDArray[np.float64]],
) -> atoll.Array:
    """Give the sum of n_i e_i C_i C_i^T over the orbitals of all spins, distributed. Collective."""
    total = basis.matrix("energy-weighted density")
    for coefficients, of_spin, filled in zip(orbitals, energies, occupations, strict=True):
        occupied = int(np.count_nonzero(filled))
        if occupied == 0:
            continue
        kept = columns(coefficients, 0, occupied)
        weighted = kept.copy()
        factors = np.ascontiguousarray((of_spin * filled)[:occupied])
        atoll.linalg.scale_columns(weighted, atoll.from_numpy(factors, group=basis.group))
        part = basis.matrix("energy-weighted density of a spin")
        atoll.matmul(weighted, kept.at[...].T, part)
        total += part
    return total
