"""Gradients under PySCF's names, over any number of ranks.

>>> from pyscf import gto
>>> from atoll.chem import grad, scf
>>> mol = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)
>>> gradient = grad.RHF(scf.RHF(mol).run()).kernel()
>>> round(float(gradient[1, 2]), 5)
0.02768
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from atoll._agreement import collective
from atoll.chem.gradients.nuclear import repulsion_gradient
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import InputError
from atoll.chem.pyscf_calls import modules
from atoll.chem.pyscf_calls.configured import Configured
from atoll.chem.script_settings import Printed
from atoll.chem.self_consistency.field import Field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Self

    import atoll
    from atoll.chem.geometry.scanner import GradientScanner

__all__ = ["RHF", "RKS", "UHF", "UKS", "Gradients", "SecondOrderGradients"]

__getattr__ = modules.stand_in(__name__)

MEMORY = 1 << 30
"""Bytes a rank for correlation."""


class Gradients(Configured, Printed):
    """The derivative of a mean field's energy by the positions of the atoms.

    Attributes:
        base: The mean field; where it has no orbitals yet, it is computed first.
        mol: Its molecule.
        atmlst: Numbers of the atoms that are given; None: all.
        de: The gradient, atoms x 3, hartree/bohr, on every rank; None before `kernel`.
        components: Its parts by name.
        verbose: From 3 on rank 0 prints the gradient.

    """

    _without_effect: ClassVar[dict[str, tuple[Any, ...]]] = {
        "auxbasis_response": (True, 1),
        "grid_response": (False,),
        "output": (None,),
        "unit": ("au", "Bohr", "bohr", "AU", "a.u."),
    }
    _converted: ClassVar[dict[str, Callable[[Any], Any]]] = {}
    max_memory = 0.0
    """Of PySCF's, in megabytes: integrals come as there is room for them."""

    def __init__(self, mean_field: Field) -> None:
        if mean_field.shared:
            raise NotImplementedError("gradients of ROHF are not supported: those of UHF are")
        self.base = mean_field
        self.mol = mean_field.mol
        self.atmlst: Any = None
        self.verbose = mean_field.verbose
        self.de: NDArray[np.float64] | None = None
        self.components: dict[str, NDArray[np.float64]] = {}
        self._group: atoll.Group = mean_field.group
        self._guard()

    def _counterpart(self) -> Any:
        kind = "rks" if self.base.method.endswith("KS") else "rhf"
        module = "pyscf.grad." if self.base.with_df is None else "pyscf.df.grad."
        return pyscf_wheel.class_of(module + kind, "Gradients")

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
        self.base.require_own_hamiltonian("the gradient")
        self.base.forget_if_changed()
        if not self.base.orbitals:
            self.base.kernel()
        self.components = self._parts()
        total = np.sum(list(self.components.values()), axis=0)
        kept = self.atmlst if atmlst is None else atmlst
        self.de = total if kept is None else total[np.asarray(kept)]
        self._say_result(range(len(total)) if kept is None else kept)
        return self.de

    grad = kernel

    def grad_nuc(self, mol: Any = None, atmlst: Any = None) -> NDArray[np.float64]:
        """Give the derivative of the nuclei's repulsion, atoms x 3, hartree/bohr.

        `mol`: of another molecule; `atmlst`: of some atoms.
        """
        found = repulsion_gradient(self.mol if mol is None else mol)
        return found if atmlst is None else found[np.asarray(atmlst)]

    def nuc_grad_method(self) -> Self:
        """Give itself, for those who take a method or its gradients."""
        return self

    def moved(self, mean_field: Field) -> Gradients:
        """Give gradients with these settings of the mean field at another geometry."""
        found = Gradients(mean_field)
        found.atmlst = self.atmlst
        return found

    def as_scanner(self) -> GradientScanner:
        """Give a function of the geometry: called with a `Mole`, it gives energy and gradient."""
        from atoll.chem.geometry.scanner import GradientScanner

        return GradientScanner(self)

    @property
    def method(self) -> str:
        """Whose gradient it is, in a word."""
        return self.base.method

    @property
    def e_tot(self) -> float:
        """The energy that is derived, hartree: the free one of smeared electrons."""
        return self.base.e_free

    @property
    def converged(self) -> bool:
        """Whether the mean field is converged."""
        return self.base.converged

    def _parts(self) -> dict[str, NDArray[np.float64]]:
        from atoll.chem.gradients.assemble import gradient_parts

        return gradient_parts(self.base)

    def _say_result(self, atoms: Any) -> None:
        if self.verbose < 3 or self._group.rank != 0 or self.de is None:
            return
        print(f"gradient, hartree/bohr ({self.method})", file=self.stdout)
        for atom, (x, y, z) in zip(atoms, self.de, strict=True):
            print(
                f"{atom} {self.mol.atom_symbol(atom):4s} {x:15.10f} {y:15.10f} {z:15.10f}",
                file=self.stdout,
            )


def _lowest(frozen: int | Sequence[int] | None) -> int:
    """Give how many orbitals are frozen."""
    if frozen is None or isinstance(frozen, (int, np.integer)):
        return int(frozen or 0)
    if list(frozen) != list(range(len(frozen))):
        raise NotImplementedError(
            f"the gradient with frozen={frozen!r}, expected a number of lowest orbitals"
        )
    return len(frozen)


class SecondOrderGradients(Gradients):
    """The derivative of an energy with second-order correlation, RI-MP2 or scaled by spins.

    The orbitals' response is in it. Memory is needed for the integrals (Q|ia) twice, spread over
    all ranks; they do not go to disk.

    Args:
        mean_field: Hartree-Fock, restricted or unrestricted.
        frozen: So many lowest orbitals that are not correlated.
        auxbasis: Fitting set of the correlation, as `mp.DFMP2` takes it.
        memory: Bytes a rank.
        opposite: Share of the correlation of opposite spins.
        same: Share of the correlation of equal spins.

    Attributes:
        e_corr: The correlation energy in hartree, scaled, on every rank; None before `kernel`.

    Raises:
        NotImplementedError: For mean fields other than Hartree-Fock of `atoll.chem`, smeared ones,
            and frozen orbitals other than the lowest.

    """

    _converted: ClassVar[dict[str, Callable[[Any], Any]]] = {"frozen": _lowest}

    def __init__(
        self,
        mean_field: Any,
        frozen: int | Sequence[int] | None = None,
        auxbasis: Any = None,
        *,
        memory: int = MEMORY,
        opposite: float = 1.0,
        same: float = 1.0,
    ) -> None:
        if not isinstance(mean_field, Field):
            raise NotImplementedError(
                f"the gradient of correlation upon {type(mean_field).__name__} of "
                f"{type(mean_field).__module__}: expected a mean field of atoll.chem, which "
                "atoll.chem.from_pyscf makes"
            )
        if mean_field.method.endswith("KS"):
            raise NotImplementedError("the gradient of correlation upon density functionals")
        if mean_field.smearing:
            raise NotImplementedError("the gradient of correlation upon smeared occupations")
        self.frozen, self.auxbasis, self.memory = _lowest(frozen), auxbasis, memory
        self.opposite, self.same = opposite, same
        self.e_corr: float | None = None
        super().__init__(mean_field)

    def _counterpart(self) -> Any:
        return pyscf_wheel.class_of("pyscf.grad.mp2", "Gradients")

    def moved(self, mean_field: Field) -> SecondOrderGradients:
        """Give gradients with these settings of the mean field at another geometry."""
        found = SecondOrderGradients(
            mean_field, self.frozen, self.auxbasis, memory=self.memory, opposite=self.opposite,
            same=self.same,
        )  # fmt: skip
        found.atmlst = self.atmlst
        return found

    @property
    def method(self) -> str:
        """Whose gradient it is, in a word."""
        return f"RI-MP2 upon {self.base.method}"

    @property
    def e_tot(self) -> float:
        """The energy that is derived, hartree."""
        if self.e_corr is None:
            raise RuntimeError("the energy has not been computed yet: call kernel() or run()")
        return self.base.e_tot + self.e_corr

    def _parts(self) -> dict[str, NDArray[np.float64]]:
        from atoll.chem.correlation.amplitude_sums import Shares
        from atoll.chem.gradients.mp2 import bytes_of_pairs, second_order_gradient
        from atoll.chem.gradients.reference import reference_of
        from atoll.chem.integrals import fitting_sets

        chosen = fitting_sets.of_correlation(self.mol, self.auxbasis, self.base.with_df)
        auxiliary = fitting_sets.functions(self.mol, chosen)
        reference = reference_of(self.base, self.frozen)
        try:
            pairs = bytes_of_pairs(reference, int(auxiliary.nao_nr()))
            if 4 * pairs > 3 * self.memory:
                raise InputError(
                    f"memory is {self.memory} bytes a rank, expected {4 * pairs // 3} or more: "
                    f"the gradient keeps {pairs} bytes of integrals and amplitudes in it"
                )
            found = second_order_gradient(
                self.base, reference, auxiliary, Shares(self.opposite, self.same),
                self.memory - pairs,
            )  # fmt: skip
        finally:
            reference.parts.close()
        self.e_corr = found.energy
        return found.parts


RHF = UHF = RKS = UKS = Gradients
"""As PySCF has one for each kind of mean field."""
