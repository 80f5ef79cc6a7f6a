"""Gradients under PySCF's names, over any number of ranks.

>>> from pyscf import gto
>>> from atoll.chem import grad, scf
>>> mol = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)
>>> gradient = grad.RHF(scf.RHF(mol).run()).kernel()
>>> round(float(gradient[1, 2]), 5)
0.02768
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective
from atoll.chem.gradients.nuclear import repulsion_gradient

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    import atoll
    from atoll.chem.geometry.scanner import GradientScanner
    from atoll.chem.self_consistency.field import Field

__all__ = ["RHF", "RKS", "UHF", "UKS", "Gradients"]


class Gradients:
    """The derivative of a mean field's energy by the positions of the atoms.

    Attributes:
        base: The mean field; where it has no orbitals yet, it is computed first.
        mol: Its molecule.
        atmlst: Numbers of the atoms that are given; None: all.
        de: The gradient, atoms x 3, hartree/bohr, on every rank; None before `kernel`.
        components: Its parts by name.
        verbose: From 3 on rank 0 prints the gradient.

    """

    def __init__(self, mean_field: Field) -> None:
        self.base = mean_field
        self.mol = mean_field.mol
        self.atmlst: Any = None
        self.verbose = mean_field.verbose
        self.de: NDArray[np.float64] | None = None
        self.components: dict[str, NDArray[np.float64]] = {}
        self._group: atoll.Group = mean_field.group

    @collective
    def kernel(
        self, mo_energy: Any = None, mo_coeff: Any = None, mo_occ: Any = None, atmlst: Any = None
    ) -> NDArray[np.float64]:
        """Compute the gradient, atoms x 3 in hartree/bohr, equal on every rank. Collective.

        Raises:
            NotImplementedError: Orbitals other than those of `base`.

        """
        for name, given in (("mo_energy", mo_energy), ("mo_coeff", mo_coeff), ("mo_occ", mo_occ)):
            if given is not None:
                raise NotImplementedError(f"{name} is not supported: orbitals are those of `base`")
        from atoll.chem.gradients.assemble import gradient_parts

        if not self.base.orbitals:
            self.base.kernel()
        self.components = gradient_parts(self.base)
        total = np.sum(list(self.components.values()), axis=0)
        kept = self.atmlst if atmlst is None else atmlst
        self.de = total if kept is None else total[np.asarray(kept)]
        self._say_result(range(len(total)) if kept is None else kept)
        return self.de

    grad = kernel

    def run(self, *args: Any, **settings: Any) -> Self:
        """Set attributes by keyword, compute, and give this object. Collective."""
        for name, value in settings.items():
            if name not in self.__dict__:
                raise AttributeError(f"gradients have no setting {name!r}")
            setattr(self, name, value)
        self.kernel(*args)
        return self

    def grad_nuc(self) -> NDArray[np.float64]:
        """Give the derivative of the nuclei's repulsion, atoms x 3, hartree/bohr."""
        return repulsion_gradient(self.mol)

    def as_scanner(self) -> GradientScanner:
        """Give a function of the geometry: called with a `Mole`, it gives energy and gradient."""
        from atoll.chem.geometry.scanner import GradientScanner

        return GradientScanner(self)

    @property
    def e_tot(self) -> float:
        """Energy of the mean field, hartree."""
        return self.base.e_tot

    @property
    def converged(self) -> bool:
        """Whether the mean field is converged."""
        return self.base.converged

    def _say_result(self, atoms: Any) -> None:
        if self.verbose < 3 or self._group.rank != 0 or self.de is None:
            return
        print(f"gradient, hartree/bohr ({self.base.method})")
        for atom, (x, y, z) in zip(atoms, self.de, strict=True):
            print(f"{atom} {self.mol.atom_symbol(atom):4s} {x:15.10f} {y:15.10f} {z:15.10f}")


RHF = UHF = RKS = UKS = Gradients
"""As PySCF has one for each kind of mean field."""
