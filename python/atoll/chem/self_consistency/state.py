"""Where a self-consistent calculation stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from atoll.chem.fock.two_electron import Density
    from atoll.chem.self_consistency.orthonormal import Orbitals


@dataclass(frozen=True)
class State:
    """Where a calculation stands: all that is needed to go on, or to use the result."""

    densities: tuple[Density, ...]
    orbitals: tuple[Orbitals, ...]
    """Eigenvectors of the Fock matrices of the densities before; empty where there are none yet.

    One set a density, or one for both spins.
    """
    occupations: tuple[NDArray[np.float64], ...]
