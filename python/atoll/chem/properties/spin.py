"""The spin of two sets of orbitals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.self_consistency.orthonormal import columns

if TYPE_CHECKING:
    from collections.abc import Sequence


def spin_square(
    orbitals: Sequence[atoll.Array], occupied: Sequence[int], overlap: atoll.Array
) -> tuple[float, float]:
    """Give <S^2> = M (M + 1) + n_beta - sum |<alpha_i|beta_j>|^2, and 2S + 1. Collective.

    M is half the number of unpaired electrons (Szabo and Ostlund, section 2.5.2).
    """
    alpha, beta = occupied
    half = (alpha - beta) / 2
    overlap_of_spins = 0.0
    if alpha > 0 and beta > 0:
        of_alpha, of_beta = columns(orbitals[0], 0, alpha), columns(orbitals[1], 0, beta)
        product = atoll.matmul(of_alpha.at[...].T, overlap @ of_beta)
        overlap_of_spins = float(product.norm()) ** 2
    square = half * (half + 1) + beta - overlap_of_spins
    return square, float((4 * square + 1) ** 0.5)


def spin_square_of(mean_field: Any, mo_coeff: Any, s: Any) -> tuple[float, float]:
    """Give the same of occupied orbitals and an overlap as NumPy arrays; None: the mean field's.

    Collective, where one of them is None.
    """
    if mo_coeff is None:
        pairs = zip(mean_field.mo_coeff, mean_field.mo_occ, strict=True)
        mo_coeff = [c[:, n > 0] for c, n in pairs]
    overlap = mean_field.get_ovlp() if s is None else np.asarray(s)
    alpha, beta = (np.asarray(c) for c in mo_coeff)
    half = (alpha.shape[1] - beta.shape[1]) / 2
    square = half * (half + 1) + beta.shape[1]
    square -= float(np.linalg.norm(alpha.T @ overlap @ beta)) ** 2
    return square, float((4 * square + 1) ** 0.5)
