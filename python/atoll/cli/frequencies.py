"""`atoll frequencies`: the harmonic vibrations of a molecule."""

from __future__ import annotations

import textwrap
import warnings
from typing import TYPE_CHECKING, Any

from atoll.cli import chemistry

if TYPE_CHECKING:
    import argparse

    import atoll
    from atoll.chem.molecules import Molecule
    from atoll.chem.molecules.options import Options


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "frequencies",
        help="harmonic vibrations of a molecule",
        description="Harmonic vibrations of a molecule at a minimum of its energy, from "
        "gradients at displaced geometries, which groups of ranks compute side by side.",
        epilog="examples:\n"
        "  mpiexec -n 4 atoll frequencies best.xyz --method pbe --basis def2-svp\n"
        "options as of atoll energy\n"
        "exit status: 0 done, 1 not converged, 2 wrong input, 75 stopped in time",
    )
    chemistry.add_options(parser, with_ghosts=False)
    chemistry.add_json(parser, "-o")
    parser.add_argument(
        "--ranks-per-geometry", metavar="N", default="1", help="that compute one together (1)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, world: atoll.Group) -> int:
    """Compute and report; returns the exit status, equal on all ranks. Collective."""
    return chemistry.run("frequencies", arguments, world, _frequencies)


def _frequencies(
    molecule: Molecule, options: Options, arguments: argparse.Namespace, world: atoll.Group
) -> int:
    from atoll.chem.geometry.frequencies import frequencies, not_stationary
    from atoll.chem.geometry.ghosts import refuse_ghosts
    from atoll.chem.molecules import InputError
    from atoll.chem.molecules import options as known
    from atoll.chem.results import json_file
    from atoll.chem.results.report import say

    ranks = known.of_text("ranks_per_geometry", "int", arguments.ranks_per_geometry)
    if not 1 <= ranks <= world.size:
        raise InputError(f"ranks-per-geometry is {ranks}, expected 1 to {world.size}")
    calculation = chemistry.calculation_of(molecule.mole, options, world, "frequencies")
    refuse_ghosts(molecule.mole, "frequencies")
    gradients = calculation.gradients()
    reporter = chemistry.reporter_of(calculation, molecule, world)
    outcome = calculation.run()
    if reporter:
        reporter.result(calculation, outcome)
    fields = json_file.as_json(molecule, calculation, outcome, world)
    if not outcome.converged:
        chemistry.write_json(arguments.json, reporter, fields, world)
        return chemistry.NOT_CONVERGED
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the geometry is not stationary")  # the report says it
        found = frequencies(
            gradients, ranks_per_geometry=ranks, callback=reporter.tasks if reporter else None
        )
    fields["largest_force"] = found.largest_force
    fields["stationary"] = found.is_stationary
    fields["wavenumbers"] = found.wavenumbers.tolist()
    fields["zero_point_energy"] = found.zero_point_energy
    if reporter:
        reporter.end_of_tasks()
        say()
        if not found.is_stationary:
            text = f"WARNING: {not_stationary(found)}"
            say(textwrap.fill(text, 96, subsequent_indent="  "))
        say(f"  {'largest force':<22}{found.largest_force:23.3e} hartree/bohr")
        say("  vibrations in 1/cm (imaginary ones are negative)")
        for number, wave in enumerate(found.wavenumbers, 1):
            say(f"  {number:5d} {wave:12.2f}")
        say(f"  {'zero-point energy':<22}{found.zero_point_energy:23.12f} hartree")
    chemistry.write_json(arguments.json, reporter, fields, world)
    return 0
