"""Energies, and gradients, of one geometry after the other, each begun from the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from atoll._agreement import collective
from atoll.chem.geometry.moved import carried_over, moved_to
from atoll.chem.guarded import Guarded
from atoll.chem.integrals import pyscf_wheel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    import atoll
    from atoll.chem.self_consistency.field import Field


class Derived(Protocol):
    """What scanners know of gradients."""

    base: Field
    mol: Any
    verbose: int

    @property
    def e_tot(self) -> float:
        """The energy that is derived, hartree."""

    def kernel(self) -> NDArray[np.float64]:
        """Compute the gradient, atoms x 3, hartree/bohr. Collective."""

    def moved(self, mean_field: Field) -> Derived:
        """Give gradients with the same settings at another geometry."""


class HasGradient(Protocol):
    """A mean field, a correlated method upon one, or the gradients themselves."""

    def nuc_grad_method(self) -> Derived:
        """Give what computes the gradient."""


class EnergyScanner(Guarded):
    """Called with a geometry, gives the energy in hartree. Collective.

    Attributes:
        base: The mean field of the last geometry.

    """

    # Of gradients.
    _gradients: Any = None
    verbose = 0
    stdout: Any = None
    de: Any = None

    def __init__(self, mean_field: Field) -> None:
        self.base = mean_field
        self._group: atoll.Group = mean_field.group
        self._guard()

    def _counterpart(self) -> Any:
        return pyscf_wheel.mean_field_class(self.base.method)

    @collective
    def __call__(self, mol_or_geom: Any) -> float:
        """Compute the energy of a `Mole`, or of positions as `Mole.set_geom_` takes them."""
        mol = mol_or_geom
        if not hasattr(mol, "atom_coords"):
            mol = self.base.mol.set_geom_(mol_or_geom, inplace=False)
        elif mol is self.base.mol:  # a molecule that is moved in place is another one now
            mol = mol.copy()
        moved = moved_to(self.base, mol)
        moved.kernel(carried_over(self.base, moved))
        self.base = moved
        return moved.e_tot

    def as_scanner(self) -> Any:
        """Give itself."""
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "base" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.base, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Take settings of the mean field for it, and for those of the next geometries."""
        own = "base" not in vars(self) or name in vars(self) or hasattr(type(self), name)
        if own or not hasattr(self.base, name):
            super().__setattr__(name, value)
        else:
            setattr(self.base, name, value)

    @property
    def mol(self) -> Any:
        """The molecule of the last geometry."""
        return self.base.mol

    @property
    def e_tot(self) -> float:
        """The last energy, hartree."""
        return self.base.e_tot

    @property
    def converged(self) -> bool:
        """Whether it is converged."""
        return self.base.converged


class GradientScanner(EnergyScanner):
    """Called with a geometry, gives energy and gradient (atoms x 3, hartree/bohr). Collective.

    Programs that optimise geometries want it so: geomeTRIC's engines and `pyscf.geomopt`.
    """

    def __init__(self, gradients: Derived) -> None:
        super().__init__(gradients.base)
        self._gradients: Derived = gradients
        self.verbose = gradients.verbose
        self.stdout = gradients.mol.stdout
        self.de: NDArray[Any] | None = None

    @collective
    def __call__(  # type: ignore[override]  # PySCF's scanner gives both, too
        self, mol_or_geom: Any
    ) -> tuple[float, NDArray[Any]]:
        """Compute energy and gradient."""
        super().__call__(mol_or_geom)
        self._gradients = self._gradients.moved(self.base)
        self.de = self._gradients.kernel()
        return self._gradients.e_tot, self.de

    @property
    def e_tot(self) -> float:
        """The last energy, hartree."""
        return self._gradients.e_tot

    def nuc_grad_method(self) -> GradientScanner:
        """Give itself."""
        return self

    def as_scanner(self) -> GradientScanner:
        """Give itself."""
        return self
