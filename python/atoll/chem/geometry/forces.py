"""How large the forces on atoms are, and where they are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STATIONARY = 4.5e-4
"""Largest force, hartree/bohr, where a geometry is optimised: Gaussian's, and geomeTRIC's."""


def largest_force(gradient: NDArray[np.float64]) -> float:
    """Give the length of the longest row of a gradient, atoms x 3, in hartree/bohr."""
    return float(np.linalg.norm(gradient, axis=1).max())
