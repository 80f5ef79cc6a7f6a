"""Orbitals of a mean field turned along an unstable rotation, as PySCF's `stability` gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.self_consistency.stability import Stability


def turned(mean_field: Any, found: Stability, opposite: bool) -> Any:
    """Give all orbitals as NumPy arrays; as they are where the energy is a minimum. Collective.

    `opposite`: of closed shells alpha's are turned, and given with beta's, which are not.
    """
    sets = np.reshape(mean_field.mo_coeff, (mean_field.spins, mean_field.mol.nao_nr(), -1))
    if not found.stable:
        rotations = [np.asarray(rotation[...]) for rotation in found.rotation]
        mean_field.group.sync()
        turned_sets = [_turned(c, x) for c, x in zip(sets, rotations, strict=True)]
    else:
        turned_sets = list(sets)
    if opposite:
        return turned_sets[0], sets[0]
    return turned_sets[0] if mean_field.spins == 1 else np.array(turned_sets)


def _turned(orbitals: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give C exp(X - X^T); `x`: virtual x occupied, occupied ones first."""
    virtual, occupied = x.shape
    generator = np.zeros((occupied + virtual,) * 2)
    generator[occupied:, :occupied] = x
    generator[:occupied, occupied:] = -x.T
    exponential: Any = scipy.linalg.expm  # without types
    return np.asarray(orbitals @ exponential(generator))
