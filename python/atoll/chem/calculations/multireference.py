"""Multireference configuration interaction.

The energy is that of the lowest state found with the multiplicity that is asked for by `spin`.
"""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem import mrci
from atoll.chem.calculations import restarts, unconverged
from atoll.chem.calculations.calculation import UNCORRELATED, Needs, Outcome, readable
from atoll.chem.calculations.mean_fields import outcome_of, title_of
from atoll.chem.correlation.multireference.reference import make_reference
from atoll.chem.correlation.multireference.space import count_determinants
from atoll.chem.correlation.same_problem import OtherCalculationError
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import InputError
from atoll.chem.molecules.options import active_space
from atoll.chem.properties.summary import properties_of

if TYPE_CHECKING:
    import atoll
    from atoll.chem.grad import Gradients
    from atoll.chem.integrals.fitting_sets import Fit
    from atoll.chem.molecules.options import Options
    from atoll.chem.self_consistency.mean_field import MeanField

SAME_MULTIPLICITY = 0.1
"""How far 2 S + 1 of a state may be from a whole number; more: states of equal energy are mixed."""


class MultiReference:
    """Single and double excitations from a complete active space of Hartree-Fock orbitals."""

    correlated = True
    method = "mrci"

    def __init__(self, mean_field: MeanField, options: Options) -> None:
        """Check the active space. Raises InputError for one that the molecule has not."""
        self.mean_field = mean_field
        self.fits: list[Fit] = []
        if not options.active:
            raise InputError("method 'mrci' needs active: ELECTRONS,ORBITALS, as 6,6; 0,0 for CISD")
        self.active = active_space(options.active)
        self.frozen = pyscf_wheel.core_orbitals(mean_field.mol) if options.frozen_core else 0
        any_orbitals = SimpleNamespace(mol=mean_field.mol, mo_coeff=np.eye(mean_field.mol.nao_nr()))
        try:
            reference = make_reference(any_orbitals, self.active, self.frozen)
        except ValueError as error:
            raise InputError(str(error)) from None
        self.determinants = count_determinants(reference.orbitals, reference.electrons)
        if options.roots > self.determinants:
            raise InputError(f"roots is {options.roots}, there are {self.determinants} states")
        self.title = f"MRCI ({options.active}) upon {title_of(mean_field, options, 'HF')}"
        self._options = options

    def run(self) -> Outcome:
        """Compute. Collective."""
        started = time.perf_counter()
        restarts.go_on(self.mean_field, self._options)
        self.mean_field.kernel()
        reference = outcome_of(self.mean_field, time.perf_counter() - started)
        if not reference.converged:
            return reference
        started = time.perf_counter()
        states = self._states()
        found = states.summary()
        wanted = int(self.mean_field.mol.spin) + 1
        number, missing = _of_multiplicity(wanted, found)
        energy = float("nan") if number is None else found[number - 1]["energy"]
        components = dict(reference.components)
        if number is not None:
            components["correlation"] = energy - reference.energy
        facts: dict[str, Any] = {
            **reference.facts,
            "reference_energy": reference.energy,
            "correlation_energy": components.get("correlation"),
            "multiplicity": wanted,
            "state": number,
            "frozen_orbitals": self.frozen,
            "determinants": states.determinants,
            "vector_iterations": len(states.iterations),
            "states": found,
        }
        for each, state in enumerate(found, 1):
            facts[f"state {each}"] = (
                f"{state['energy']:23.12f} hartree, multiplicity {state['multiplicity']:.3f}, "
                f"reference {state['reference_weight']:.3f}, +Q {state['energy_q']:.8f}"
            )
        seconds = {**reference.seconds, "configurations": time.perf_counter() - started}
        left = unconverged.of_states(states)
        return Outcome(
            states.converged, energy, components, seconds, reference.within, facts, left, missing
        )

    def _states(self) -> mrci.MRCI:
        """Compute them, from the vectors of an earlier run where there are some of these."""
        options, group = self._options, self.mean_field.group
        states = mrci.MRCI(
            self.mean_field,
            self.active,
            options.roots,
            self.frozen,
            memory=options.memory_or_default,
            scratch=options.scratch or None,
            conv_tol=options.convergence,
            max_cycle=options.max_iterations,
            group=group,
        )
        states.checkpoint = options.chkfile + restarts.VECTORS if options.chkfile else None
        states.restart_from = restarts.begun(options, restarts.VECTORS, group)
        try:
            return states.run()
        except OtherCalculationError as error:
            restarts.tell(self.mean_field, f"{error}: begun anew")
            states.restart_from = None
            return states.run()

    def gradients(self) -> Gradients:
        """Raise InputError: there are none."""
        raise InputError(f"method '{self.method}' has no gradient here")

    def needs(self, group: atoll.Group) -> Needs:
        """Estimate vectors."""
        vector = 8.0 * self.determinants
        vectors = mrci.most_vectors(self._options.roots)
        fits = vectors * vector / group.size <= self._options.memory_or_default / 2
        return Needs(
            (
                f"{self.determinants:,} determinants",
                f"{readable(vector)} a vector over all ranks, at most {vectors} of them",
            ),
            0.0 if fits else vectors * vector,
        )

    def properties(self) -> dict[str, Any]:
        """Give those of the mean field, and say so. Collective."""
        return {"density": UNCORRELATED, **properties_of(self.mean_field)}


def _of_multiplicity(wanted: int, states: list[dict[str, float]]) -> tuple[int | None, str]:
    """Give the number, from 1, of the lowest state of a multiplicity, or else why there is none."""
    for number, state in enumerate(states, 1):
        if abs(state["multiplicity"] - wanted) < SAME_MULTIPLICITY:
            return number, ""
    found = ", ".join(f"{state['multiplicity']:.3f}" for state in states)
    lowest = "the lowest state has multiplicity"
    if len(states) > 1:
        lowest = f"the {len(states)} lowest states have multiplicities"
    return None, f"none: {lowest} {found}, and spin asks for {wanted}; --roots N looks for more"
