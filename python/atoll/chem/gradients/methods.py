"""What moves atoms, as methods of a mean field under PySCF's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atoll.chem.self_consistency.field import Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from atoll.chem.fock.two_electron import Density
    from atoll.chem.geometry.scanner import EnergyScanner
    from atoll.chem.grad import Gradients


class GradientMethods(Field):
    """Gradients and scanners of a mean field."""

    def nuc_grad_method(self) -> Gradients:
        """Give what computes the gradient: `atoll.chem.grad.Gradients`."""
        from atoll.chem.grad import Gradients  # it needs mean fields itself

        return Gradients(self)

    def Gradients(self) -> Gradients:  # noqa: N802  # PySCF's name
        """Give what computes the gradient."""
        return self.nuc_grad_method()

    def as_scanner(self) -> EnergyScanner:
        """Give a function of the geometry: called with a `Mole`, it gives the energy."""
        from atoll.chem.geometry.scanner import EnergyScanner

        return EnergyScanner(self)

    def other_gradients(self, densities: Sequence[Density]) -> dict[str, NDArray[np.float64]]:
        """Give derivatives of parts of the energy beyond Hartree-Fock, by name. Collective."""
        del densities
        return {}
