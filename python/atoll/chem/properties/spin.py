"""The spin of two sets of orbitals."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
