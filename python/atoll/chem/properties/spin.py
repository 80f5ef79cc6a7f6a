"""The spin of two sets of orbitals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.self_consistency.orthonormal import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def spin_square(
    orbitals: Sequence[atoll.Array],
    occupations: Sequence[NDArray[np.float64]],
    overlap: atoll.Array,
) -> tuple[float, float]:
    """Give <S^2> = M (M + 1) + n_beta - sum n_i n_j |<alpha_i|beta_j>|^2, and 2S + 1. Collective.

    M is half the number of unpaired electrons (Szabo and Ostlund, section 2.5.2). Orbitals that
    smearing fills in part count by their electrons.
    """
    alpha, beta = (float(n.sum()) for n in occupations)
    half = (alpha - beta) / 2
    overlap_of_spins = 0.0
    if alpha > 0 and beta > 0:
        filled = [_weighted(c, n) for c, n in zip(orbitals, occupations, strict=True)]
        product = atoll.matmul(filled[0].at[...].T, overlap @ filled[1])
        overlap_of_spins = float(product.norm()) ** 2
    square = half * (half + 1) + beta - overlap_of_spins
    return square, float((4 * square + 1) ** 0.5)


def spin_square_of(mean_field: Any, mo_coeff: Any, s: Any) -> tuple[float, float]:
    """Give the same of occupied orbitals and an overlap as NumPy arrays; None: the mean field's.

    Collective, where one of them is None.
    """
    if mo_coeff is None:
        mo_coeff, filled = mean_field.mo_coeff, mean_field.mo_occ
    else:
        filled = [np.ones(np.shape(c)[1]) for c in mo_coeff]
    overlap = mean_field.get_ovlp() if s is None else np.asarray(s)
    alpha, beta = (np.asarray(c) * np.sqrt(n) for c, n in zip(mo_coeff, filled, strict=True))
    half = float(np.sum(filled[0]) - np.sum(filled[1])) / 2
    square = half * (half + 1) + float(np.sum(filled[1]))
    square -= float(np.linalg.norm(alpha.T @ overlap @ beta)) ** 2
    return square, float(max(0.0, 4 * square + 1) ** 0.5)  # of orbitals that are none, less


def _weighted(orbitals: atoll.Array, occupations: NDArray[np.float64]) -> atoll.Array:
    """Give the orbitals that have electrons, times the roots of these."""
    count = int(np.count_nonzero(occupations))
    filled = columns(orbitals, 0, count)
    if np.all(occupations[:count] == 1.0):
        return filled
    roots = atoll.from_numpy(np.sqrt(occupations[:count]), group=orbitals.group)
    atoll.linalg.scale_columns(filled, roots)
    return filled
