"""The repulsion of the nuclei, by their positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def repulsion_gradient(mole: Any) -> NDArray[np.float64]:
    """Give the derivative of the nuclei's repulsion, atoms x 3, hartree/bohr."""
    charges = np.asarray(mole.atom_charges(), dtype=np.float64)
    positions = np.asarray(mole.atom_coords(), dtype=np.float64)
    gradient = np.zeros_like(positions)
    for atom, (charge, position) in enumerate(zip(charges, positions, strict=True)):
        others = np.arange(len(charges)) != atom
        apart = position - positions[others]
        distances = np.linalg.norm(apart, axis=1)
        gradient[atom] = -charge * (charges[others] / distances**3) @ apart
    return gradient
