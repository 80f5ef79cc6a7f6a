"""`atoll optimize`: the geometry of a molecule where its energy is lowest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import atoll
from atoll.cli import chemistry

if TYPE_CHECKING:
    import argparse

    from atoll.chem.geometry.optimize import Optimization, Step
    from atoll.chem.molecules import Molecule
    from atoll.chem.molecules.options import Options


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "optimize",
        help="geometry of a molecule where its energy is lowest",
        description="Moves the atoms of a molecule to a minimum of the energy, driven by "
        "geomeTRIC and computed by all ranks: Hartree-Fock, density functionals, RI-MP2.",
        epilog="examples:\n"
        "  mpiexec -n 4 atoll optimize water.xyz --method pbe --basis def2-svp --output best.xyz\n"
        "options as of atoll energy\n"
        "exit status: 0 converged, 1 not converged, 2 wrong input, 75 stopped in time",
    )
    chemistry.add_options(parser, with_ghosts=False)
    chemistry.add_json(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the last geometry to this XYZ file"
    )
    parser.add_argument("--trajectory", metavar="FILE", help="write all geometries to this file")
    parser.add_argument("--max-steps", metavar="N", default="100", help="moves at most (100)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, world: atoll.Group) -> int:
    """Compute and report; returns the exit status, equal on all ranks. Collective."""
    return chemistry.run("optimize", arguments, world, _optimize)


def _optimize(
    molecule: Molecule, options: Options, arguments: argparse.Namespace, world: atoll.Group
) -> int:
    from atoll.chem.geometry import optimize as geometry
    from atoll.chem.geometry import restart
    from atoll.chem.geometry.forces import largest_force
    from atoll.chem.geometry.ghosts import refuse_ghosts
    from atoll.chem.molecules import InputError
    from atoll.chem.molecules import options as known
    from atoll.chem.results.report import many, say
    from atoll.chem.self_consistency import saddles

    steps = known.of_text("max_steps", "int", arguments.max_steps)
    chemistry.try_files(world, arguments.output, arguments.trajectory)
    refuse_ghosts(molecule.mole, "geometry optimisation")
    mole = molecule.mole
    kept_in = options.chkfile + restart.GEOMETRY if options.chkfile else ""
    try:
        begun = restart.begun(kept_in, molecule, options, world) if kept_in else None
    except ValueError as error:
        raise InputError(str(error)) from None
    if begun is not None:
        mole = mole.set_geom_(begun, unit="Bohr", inplace=False)
    calculation = chemistry.calculation_of(mole, options, world, "optimize")
    gradients = calculation.gradients()
    reporter = chemistry.reporter_of(calculation, molecule, world)
    calculation.mean_field.observer = None  # a line a geometry says enough
    if reporter:
        if begun is not None:
            reporter.note(f"goes on from {kept_in}")
        elif kept_in and Path(kept_in).exists():
            reporter.note(f"{kept_in} is of another input: begun anew")
        say()
        say("  geometry         energy / hartree   largest force / hartree/bohr   iterations")

    kept = begun is not None  # a state of this very optimisation, on the first rank

    def tell(step: Step) -> None:
        nonlocal kept
        if kept_in:
            try:
                restart.keep(kept_in, molecule, options, step)
                kept = True
            except OSError as error:  # costs a restart, not the work
                say(f"  note       goes on without {kept_in}: {error.strerror}")
        force = largest_force(step.gradient)
        say(f"  {step.number:8d}  {step.energy:23.12f}  {force:29.2e}  {step.cycles:11d}")

    try:
        found = geometry.optimize(
            gradients,
            max_steps=steps,
            trajectory=arguments.trajectory,
            append_trajectory=begun is not None,
            callback=tell if reporter else None,
        )
    except atoll.Stopped as stopped:
        stopped.saved = kept  # orbitals alone are not gone on from
        raise
    last = found.mol.atom_coords(unit="Angstrom")
    if reporter:
        say()
        if found.unconverged:
            say("\n".join(found.unconverged.lines()))
        else:
            say(f"Converged after {many(found.moves, 'move')} of the atoms")
        say(f"  {'total energy':<22}{found.energies[-1]:23.12f} hartree")
        first = found.steps[0]  # the others begin with its orbitals, and nobody looks
        if first.curvature is not None:
            say(f"  {saddles.line(first.curvature, first.saddles_left)}, at geometry 1")
        say("  positions in angstrom")
        for symbol, (x, y, z) in zip(molecule.symbols, last, strict=True):
            say(f"  {symbol:<3}{x:18.10f}{y:18.10f}{z:18.10f}")
    if arguments.output:
        chemistry.write_on_first_rank(
            lambda: _write_xyz(arguments.output, molecule, found, last), world
        )
    fields = _fields(molecule, calculation.method, found, last)
    chemistry.write_json(arguments.json, reporter, fields, world)
    return 0 if found.converged else chemistry.NOT_CONVERGED


def _write_xyz(file: str, molecule: Molecule, found: Optimization, positions: Any) -> None:
    from atoll.chem.results.whole_file import whole_file

    lines = [str(len(molecule.symbols)), f"energy {found.energies[-1]:.12f} hartree"]
    for symbol, (x, y, z) in zip(molecule.symbols, positions, strict=True):
        lines.append(f"{symbol:<3}{x:18.10f}{y:18.10f}{z:18.10f}")
    with whole_file(file) as text:
        text.write("\n".join(lines) + "\n")


def _fields(molecule: Molecule, method: str, found: Optimization, positions: Any) -> dict[str, Any]:
    from atoll.chem.geometry.forces import largest_force
    from atoll.chem.self_consistency import saddles

    return {
        "method": method,
        "converged": found.converged,
        "unconverged": found.unconverged.fields() if found.unconverged else None,
        "energy": found.energies[-1],
        "symbols": list(molecule.symbols),
        "positions_angstrom": positions.tolist(),
        "energies": list(found.energies),
        "moves": found.moves,
        "largest_force": largest_force(found.steps[-1].gradient),
        **saddles.fields(found.steps[0].curvature, found.steps[0].saddles_left),
    }
