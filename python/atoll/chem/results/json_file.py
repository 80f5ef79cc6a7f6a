"""The result of a calculation as JSON; docs/chemistry.md describes the fields."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import atoll
from atoll.chem.results.frontier import frontier_levels
from atoll.chem.results.whole_file import whole_file
from atoll.chem.self_consistency import saddles

if TYPE_CHECKING:
    from atoll.chem.calculations.calculation import Calculation, Outcome
    from atoll.chem.molecules import Molecule


def as_json(
    molecule: Molecule, calculation: Calculation, outcome: Outcome, group: atoll.Group
) -> dict[str, Any]:
    """Give the fields of a result; those of the run are `Reporter.fields`. Not collective."""
    field = calculation.mean_field
    solution = field.solution
    assert solution is not None
    assert field.mo_energy is not None
    assert field.mo_occ is not None
    return {
        "method": calculation.method,
        "title": calculation.title,
        "converged": outcome.converged,
        "energy": None if outcome.missing else outcome.energy,
        "unconverged": outcome.unconverged.fields() if outcome.unconverged else None,
        "components": outcome.components,
        "molecule": {
            "name": molecule.name,
            "symbols": list(molecule.symbols),
            "positions_angstrom": molecule.positions.tolist(),
            "charge": molecule.charge,
            "spin": molecule.spin,
            "electrons": molecule.electrons,
            "basis": molecule.basis,
            "core_potentials": list(molecule.cores),
            "functions": molecule.functions,
            "dependent_functions_removed": field.orthonormal.removed,
        },
        "fitting_sets": [
            {"of": fit.of, "set": fit.text, "functions": fit.functions} for fit in calculation.fits
        ],
        "frontier_levels": frontier_levels(field),
        "orbital_energies": field.mo_energy.tolist(),
        "occupations": field.mo_occ.tolist(),
        "iterations": [
            {
                "number": iteration.number,
                "energy": iteration.energy,
                "energy_change": iteration.change if iteration.number > 1 else None,
                "diis_error": iteration.error,
                "seconds": iteration.seconds,
                "tasks": iteration.effective.statistics.tasks,
                "shell_quartets": iteration.effective.statistics.quartets,
                "load_balance": iteration.effective.statistics.efficiency,
            }
            for iteration in solution.iterations
        ],
        **saddles.fields(solution.curvature, solution.saddles_left),
        **outcome.facts,
        "ranks": group.size,
        "nodes": group.nodes,
        "seconds": outcome.seconds,
        "seconds_within": outcome.within,
    }


def write(file: str, fields: dict[str, Any]) -> None:
    """Write the fields in place of what the file held, which stays until this is complete."""
    with whole_file(file) as text:
        json.dump(fields, text, indent=1)
        text.write("\n")
