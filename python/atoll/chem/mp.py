"""MP2 under PySCF's names, for mean fields of PySCF's kind.

>>> from pyscf import gto, scf
>>> from atoll.chem import mp
>>> mol = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="cc-pvdz", verbose=0)
>>> round(mp.DFMP2(scf.RHF(mol).run()).run().e_corr, 5)
-0.02636
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import atoll
from atoll._agreement import collective, warn
from atoll.chem.correlation import orbitals, pair_densities, ri_mp2
from atoll.chem.correlation.given_orbitals import computed, with_orbitals
from atoll.chem.correlation.natural_orbitals import natural_orbitals
from atoll.chem.correlation.three_index import FittingSet, PairTensor
from atoll.chem.df import DF, settings_of
from atoll.chem.integrals import fitting_sets, pyscf_wheel
from atoll.chem.molecules.agreed import require_unchanged
from atoll.chem.pyscf_calls import modules
from atoll.chem.pyscf_calls.absent import refusal
from atoll.chem.pyscf_calls.of_correlation import CorrelationCalls, refuse_arguments
from atoll.chem.script_settings import Megabytes

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Self

    from atoll.chem.grad import SecondOrderGradients

__all__ = ["DFMP2", "MP2", "RMP2", "UMP2"]

__getattr__ = modules.stand_in(__name__)

MEMORY = 1 << 30
"""Bytes a rank."""


class DFMP2(CorrelationCalls, Megabytes):
    """MP2 with fitted integrals, restricted or unrestricted, on all ranks of a group.

    Args:
        mf: A converged mean field, as PySCF's `scf.RHF` and `scf.UHF`: `mol`, `mo_coeff`,
            `mo_energy`, `mo_occ` and `e_tot`; real orbitals, full or empty ones. Those of the
            group's rank 0 are used everywhere.
        frozen: So many lowest orbitals, or a list of orbitals, that are not correlated.
        auxbasis: Fitting set; none: as PySCF, that of `mf.with_df`, if it has one, else PySCF's
            choice for MP2 with the molecule's basis. An array is taken for `mo_coeff`, which is
            PySCF's third argument.
        mo_coeff, mo_occ: Orbitals in place of those of `mf`, canonical ones, and their electrons.
        memory: Bytes a rank for the three-index integrals and the work on them. If a rank's share
            of the integrals needs more than three quarters of it, they go to a disk array.
        scratch: A folder for that, seen by all ranks, or with "{node}" in its name one for each
            node; none: the first one of `ATOLL_SCRATCH`, which each node has.
        kohn_sham: Whether a Kohn-Sham mean field is taken: `e_corr_ss` and `e_corr_os` are then
            the second-order parts that double hybrids scale, and `e_tot` means nothing.
        group: Ranks that take part; none: the default group.

    Attributes:
        e_corr: Correlation energy in hartree, after `kernel` or `run`, on every rank.
        e_corr_ss: Its part of electrons of the same spin.
        e_corr_os: Its part of electrons of opposite spins.
        e_tot: Energy with that of the mean field.
        on_disk: Whether the integrals were on disk, after `kernel`.
        seconds_waited: What this rank has waited for the disk.

    """

    _without_effect: ClassVar[dict[str, tuple[Any, ...]]] = {
        "conv_tol": (1e-7,),  # of iterations that there are none of
        "conv_tol_normt": (1e-5,),
        "force_outcore": (False,),
        "level_shift": (0,),
        "max_cycle": (50,),
        "output": (None,),
        "t2": (None,),
    }
    _fixed = frozenset({"_scf"})
    # Of output that there is none of.
    verbose = 0
    stdout = None

    @collective
    def __init__(
        self,
        mf: Any,
        frozen: int | Sequence[int] | None = None,
        auxbasis: Any = None,
        mo_coeff: Any = None,
        mo_occ: Any = None,
        *,
        memory: int = MEMORY,
        scratch: str | os.PathLike[str] | None = None,
        kohn_sham: bool = False,
        group: atoll.Group | None = None,
    ) -> None:
        _check_memory(memory)
        computed(mf, "DFMP2")
        self._group = atoll.default_group() if group is None else group
        self.mol = mf.mol
        self._scf = mf
        self.frozen = frozen
        self.auxbasis = auxbasis
        self._fit = settings_of(getattr(mf, "with_df", None))
        self._own_fit: DF | None = None
        self.memory, self.scratch = memory, scratch
        self.on_disk: bool | None = None
        self.seconds_waited = 0.0
        self.e_corr: float | None = None
        self.e_corr_ss: float | None = None
        self.e_corr_os: float | None = None
        if isinstance(auxbasis, np.ndarray):
            self.auxbasis, mo_coeff = None, auxbasis
        mf = with_orbitals(mf, mo_coeff, mo_occ)
        self._has_own_orbitals = mf is not self._scf
        self._reference = orbitals.agreed(mf, self._group, "DFMP2", kohn_sham=kohn_sham)
        self._spins = self._reference.spins
        self._before = self.mol.copy()
        if not getattr(mf, "converged", True) and self._group.rank == 0:
            warn("mf has not converged")
        self._guard()

    def _counterpart(self) -> Any:
        return pyscf_wheel.class_of("pyscf.mp.dfmp2", "DFRMP2")

    @property
    def with_df(self) -> DF:
        """How integrals are fitted: the settings may be changed, or others put in their place."""
        if self._own_fit is None:
            chosen = fitting_sets.of_correlation(self.mol, self.auxbasis, self._fit)
            self._own_fit = DF(self.mol, chosen)
        return self._own_fit

    @with_df.setter
    def with_df(self, fit: Any) -> None:
        self._own_fit = settings_of(fit)

    def __enter__(self) -> Self:
        """Give this object, which holds nothing between its calls."""
        return self

    def __exit__(self, *reason: object) -> None:
        """Do nothing."""

    @collective
    def kernel(
        self, mo_energy: Any = None, mo_coeff: Any = None, eris: Any = None, with_t2: bool = False
    ) -> tuple[float, None]:
        """Compute the energies; give `e_corr`, and None for amplitudes, as PySCF. Collective.

        Arguments are PySCF's, and are not supported: amplitudes are not kept.
        """
        refuse_arguments(
            "DFMP2.kernel", mo_energy=mo_energy, mo_coeff=mo_coeff, eris=eris,
            with_t2=with_t2 or None,
        )  # fmt: skip
        with self._fitted() as spins:
            if self._spins == 1:
                energy = ri_mp2.restricted(spins[0], self.memory)
            else:
                energy = ri_mp2.unrestricted(spins[0], spins[1], self.memory)
        self.e_corr_ss, self.e_corr_os = energy
        self.e_corr = energy.total
        return self.e_corr, None

    @contextlib.contextmanager
    def _fitted(self, exchanged: bool = False) -> Iterator[list[ri_mp2.Spin]]:
        """Have B[Q, i, a] of each spin, on disk if the memory of a rank is too small.

        `exchanged`: with i and a in each other's place, and energies of opposite sign.
        """
        require_unchanged(self.mol, self._before, "DFMP2")
        spaces = [self._reference.correlated(spin, self.frozen) for spin in range(self._spins)]
        if exchanged:
            spaces = [orbitals.Correlated(c_v, -e_v, c_o, -e_o) for c_o, e_o, c_v, e_v in spaces]
        _check_memory(self.memory)
        auxiliary = fitting_sets.functions(self.mol, self._fitting_set())
        fitting = FittingSet(self.mol, auxiliary, self._group)
        ranks = self._group.size
        doubles = sum(-(-len(e_o) // ranks) * len(e_v) for _, e_o, _, e_v in spaces)
        share = 8 * fitting.functions * doubles
        self.on_disk = share > self.memory * 3 // 4  # the rest is for the work
        memory = self.memory if self.on_disk else self.memory - share
        spins: list[ri_mp2.Spin] = []
        try:
            for c_o, e_o, c_v, e_v in spaces:
                tensor = PairTensor(
                    fitting, c_o, c_v, memory, on_disk=self.on_disk, scratch=self.scratch
                )
                spins.append(ri_mp2.Spin(tensor, e_o, e_v))
            fitting.close()
            yield spins
        finally:
            self.seconds_waited = sum(spin.tensor.seconds_waited for spin in spins)
            for spin in spins:
                spin.tensor.close()

    @collective
    def make_rdm1(self, ao_repr: bool = False) -> NDArray[np.float64]:
        """Compute the density without orbital relaxation. Collective.

        Costs two or three times what the energy does.

        Args:
            ao_repr: Over basis functions, instead of the mean field's orbitals.

        Returns:
            Functions x functions, whole on every rank; unrestricted: two of them, alpha and beta.

        """
        virtual = self._pair_densities(exchanged=False)
        occupied = self._pair_densities(exchanged=True)
        densities = np.array([np.diag(n) for n in self._reference.occupations])
        for spin, density in enumerate(densities):
            active = self._reference.active(spin, self.frozen)
            full = self._reference.occupations[spin] > 0
            density[np.ix_(active & full, active & full)] -= occupied[spin]
            density[np.ix_(active & ~full, active & ~full)] += virtual[spin]
        if ao_repr:
            c = self._reference.coefficients
            densities = c @ densities @ c.transpose(0, 2, 1)
        return densities[0] if self._spins == 1 else densities

    def _pair_densities(self, exchanged: bool) -> tuple[NDArray[np.float64], ...]:
        with self._fitted(exchanged) as spins:
            if self._spins == 1:
                return (pair_densities.restricted_density(spins[0], self.memory),)
            return pair_densities.unrestricted_densities(spins[0], spins[1], self.memory)

    @collective
    def make_natorbs(
        self, rdm1_mo: NDArray[np.float64] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give natural occupations, descending, and orbitals (functions x orbitals). Collective.

        Args:
            rdm1_mo: What `make_rdm1()` gave, if it is there.

        Raises:
            NotImplementedError: The mean field is unrestricted.

        """
        if self._spins == 2:
            raise NotImplementedError("make_natorbs of an unrestricted mean field")
        density = self.make_rdm1() if rdm1_mo is None else np.asarray(rdm1_mo)
        return natural_orbitals(density, self._reference.coefficients[0], self._group)

    def nuc_grad_method(self, opposite: float = 1.0, same: float = 1.0) -> SecondOrderGradients:
        """Give what computes the gradient; shares of the correlation scale it by spins.

        Raises NotImplementedError for mean fields that are not Hartree-Fock of `atoll.chem`, for
        orbitals in place of theirs, and for frozen orbitals other than the lowest.
        """
        from atoll.chem.grad import SecondOrderGradients

        if self._has_own_orbitals:
            raise refusal("the gradient with orbitals of one's own")
        return SecondOrderGradients(
            self._scf, self.frozen, self._fitting_set(), memory=self.memory, opposite=opposite,
            same=same,
        )  # fmt: skip

    Gradients = nuc_grad_method

    @property
    def e_tot(self) -> float:
        """Energy in hartree, with that of the mean field."""
        return self._reference.energy + self._computed().total

    @property
    def e_tot_scs(self) -> float:
        """The same, spin-component scaled."""
        return self._reference.energy + self._computed().scaled

    @property
    def emp2(self) -> float | None:
        """PySCF's name of `e_corr`."""
        return self.e_corr

    def _fitting_set(self) -> Any:
        own = self._own_fit
        if own is not None:
            return fitting_sets.of_correlation(self.mol, None, own)
        return fitting_sets.of_correlation(self.mol, self.auxbasis, self._fit)

    def _computed(self) -> ri_mp2.Energy:
        if self.e_corr_ss is None or self.e_corr_os is None:
            raise RuntimeError("the energy has not been computed yet: call kernel() or run()")
        return ri_mp2.Energy(self.e_corr_ss, self.e_corr_os)


def MP2(  # noqa: N802  # PySCF's name
    mf: Any, frozen: Any = None, mo_coeff: Any = None, mo_occ: Any = None, **options: Any
) -> DFMP2:
    """Make MP2 of a mean field whose integrals are fitted, as PySCF does: `DFMP2`. Collective.

    Raises NotImplementedError where they are not: MP2 with exact integrals is not here.
    """
    if getattr(mf, "with_df", None) is None:
        raise refusal("MP2 with exact integrals", "mp.DFMP2 is here, with fitted ones")
    return DFMP2(mf, frozen, None, mo_coeff, mo_occ, **options)


RMP2 = UMP2 = MP2


def _check_memory(memory: Any) -> None:
    if not isinstance(memory, int) or memory < 1:
        raise ValueError(f"memory is {memory!r}, expected a number of bytes above zero")
