"""`atoll energy`: the energy of a molecule by any method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll.cli import chemistry

if TYPE_CHECKING:
    import argparse

    import atoll
    from atoll.chem.molecules import Molecule
    from atoll.chem.molecules.options import Options

_EXAMPLES = """\
examples:
  atoll energy water.xyz --basis cc-pvdz
  mpiexec -n 4 atoll energy benzene.xyz -m b3lyp -b def2-svp -o benzene.json
  mpiexec -n 4 atoll energy benzene.xyz --method ri-mp2 --basis cc-pvdz --frozen-core
  atoll energy ammonium.xyz --basis "6-31g(d,p)" --charge 1
  atoll energy water.xyz --options water.toml

water.xyz is a number of atoms, a line of comment, and a line for each atom, in angstrom:
  3
  water
  O  0.000  0.000  0.000
  H  0.757  0.586  0.000
  H -0.757  0.586  0.000

water.toml has options by their names, one a line:
  basis = "cc-pvdz"
  max-iterations = 50
  integrals = "auto"
  memory = "2G"

exit status: 0 converged, 1 not converged, 2 wrong input, 75 stopped in time"""


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "energy",
        help="energy of a molecule",
        description="Energy of a molecule, computed by all ranks: Hartree-Fock, density "
        "functionals, RI-MP2, double hybrids, coupled cluster, MRCI.",
        epilog=_EXAMPLES,
    )
    chemistry.add_options(parser, with_gradient=False)
    chemistry.add_json(parser, "-o")
    add = parser.add_argument
    add("--properties", action="store_true", help="moments, and charges of atoms")
    add("--stability", action="store_true", help="find out whether the energy is a minimum (hf)")
    add("--molden", metavar="FILE", help="write the orbitals to this file")
    add("--cube", metavar="FILE", help="write values on a grid to this file")
    add("--cube-of", metavar="WHAT",
        help="density, homo, lumo or the number of an orbital (density)")  # fmt: skip
    add("--plot-levels", metavar="FILE", help="draw the orbital energies, as .png or .pdf")
    add("--plot-convergence", metavar="FILE", help="draw energies and errors of the iterations")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, world: atoll.Group) -> int:
    """Compute and report; returns the exit status, equal on all ranks. Collective."""
    return chemistry.run("energy", arguments, world, _energy)


def _energy(
    molecule: Molecule, options: Options, arguments: argparse.Namespace, world: atoll.Group
) -> int:
    from atoll.chem import methods
    from atoll.chem.molecules import InputError
    from atoll.chem.results import json_file
    from atoll.chem.results.outputs import Outputs

    if arguments.cube_of is not None and not arguments.cube:
        raise InputError("cube-of means nothing without cube")
    outputs = Outputs(
        arguments.molden, arguments.cube, arguments.cube_of or "density", arguments.plot_levels,
        arguments.plot_convergence,
    )  # fmt: skip
    chemistry.try_files(world, *outputs.files)
    calculation = chemistry.calculation_of(molecule.mole, options, world, "energy")
    if arguments.stability:
        methods.require_stability(calculation)
    if arguments.properties:
        methods.require_properties(calculation)
    if outputs.cube and outputs.cube_of == "density":
        methods.require_density_on_grid(calculation)
    reporter = chemistry.reporter_of(calculation, molecule, world)
    outcome = calculation.run()
    fields = json_file.as_json(molecule, calculation, outcome, world)
    found = calculation.properties() if arguments.properties else None
    stability = calculation.mean_field.stability_analysis() if arguments.stability else {}
    fields["stability"] = {name: each.eigenvalue for name, each in stability.items()}
    if reporter:
        reporter.result(calculation, outcome)
        reporter.stability(stability)
        if found:
            reporter.properties(molecule, found)
    chemistry.write_json(arguments.json, reporter, fields | (found or {}), world)
    outputs.write(calculation.mean_field)
    converged = outcome.converged and (found or {}).get("converged_lambda", True)
    return 0 if converged and not outcome.missing else chemistry.NOT_CONVERGED
