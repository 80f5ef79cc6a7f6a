"""`atoll energy`: the Hartree-Fock energy of a molecule."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import atoll

if TYPE_CHECKING:
    import argparse

    from atoll.chem import Molecule

WRONG_INPUT, NOT_CONVERGED = 2, 1


def _positive(text: str) -> float:
    value = float(text)
    if not (value > 0.0 and math.isfinite(value)):
        raise ValueError
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


_EXAMPLES = """\
examples:
  atoll energy water.xyz --basis cc-pvdz
  mpiexec -n 4 atoll energy benzene.xyz --basis cc-pvdz --json benzene.json
  atoll energy ammonium.xyz --basis "6-31g(d,p)" --charge 1
  atoll energy water.xyz --basis my-basis.nw

water.xyz is a number of atoms, a line of comment, and a line for each atom, in angstrom:
  3
  water
  O  0.000  0.000  0.000
  H  0.757  0.586  0.000
  H -0.757  0.586  0.000

exit status: 0 converged, 1 not converged, 2 wrong input"""

_positive.__name__ = "positive number"  # argparse: "invalid positive number value: 'x'"
_count.__name__ = "count"


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "energy",
        help="Hartree-Fock energy of a molecule",
        description="Restricted Hartree-Fock energy of a closed-shell molecule, computed by all "
        "ranks.",
        epilog=_EXAMPLES,
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="XYZ file, coordinates in angstrom")
    add(
        "--basis",
        required=True,
        metavar="NAME",
        help="basis set, by any name PySCF knows, or a file",
    )
    add("--charge", type=int, default=0, metavar="N", help="total charge (0)")
    add("--spin", type=int, default=0, metavar="N", help="unpaired electrons; only 0 is supported")
    add("--convergence", type=_positive, default=1e-9, metavar="E",
        help="largest change of the energy at the end, hartree (1e-9)")  # fmt: skip
    add("--screening", type=_positive, default=1e-13, metavar="E",
        help="smaller contributions to the Fock matrix are left out, hartree (1e-13)")  # fmt: skip
    add("--max-iterations", type=_count, default=100, metavar="N", help="at most (100)")
    add("--json", metavar="FILE", help="also write the result to this file")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, world: atoll.Group) -> int:
    """Compute and report; returns the exit status, equal on all ranks. Collective."""
    try:
        # Late, since PySCF takes a second to load and `atoll --help` should not.
        from atoll.chem import InputError, hartree_fock
        from atoll.chem.results.report import Reporter, as_json
    except ImportError as error:
        if world.rank == 0:
            print(f"atoll energy: {error}", file=sys.stderr)
        return WRONG_INPUT
    try:
        molecule = _shared_molecule(options, world)
        reporter = Reporter(molecule, world) if world.rank == 0 else None
        result = hartree_fock(
            molecule,
            group=world,
            convergence=options.convergence,
            max_iterations=options.max_iterations,
            screening=options.screening,
            observer=reporter,
        )
    except InputError as error:  # equal on all ranks
        if world.rank == 0:
            print(f"atoll energy: {error}", file=sys.stderr)
        return WRONG_INPUT
    if reporter:
        reporter.result(result)
        if options.json:
            Path(options.json).write_text(json.dumps(as_json(molecule, result), indent=1) + "\n")
    return 0 if result.converged else NOT_CONVERGED


def _shared_molecule(options: argparse.Namespace, world: atoll.Group) -> Molecule:
    """Share the file that rank 0 reads. Raises InputError on all ranks alike. Collective."""
    from atoll.chem import InputError, Molecule

    def build(text: str) -> Molecule:
        name = Path(options.file).name
        return Molecule.from_xyz(text, options.basis, options.charge, options.spin, name)

    molecule, message = None, ""
    if world.rank == 0:
        # The first character tells a text from a reason why there is none.
        try:
            text = _read(options.file)
            molecule = build(text)
            _check_writable(options.json)
            message = "+" + text
        except InputError as error:
            message = "-" + str(error)
    message = str(world.broadcast(message))
    if message.startswith("-"):
        raise InputError(message[1:])
    return molecule or build(message[1:])


def _read(file: str) -> str:
    from atoll.chem import InputError

    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not a text file") from None


def _check_writable(file: str | None) -> None:
    """Find out before the work rather than after it."""
    from atoll.chem import InputError

    if file is None:
        return
    try:
        Path(file).open("a").close()
    except OSError as error:
        raise InputError(f"cannot write {file}: {error.strerror}") from None
