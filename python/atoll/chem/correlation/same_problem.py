"""Whether what an earlier run has saved is of the problem at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem.integrals import pyscf_wheel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

SAME_SPACE = 1e-9
"""How far orbitals of one space may lie outside of it."""


class OtherCalculationError(ValueError):
    """A checkpoint is of another calculation."""


def span_the_same(mole: Any, *pairs: Matrix) -> bool:
    """Tell whether each second set of orbitals spans the space of the one before.

    Canonical orbitals of one space are not unique: signs differ, degenerate ones may be turned.
    Orbitals are functions x orbitals, orthonormal.
    """
    overlap = pyscf_wheel.one_electron(mole, "int1e_ovlp", (0, mole.nbas, 0, mole.nbas))
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        if old.shape != new.shape:
            return False
        outside = old - new @ (new.T @ overlap @ old)
        if float(np.abs(outside).max(initial=0.0)) >= SAME_SPACE:
            return False
    return True
