"""CCSD and CCSD(T)."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem import cc
from atoll.chem.calculations import fits, restarts, unconverged
from atoll.chem.calculations.calculation import Needs, Outcome, readable
from atoll.chem.calculations.mean_fields import is_unrestricted, outcome_of, title_of
from atoll.chem.correlation.coupled_cluster.ladder_choice import LadderChoice
from atoll.chem.correlation.coupled_cluster.storage import storage
from atoll.chem.correlation.open_shell.storage import storage as open_shell_storage
from atoll.chem.correlation.same_problem import OtherCalculationError
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import InputError
from atoll.chem.properties.given_density import GivenDensity
from atoll.chem.properties.summary import properties_of
from atoll.chem.results.report import Reporter

if TYPE_CHECKING:
    import atoll
    from atoll.chem.correlation.coupled_cluster.triples_result import Triples
    from atoll.chem.grad import Gradients
    from atoll.chem.molecules.options import Options
    from atoll.chem.self_consistency.mean_field import MeanField


class CoupledCluster:
    """Coupled cluster upon Hartree-Fock, restricted or not."""

    correlated = True

    def __init__(self, mean_field: MeanField, options: Options, name: str) -> None:
        self.mean_field = mean_field
        self.method = name
        self.title = f"{name.upper()} upon {title_of(mean_field, options, name)}"
        self.fits = fits.fits_of(mean_field, options, "all integrals")
        self._options = options
        self._with_triples = name == "ccsd(t)"
        self._computed: cc.RCCSD | cc.UCCSD | None = None

    def run(self) -> Outcome:
        """Compute. Collective."""
        started = time.perf_counter()
        restarts.go_on(self.mean_field, self._options)
        self.mean_field.kernel()
        reference = outcome_of(self.mean_field, time.perf_counter() - started)
        if not reference.converged:
            return reference
        correlation = self._computed = self._configured()
        try:
            correlation.kernel()
            triples = self._triples(correlation)
        finally:
            correlation.close()
        assert correlation.e_corr is not None
        components = {**reference.components, "CCSD correlation": correlation.e_corr}
        if triples is not None:
            components["(T)"] = triples
        count = len(correlation.iterations)
        t1, d1 = correlation.t1_diagnostic, correlation.d1_diagnostic
        came = "converged in" if correlation.converged else "NOT CONVERGED after"
        plan = correlation.storage
        taken = correlation.converged and count == 0 and correlation.restart_from is not None
        how = "those of the checkpoint" if taken else f"{came} {count} iterations"
        return Outcome(
            converged=correlation.converged,
            energy=sum(components.values()),
            components=components,
            seconds={
                **reference.seconds,
                "integrals of orbitals": correlation.seconds["integrals"],
                "amplitudes": correlation.seconds["iterations"],
                **({"triples": correlation.triples.elapsed} if correlation.triples else {}),
            },
            within=reference.within,
            facts={
                **reference.facts,
                **({"ladder": plan.text()} if plan and not taken else {}),
                "amplitudes": f"{how}; T1 {t1:.4f}, D1 {d1:.4f}",
                "reference_energy": reference.energy,
                "correlation_energy": correlation.e_corr + (triples or 0.0),
                **_facts_of(correlation.triples),
                "frozen_orbitals": correlation.frozen,
                "amplitude_iterations": count,
                "t1_diagnostic": t1,
                "d1_diagnostic": d1,
            },
            unconverged=unconverged.of_amplitudes(correlation),
        )

    def _triples(self, correlation: cc.RCCSD | cc.UCCSD) -> float | None:
        """Give (T), where it is asked for and the amplitudes are good for it."""
        if not (self._with_triples and correlation.converged):
            return None
        try:
            return self._triples_gone_on_with(correlation)
        except ValueError as error:  # too little memory, orbitals that are not canonical
            raise InputError(str(error)) from None

    def _triples_gone_on_with(self, correlation: cc.RCCSD | cc.UCCSD) -> float:
        """Give (T), anew where what was saved is of other amplitudes."""
        folder = self._options.chkfile + restarts.TRIPLES
        try:
            return correlation.ccsd_t()
        except OtherCalculationError:
            text = f"{folder} is of other amplitudes or integrals: (T) is begun anew"
            restarts.tell(self.mean_field, text)
        restarts.remove(folder, self.mean_field.group)
        return correlation.ccsd_t()

    def gradients(self) -> Gradients:
        """Raise InputError: there are none."""
        raise InputError(f"method '{self.method}' has no gradient here")

    def needs(self, group: atoll.Group) -> Needs:
        """Estimate amplitudes and integrals."""
        occupied, virtual = self._orbitals()
        memory, space = self._options.memory_or_default, cc.DIIS_SPACE
        choice = LadderChoice(self._options.ladder, int(self.mean_field.mol.nao_nr()))
        if len(occupied) == 1:
            found = storage(group, occupied[0], virtual[0], space, memory, choice)
            pairs = occupied[0] ** 2 * virtual[0] ** 4 / 2
        else:
            both = [s for s in (0, 1) if occupied[s] * virtual[s] > 0]
            held_by = {s: occupied[s] for s in both}, {s: virtual[s] for s in both}
            found = open_shell_storage(group, *held_by, space, memory, choice)
            same = sum((occupied[s] * virtual[s] ** 2) ** 2 / 8 for s in both)
            pairs = 2 * (same + math.prod(occupied) * math.prod(virtual) ** 2)
        disk = found.ladder * found.ladder_on_disk + found.diis * found.diis_on_disk
        held = found.fixed + found.ladder + found.diis - disk
        size = sum(o * v for o, v in zip(occupied, virtual, strict=True))
        work = pairs + 8 * size**3
        lines = [
            f"{_by_spin(occupied)} occupied and {_by_spin(virtual)} virtual orbitals",
            f"{readable(held)} of memory a rank",
            f"integrals of four virtual orbitals {found.text()}",
            f"{work:.2e} operations an iteration",
        ]
        if self._with_triples:
            o, v = max(occupied), max(virtual)  # open shells: of that order
            lines.append(f"{2.0 * (o * v) ** 3 * (o + v):.2e} operations for (T)")
        return Needs(tuple(lines), float(disk * group.size))

    def properties(self) -> dict[str, Any] | None:
        """Give those of the correlated density, after solving for the multipliers. Collective."""
        correlation = self._computed
        if correlation is None:
            return None
        assert isinstance(correlation, cc.RCCSD)
        try:
            density = correlation.make_rdm1()
        finally:
            correlation.close()
        over_functions = correlation.make_rdm1(ao_repr=True)
        given = GivenDensity(self.mean_field.mol, over_functions, self.mean_field.group)
        without = " without triples" if self._with_triples else ""
        return {
            "density": f"of CCSD{without}, orbitals not relaxed",
            "converged_lambda": correlation.converged_lambda,
            "natural_occupations": np.linalg.eigvalsh(density)[::-1].tolist(),
            **properties_of(given),
        }

    def _orbitals(self) -> tuple[list[int], list[int]]:
        """Give the numbers of correlated orbitals: of all, or of each spin."""
        mole = self.mean_field.mol
        spins = 2 if is_unrestricted(mole, self._options) else 1
        electrons = [int(count) for count in mole.nelec][:spins]
        frozen, functions = self._frozen(), int(mole.nao_nr())
        occupied = [max(0, count - frozen) for count in electrons]
        return occupied, [functions - max(count, frozen) for count in electrons]

    def _frozen(self) -> int:
        return pyscf_wheel.core_orbitals(self.mean_field.mol) if self._options.frozen_core else 0

    def _configured(self) -> cc.RCCSD | cc.UCCSD:
        options = self._options
        correlation = cc.CCSD(
            self.mean_field,
            self._frozen(),
            memory=options.memory_or_default,
            ladder=options.ladder,
            scratch=options.scratch or None,
            group=self.mean_field.group,
        )
        correlation.verbose = 0
        correlation.conv_tol = options.convergence
        correlation.conv_tol_normt = 1e2 * options.convergence
        correlation.max_cycle = options.max_iterations
        if options.chkfile:
            correlation.checkpoint = options.chkfile + restarts.AMPLITUDES
            correlation.triples_checkpoint = options.chkfile + restarts.TRIPLES
        correlation.triples_interval = options.checkpoint_interval
        group = self.mean_field.group
        correlation.restart_from = restarts.begun(options, restarts.AMPLITUDES, group)
        observer = self.mean_field.observer
        if isinstance(observer, Reporter):
            correlation.observer = observer.amplitudes
            correlation.triples_observer = observer.triples
        return correlation


def _facts_of(triples: Triples | None) -> dict[str, Any]:
    """Tell what is to be told of (T)."""
    if triples is None:
        return {}
    told = f"{triples.tasks} tasks"
    if triples.resumed > 0:
        told += f", {triples.resumed} of them done before"
    return {
        "triples": told,
        "bracket_triples": triples.bracket,
        "triples_tasks": triples.tasks,
        "triples_tasks_done_before": triples.resumed,
    }


def _by_spin(counts: list[int]) -> str:
    return " + ".join(str(count) for count in counts)
