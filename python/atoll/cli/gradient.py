"""`atoll gradient`: the forces on the atoms of a molecule."""

from __future__ import annotations

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
        "gradient",
        help="energy of a molecule and its derivative by the positions of the atoms",
        description="Energy of a molecule, and its derivative by the positions of the atoms in "
        "hartree/bohr, computed by all ranks: Hartree-Fock, density functionals, RI-MP2.",
        epilog="examples:\n"
        "  mpiexec -n 4 atoll gradient water.xyz --method b3lyp --basis def2-svp\n"
        "options as of atoll energy\n"
        "exit status: 0 converged, 1 not converged, 2 wrong input, 75 stopped in time",
    )
    chemistry.add_options(parser)
    chemistry.add_json(parser, "-o")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, world: atoll.Group) -> int:
    """Compute and report; returns the exit status, equal on all ranks. Collective."""
    return chemistry.run("gradient", arguments, world, _gradient)


def _gradient(
    molecule: Molecule, options: Options, arguments: argparse.Namespace, world: atoll.Group
) -> int:
    from atoll.chem.geometry.forces import largest_force
    from atoll.chem.results import json_file
    from atoll.chem.results.report import say

    calculation = chemistry.calculation_of(molecule.mole, options, world, "gradient")
    gradient = calculation.gradients()
    reporter = chemistry.reporter_of(calculation, molecule, world)
    outcome = calculation.run()
    if reporter:
        reporter.result(calculation, outcome)
    fields = json_file.as_json(molecule, calculation, outcome, world)
    if not outcome.converged:
        chemistry.write_json(arguments.json, reporter, fields, world)
        return chemistry.NOT_CONVERGED
    gradient.verbose = 0
    found = gradient.kernel()
    fields["gradient"] = found.tolist()
    fields["largest_force"] = largest_force(found)
    if reporter:
        say()
        say("  gradient in hartree/bohr")
        for number, (symbol, (x, y, z)) in enumerate(zip(molecule.symbols, found, strict=True), 1):
            say(f"  {number:5d} {symbol:<3}{x:18.10f}{y:18.10f}{z:18.10f}")
        say(f"  {'largest force':<22}{largest_force(found):23.3e} hartree/bohr")
    chemistry.write_json(arguments.json, reporter, fields, world)
    return 0
