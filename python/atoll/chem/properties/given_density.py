"""Properties of a density that did not come from a mean field's orbitals."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem.fock.two_electron import Density
from atoll.chem.integrals.blocked_basis import BlockedBasis
from atoll.chem.integrals.one_electron import OneElectron, one_electron_integrals
from atoll.chem.properties.methods import PropertyMethods

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import atoll


class GivenDensity(PropertyMethods):
    """A molecule with a density of all electrons. Making it, and its methods, are collective.

    Args:
        mole: PySCF's `Mole`, equal on every rank.
        density: Functions x functions, symmetric, the same on every rank.
        group: The ranks.

    """

    def __init__(self, mole: Any, density: NDArray[np.float64], group: atoll.Group) -> None:
        self.mol = mole
        self.basis = BlockedBasis(mole, group)
        self._density = np.ascontiguousarray(density)
        self._array = self._distributed(self._density)

    @cached_property
    def integrals(self) -> OneElectron:
        """One-electron integrals."""
        return one_electron_integrals(self.basis)

    def density_arrays(self, dm: Any = None) -> list[Density]:
        """Give the density, or `dm` in its place. Collective."""
        if dm is None:
            return [Density(self._array)]
        values = np.asarray(dm, dtype=np.float64)
        if values.shape != self._density.shape:
            raise ValueError(f"dm has shape {values.shape}, expected {self._density.shape}")
        return [Density(self._distributed(values))]

    def _distributed(self, values: NDArray[np.float64]) -> atoll.Array:
        array = self.basis.matrix("density")
        for key, block in array.blocks():
            block[...] = values[key]
        self.basis.group.sync()
        return array
