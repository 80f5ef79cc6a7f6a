"""Coulomb and exchange matrices, and the potential, of densities that are given as NumPy arrays."""

# ruff: noqa: D102  # MeanField describes what it has

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective
from atoll.chem.fock.two_electron import Density
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.self_consistency.assembly import ExactExchange, Fitting, assemble, storage_of
from atoll.chem.self_consistency.field import Field
from atoll.chem.self_consistency.hamiltonian import Hamiltonian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.self_consistency.hamiltonian import Effective, Parts

SYMMETRIC = 1e-12
"""Matrices are symmetric where elements differ by less, of the largest one."""


class Potentials(Field):
    """What PySCF's users ask of a mean field for a density of theirs. All are collective.

    Symmetric densities are Atoll's, on all ranks; others, complex ones, those of other molecules,
    and integrals of a long or short range are PySCF's, on every rank: for molecules that one
    process can hold.
    """

    if TYPE_CHECKING:  # in MeanField
        integral_storage: str
        memory: int | None
        disk_quota: int | None
        scratch: str | None

        def make_xc(self, basis: Any) -> Any: ...
        def make_rdm1(self) -> Any: ...
        def to_pyscf(self) -> Any: ...
        def is_mine(self, mol: Any) -> bool: ...

    @collective
    def get_jk(
        self,
        mol: Any = None,
        dm: Any = None,
        hermi: int = 1,
        with_j: bool = True,
        with_k: bool = True,
        omega: float | None = None,
    ) -> tuple[Any, Any]:
        """Give the Coulomb and the exchange matrix of each density, as PySCF does; None: not asked.

        Args:
            mol: The molecule; none: the mean field's.
            dm: Densities over functions, the last two axes; none: that of the result.
            hermi: PySCF's word for their symmetry; it is looked at instead.
            with_j: Whether the Coulomb matrix is wanted.
            with_k: Whether the exchange matrix is.
            omega: Of the long range (1/bohr) or, below zero, the short one; none: of all.

        """
        given = np.asarray(self.make_rdm1() if dm is None else dm)
        if omega or not self.is_mine(mol) or not _is_symmetric(given):
            made = self.to_pyscf()
            theirs = type(made).get_jk
            return tuple(theirs(made, mol or self.mol, given, hermi, with_j, with_k, omega))
        n = self.basis.functions
        with_parts = ExactExchange() if with_k else ExactExchange(0.0)
        fitting = None if self.with_df is None else Fitting(self.with_df, self.only_dfj)
        storage = storage_of(
            self.mol, self.integral_storage, self.memory, self.disk_quota, self.scratch
        )
        parts = assemble(self.basis, with_parts, None, self.direct_scf_tol, fitting, storage)
        found = [self._coulomb_and_exchange(parts, each) for each in given.reshape(-1, n, n)]
        parts.close()
        coulomb, exchange = (
            np.reshape(matrices, given.shape) for matrices in zip(*found, strict=True)
        )
        return coulomb if with_j else None, exchange if with_k else None

    def _coulomb_and_exchange(
        self, parts: Parts, dm: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        density = Density(self._distributed(dm.real))
        coulomb, exchange = self.basis.matrix("Coulomb"), self.basis.matrix("exchange")
        by = [part.builder for part in parts.exchange]
        together = parts.coulomb in by
        parts.coulomb.build([density], coulomb, [exchange] if together else [])
        if by and not together:
            by[0].build([density], None, [exchange])
        whole = np.asarray(coulomb[...]), np.asarray(exchange[...])
        self.group.sync()
        return whole

    def get_j(
        self, mol: Any = None, dm: Any = None, hermi: int = 1, omega: float | None = None
    ) -> Any:
        """Give the Coulomb matrix: see `get_jk`. Collective."""
        return self.get_jk(mol, dm, hermi, with_k=False, omega=omega)[0]

    def get_k(
        self, mol: Any = None, dm: Any = None, hermi: int = 1, omega: float | None = None
    ) -> Any:
        """Give the exchange matrix: see `get_jk`. Collective."""
        return self.get_jk(mol, dm, hermi, with_j=False, omega=omega)[1]

    @collective
    def get_veff(
        self,
        mol: Any = None,
        dm: Any = None,
        dm_last: Any = None,
        vhf_last: Any = None,
        hermi: int = 1,
    ) -> Any:
        """Give the potential of the electrons, as PySCF does; `dm_last` saves no work. Collective.

        Of Kohn-Sham it has `ecoul` and `exc`, the energies of repulsion, and of exchange and
        correlation, hartree.
        """
        del dm_last, vhf_last
        given = np.asarray(self.make_rdm1() if dm is None else dm)
        n = self.basis.functions
        count = 2 if self.shared else self.spins
        if count == 2 and given.shape == (n, n):
            given = np.array([given / 2, given / 2])
        expected = (n, n) if count == 1 else (2, n, n)
        if given.shape != expected or not self.is_mine(mol) or not _is_symmetric(given):
            made = self.to_pyscf()
            return type(made).get_veff(made, mol or self.mol, given, hermi=hermi)
        effective = self._effective(given.reshape(count, n, n))
        focks = np.array([fock[...] for fock in effective.focks]) - self.integrals.core[...]
        self.group.sync()
        potential = focks.reshape(expected)
        if not self.method.endswith("KS"):
            return potential
        parts = effective.components
        exc = parts.get("exchange-correlation", 0.0) + parts.get("exchange", 0.0)
        return pyscf_wheel.tagged(potential, ecoul=parts["Coulomb"], exc=exc, vj=None, vk=None)

    def _effective(self, densities: NDArray[np.float64]) -> Effective:
        arrays = [Density(self._distributed(each.real)) for each in densities]
        parts = self.make_parts(self.make_xc(self.basis))  # type: ignore[call-arg]
        hamiltonian = Hamiltonian(self.basis, self.integrals, {}, parts, len(arrays))
        effective = hamiltonian.build(arrays)
        parts.close()
        return effective

    def _distributed(self, values: NDArray[np.float64]) -> Any:
        array = self.basis.matrix("density")
        for key, block in array.blocks():
            block[...] = values[key]
        self.group.sync()
        return array


def _is_symmetric(matrices: NDArray[Any]) -> bool:
    """Tell whether matrices, over the last two axes, are real and symmetric."""
    if matrices.ndim < 2 or (np.iscomplexobj(matrices) and np.any(matrices.imag)):
        return False
    largest = float(np.abs(matrices).max(initial=0.0))
    difference = np.abs(matrices - np.swapaxes(matrices, -1, -2)).max(initial=0.0)
    return bool(difference <= SYMMETRIC * largest)
