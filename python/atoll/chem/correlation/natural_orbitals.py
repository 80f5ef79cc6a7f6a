"""Natural orbitals of a density over orbitals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import atoll

    Matrix = NDArray[np.float64]


def natural_orbitals(
    density: Matrix, coefficients: Matrix, group: atoll.Group
) -> tuple[Matrix, Matrix]:
    """Give occupations, descending, and orbitals (functions x orbitals). Collective.

    Args:
        density: Over the orbitals of `coefficients`, symmetric, the same on every rank.
        coefficients: Functions x orbitals.
        group: The ranks.

    """
    occupations, vectors = np.linalg.eigh(density)
    # Degenerate ones may be turned differently on each rank.
    turned = group.broadcast(np.ascontiguousarray(vectors[:, ::-1]))
    return occupations[::-1], coefficients @ np.asarray(turned).reshape(density.shape)
