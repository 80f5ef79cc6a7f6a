"""Normal modes of a matrix of second derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.constants

if TYPE_CHECKING:
    from numpy.typing import NDArray

_constants = scipy.constants.physical_constants
ELECTRON_MASSES = _constants["atomic mass constant"][0] / _constants["electron mass"][0]
"""Electron masses in a dalton."""
WAVENUMBER = _constants["hartree-inverse meter relationship"][0] / 100.0
"""1/cm in a hartree."""
INDEPENDENT = 1e-3
"""Rotations whose part of the largest is smaller than this turn nothing: those of linear molecules,
also of molecules that an optimisation left bent by up to a tenth of a degree.
"""


@dataclass(frozen=True)
class NormalModes:
    """Vibrations, by ascending frequency."""

    wavenumbers: NDArray[np.float64]
    """In 1/cm; imaginary ones are negative."""
    displacements: NDArray[np.float64]
    """Modes x atoms x 3: how atoms move, not weighted by mass, of length 1."""
    reduced_masses: NDArray[np.float64]
    """In dalton."""

    @property
    def zero_point_energy(self) -> float:
        """Half a quantum of each real vibration, hartree."""
        return float(self.wavenumbers[self.wavenumbers > 0.0].sum() / (2.0 * WAVENUMBER))


def normal_modes(
    hessian: NDArray[np.float64], masses: NDArray[np.float64], positions: NDArray[np.float64]
) -> NormalModes:
    """Give the vibrations, without translations and rotations.

    Args:
        hessian: 3 atoms x 3 atoms, hartree/bohr^2.
        masses: Dalton.
        positions: Atoms x 3, bohr.

    """
    roots = np.sqrt(np.repeat(masses, 3))
    weighted = hessian / np.outer(roots, roots)
    inner = _vibrations(masses, positions)
    values, vectors = np.linalg.eigh(inner.T @ weighted @ inner)
    frequencies = np.sign(values) * np.sqrt(np.abs(values) / ELECTRON_MASSES)
    cartesian = (inner @ vectors).T / roots
    lengths = np.linalg.norm(cartesian, axis=1)
    displacements = (cartesian / lengths[:, None]).reshape(-1, len(masses), 3)
    return NormalModes(frequencies * WAVENUMBER, displacements, 1.0 / lengths**2)


def _vibrations(masses: NDArray[np.float64], positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give an orthonormal basis of mass-weighted moves that neither shift nor turn the molecule."""
    centred = positions - masses @ positions / masses.sum()
    roots = np.sqrt(masses)[:, None]
    moves = [roots * axis for axis in np.eye(3)]
    moves += [roots * np.cross(axis, centred) for axis in np.eye(3)]
    rigid = np.array([move.ravel() for move in moves]).T
    left, sizes, _ = np.linalg.svd(rigid, full_matrices=True)
    count = int(np.count_nonzero(sizes > INDEPENDENT * sizes[0]))
    return np.asarray(left[:, count:])
