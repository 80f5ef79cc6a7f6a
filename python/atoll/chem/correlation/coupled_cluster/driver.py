"""What a coupled-cluster calculation is set up with and tells, whatever the shells."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import atoll
from atoll._agreement import collective, warn
from atoll._stop import stop_point
from atoll.chem.correlation.coupled_cluster import diagnostics, ladder_choice
from atoll.chem.correlation.coupled_cluster.ladder_choice import LadderChoice
from atoll.chem.correlation.coupled_cluster.solver import Tolerances
from atoll.chem.correlation.coupled_cluster.triples_methods import TriplesOptions
from atoll.chem.correlation.given_orbitals import computed, with_orbitals
from atoll.chem.correlation.mean_field_hamiltonian import hamiltonian_of
from atoll.chem.df import settings_of
from atoll.chem.guarded import NotSupportedError
from atoll.chem.integrals.scratch import free_space
from atoll.chem.molecules.agreed import agree_on_settings, require_unchanged
from atoll.chem.pyscf_calls.of_correlation import CoupledClusterCalls
from atoll.chem.script_settings import Megabytes, Printed

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from atoll.chem.correlation.coupled_cluster.solver import Iteration
    from atoll.chem.correlation.coupled_cluster.storage import Storage
    from atoll.chem.correlation.orbitals import Reference

MEMORY = 1 << 30
"""Bytes a rank."""
DIIS_SPACE = 6
SAME_ENERGY = 1e-9
"""Energies of the same amplitudes differ by less, hartree, where the integrals are the same."""


class Integrals(Protocol):
    """What a driver knows of those that it has computed."""

    def close(self) -> None:
        """Free them. Collective."""


class Driver(CoupledClusterCalls, TriplesOptions, Megabytes, Printed):
    """Settings, results and messages of `CCSD` and `UCCSD`, which tell of them.

    `reference_of(mf, group, caller)` gives the orbitals of a mean field on all ranks.
    """

    _name = "coupled cluster"
    _without_effect: ClassVar[dict[str, tuple[Any, ...]]] = {
        "callback": (None,),
        "cc2": (False,),
        "chkfile": (None,),
        "diis_file": (None,),
        "diis_start_cycle": (0,),
        "diis_start_energy_diff": (1e9,),
        "incore_complete": (False, True),
        "iterative_damping": (1.0,),
        "level_shift": (0,),
        "output": (None,),
    }
    _fixed = frozenset({"_scf"})
    _integrals: Integrals | None
    t1: Any
    t2: Any
    async_io = True
    """Whether disks are read beside the work: they always are."""

    def __init__(
        self,
        mf: Any,
        reference_of: Callable[[Any, atoll.Group, str], Reference],
        frozen: int | Sequence[Any] | None,
        memory: int,
        ladder: str,
        scratch: str | os.PathLike[str] | None,
        group: atoll.Group | None,
        mo_coeff: Any = None,
        mo_occ: Any = None,
    ) -> None:
        if not isinstance(memory, int) or memory < 1:
            raise ValueError(f"memory is {memory!r}, expected a number of bytes above zero")
        computed(mf, self._name)
        self._fit = settings_of(getattr(mf, "with_df", None))
        if self._fit is not None and getattr(mf, "only_dfj", False):
            raise NotImplementedError(
                f"{self._name} of a mean field whose exchange is not fitted (mf.only_dfj)"
            )
        ladder_choice.checked(ladder, mf.mol, self._fit)
        self._group = atoll.default_group() if group is None else group
        self._scf = mf
        mf = with_orbitals(mf, mo_coeff, mo_occ)
        self._reference = reference_of(mf, self._group, self._name)
        self._hamiltonian = hamiltonian_of(mf, self._group, self._name)
        self._core = self._hamiltonian.core
        if not getattr(mf, "converged", True) and self._group.rank == 0:
            warn("mf has not converged")
        self.mol, self._before = mf.mol, mf.mol.copy()
        self.frozen = frozen
        self.memory, self.ladder, self.scratch = memory, ladder, scratch
        self.conv_tol, self.conv_tol_normt = 1e-7, 1e-5
        self.max_cycle, self.diis_space = 50, DIIS_SPACE
        self.checkpoint: str | os.PathLike[str] | None = None
        self.restart_from: str | os.PathLike[str] | None = None
        self.verbose = int(getattr(mf.mol, "verbose", 0))
        self.observer: Callable[[Iteration], None] | None = None
        self._diis = True
        self.e_corr: float | None = None
        self.converged = False
        self.iterations: list[Iteration] = []
        self.storage: Storage | None = None
        self.seconds = {"integrals": 0.0, "iterations": 0.0}
        self.seconds_waited = 0.0

    def _require_unchanged(self) -> None:
        require_unchanged(self.mol, self._before, self._name)

    def _second_order(self, tolerances: Tolerances, given: tuple[Any, Any]) -> Tolerances:
        """Have amplitudes of first order, made anew, that no iteration changes."""
        if any(amplitudes is not None for amplitudes in given):
            raise ValueError("t1 and t2 were given with mbpt2, which makes them anew")
        if self.restart_from is not None:
            raise ValueError(f"restart_from is {self.restart_from!r}, expected None with mbpt2")
        self.t1 = self.t2 = None
        return dataclasses.replace(tolerances, iterations=0)

    @property
    def cycles(self) -> int:
        """Iterations of the amplitudes."""
        return len(self.iterations)

    def get_t1_diagnostic(self) -> float:
        """Give `t1_diagnostic`."""
        return self.t1_diagnostic

    def get_d1_diagnostic(self) -> float:
        """Give `d1_diagnostic`."""
        return self.d1_diagnostic

    @property
    def e_tot(self) -> float:
        """Energy in hartree, with that of the mean field."""
        if self.e_corr is None:
            raise RuntimeError("the energy has not been computed yet: call kernel() or run()")
        return self._hamiltonian.energy + self.e_corr

    @property
    def e_hf(self) -> float:
        """Energy of the determinant, hartree."""
        return self._hamiltonian.energy

    @property
    def diis(self) -> bool:
        """Whether DIIS is on; off is as a `diis_space` of 0."""
        return self._diis

    @diis.setter
    def diis(self, value: bool) -> None:
        if value not in (True, False):
            raise NotSupportedError(f"diis is {value!r}, expected True or False")
        self._diis = bool(value)

    @property
    def direct(self) -> bool:
        """Whether integrals of four virtual orbitals are computed anew, as `ladder` says."""
        return self.ladder == "direct"

    @direct.setter
    def direct(self, value: bool) -> None:
        if value:
            self.ladder = "direct"
        elif self.ladder == "direct":
            self.ladder = "auto"

    @collective
    def close(self) -> None:
        """Free the integrals, which stay for who goes on from here. Collective."""
        if self._integrals is not None:
            self._integrals.close()
            self._integrals = None

    @property
    def _diis_length(self) -> int:
        return self.diis_space if self._diis else 0

    @property
    def t1_diagnostic(self) -> float:
        """Length of the single amplitudes by electron."""
        raise NotImplementedError

    @property
    def d1_diagnostic(self) -> float:
        """Largest singular value of the single amplitudes."""
        raise NotImplementedError

    def _tolerances(self) -> Tolerances:
        """Give them, the same on all ranks, as are the other settings. Collective."""
        for name in ("conv_tol", "conv_tol_normt"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected more than 0")
        for name, least in (("max_cycle", 0), ("diis_space", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise ValueError(f"{name} is {value!r}, expected an integer from {least} on")
        tolerances = Tolerances(self.conv_tol, self.conv_tol_normt, self.max_cycle)
        facts = tolerances, self._diis_length, self.memory, self.ladder
        agree_on_settings(self._group, self._name, facts)
        return tolerances

    def _ladder_choice(self) -> LadderChoice:
        """Give what is asked for and what there is. Collective."""
        wanted = ladder_choice.checked(self.ladder, self.mol, self._fit)
        direct = ladder_choice.can_be_direct(self.mol, self._fit)
        functions = int(self.mol.nao_nr()) if direct else 0
        return LadderChoice(wanted, functions, free_space(self._group, self.scratch))

    def _tell_storage(self, plan: Storage) -> None:
        """Say where integrals of four virtual orbitals come from."""
        if self.verbose >= 3 and self._group.rank == 0:
            print(
                f"{self._name}: integrals of four virtual orbitals {plan.text()}",
                file=self.stdout,
                flush=True,
            )

    def _after(
        self,
        save: Callable[[str | os.PathLike[str], Iteration], None],
        iteration: Iteration,
        last: bool,
    ) -> None:
        """Save, where that is wanted, and tell what an iteration came to."""
        if self.checkpoint is not None:
            save(self.checkpoint, iteration)
        self._announce(iteration, last=last)
        if not last:
            stop_point(self._group, saved=self.checkpoint is not None)

    def _announce(self, iteration: Iteration, *, last: bool) -> None:
        """Tell what an iteration came to."""
        if self.observer is not None:
            self.observer(iteration)
        if self.verbose >= 4 and self._group.rank == 0:
            print(
                f"cycle = {iteration.number}  E_corr({self._name}) = {iteration.energy:.15g}  "
                f"dE = {iteration.change:.9g}  norm(t1,t2) = {iteration.step:.6g}"
                f"{'  converged' if last else ''}",
                file=self.stdout,
                flush=True,
            )

    def _tell(self) -> None:
        """Print the result, and warn of what is doubtful."""
        concern = diagnostics.concern(self.t1_diagnostic, self.d1_diagnostic)
        if self._group.rank != 0:
            return
        if self.verbose >= 3:
            print(
                f"E({self._name}) = {self.e_tot:.15g}  E_corr = {self.e_corr:.15g}",
                file=self.stdout,
                flush=True,
            )
        if not self.converged:
            warn(f"{self._name} has not converged in {len(self.iterations)} iterations")
        if concern:
            warn(f"{self._name}: {concern}")
