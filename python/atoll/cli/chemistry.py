"""What the commands of the chemistry have in common: options, input, errors, exit status."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import atoll
from atoll import _core
from atoll._agreement import leave
from atoll.chem.calculations import table
from atoll.chem.convergence import DID_NOT_CONVERGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from atoll.chem.calculations.calculation import Calculation
    from atoll.chem.molecules import Molecule
    from atoll.chem.molecules.options import Options
    from atoll.chem.results.report import Reporter

T = TypeVar("T")

WRONG_INPUT, NOT_CONVERGED = 2, 1

# Of each option the word for its value, and what it is; defaults stand in `Options`.
_HELP: dict[str, tuple[str, str]] = {
    "method": ("NAME", "{methods} (hf)"),
    "basis": (
        "NAME",
        "basis set, by any name PySCF knows, or a file; cc-pvdz,O=cc-pvtz: another one of O",
    ),
    "core_potential": ("NAME", "core potentials, as --basis; none (those of the basis)"),
    "unit": ("UNIT", "of the positions in FILE: angstrom or bohr (angstrom)"),
    "ghost": ("ATOMS", "have functions and no charge, by number, as 4-6,8; or ghost-O in FILE"),
    "charge": ("N", "total charge (0)"),
    "spin": ("N", "unpaired electrons; more than 0: unrestricted (0)"),
    "active": ("E,N", "active electrons and orbitals of mrci, as 6,6; 0,0: CISD"),
    "roots": ("N", "lowest states of mrci, of all multiplicities (1)"),
    "frozen_core": ("", "leave the inner shells out of correlation"),
    "density_fitting": ("", "fit Coulomb and exchange matrices (RI-SCF)"),
    "fit_coulomb": ("", "fit the Coulomb matrix only (RI-J)"),
    "auxiliary_basis": ("NAME", "fitting set, as --basis (PySCF's choice for the basis)"),
    "correlation_auxiliary_basis": (
        "NAME",
        "fitting set of ri-mp2 (auxiliary-basis; that of the mean field's fit; PySCF's choice)",
    ),
    "integrals": ("HOW", "auto: kept where that pays; direct; disk: all stored (auto)"),
    "ladder": (
        "HOW",
        "of ccsd, integrals of 4 virtual orbitals: memory, disk, direct or auto (auto)",
    ),
    "scratch": ("DIR", "folder of scratch files (the first of ATOLL_SCRATCH)"),
    "memory": ("SIZE", "of each rank, as 500M or 2G (SCF: up to 4000M; else 512M)"),
    "disk_quota": ("SIZE", "of each rank for integrals (what there is)"),
    "xc_arrays": ("HOW", "mirrored, distributed or auto (auto)"),
    "grid_level": ("N", "of the integration grid, 0 to 9 (3)"),
    "dispersion": ("NAME", "correction for dispersion: d3bj, d3zero, ..., none"),
    "convergence": ("E", "largest change of the energy at the end, hartree (1e-9)"),
    "screening": ("E", "smaller contributions are left out, hartree (1e-13)"),
    "max_iterations": ("N", "at most (100)"),
    "level_shift": ("E", "raise empty orbitals by this, hartree (0)"),
    "damping": ("X", "share of the Fock matrix before, 0 to below 1 (0)"),
    "diis": ("HOW", "auto, diis, adiis or none (auto)"),
    "smearing": ("E", "width of a Fermi distribution of occupations, hartree (0)"),
    "guess": ("HOW", "minao, atom, huckel, vsap or 1e (minao)"),
    "break_symmetry": ("", "let the spins differ where both have as many electrons"),
    "chkfile": (
        "FILE",
        "write a checkpoint after each iteration, as PySCF's; the same command, given again, goes "
        "on from it",
    ),
    "checkpoint_interval": ("SECONDS", "between checkpoints of (T), with a chkfile (300)"),
    "restart": ("FILE", "begin with the orbitals of a checkpoint"),
    "time_limit": ("TIME", "save and stop before it is over, as 90, 30m or 2h (none)"),
}


_SHORT = {"method": "-m", "basis": "-b", "charge": "-c", "spin": "-s"}
_ALSO = {"core_potential": "--ecp"}  # by PySCF's name
_OF_ENERGY_ALONE = {
    "spin": ("N", "unpaired electrons; more than 0: unrestricted, for mrci ROHF (0)"),
}


def add_options(
    parser: argparse.ArgumentParser, with_gradient: bool = True, with_ghosts: bool = True
) -> None:
    """Add the options of all commands of the chemistry: those that are of use to its methods.

    `with_gradient`: they are the methods that have a gradient. Without `with_ghosts` the help is
    silent about ghost atoms, which the command refuses.
    """
    add = parser.add_argument
    add("file", metavar="FILE", help="XYZ file")
    shown = _HELP if with_gradient else _HELP | _OF_ENERGY_ALONE
    for name, (metavar, text) in shown.items():
        if not table.used_by_some(name, with_gradient):
            continue
        long = f"--{name.replace('_', '-')}"
        flags = [flag for flag in (_SHORT.get(name), long, _ALSO.get(name)) if flag]
        if name == "ghost" and not with_ghosts:
            text = argparse.SUPPRESS
        if metavar:
            text = text.replace("{methods}", ", ".join(table.names(with_gradient)))
            add(*flags, metavar=metavar, default=argparse.SUPPRESS, help=text)
        else:
            add(*flags, action="store_true", default=argparse.SUPPRESS, help=text)
    add("--options", metavar="FILE", help="TOML file of these options; the command line goes first")
    add("--dry-run", action="store_true", help="tell what it would take; compute and write nothing")


def add_json(parser: argparse.ArgumentParser, *short: str) -> None:
    """Add the option of a file of the result."""
    parser.add_argument(
        *short, "--json", metavar="FILE", help="also write the result to this file, as JSON"
    )


def run(
    command: str,
    arguments: argparse.Namespace,
    world: atoll.Group,
    task: Callable[[Molecule, Options, argparse.Namespace, atoll.Group], int],
) -> int:
    """Read the input, do the task, and give the exit status, equal on all ranks. Collective."""
    atoll.heed_stop_signals()
    chkfile = ""
    try:
        # Late, since PySCF takes a second to load and `atoll --help` should not.
        from atoll.chem.molecules import InputError
    except ImportError as error:
        if world.rank == 0:
            print(f"atoll {command}: {_missing(error)}", file=sys.stderr)
        return WRONG_INPUT
    try:
        molecule, options = _input(arguments, world)
        chkfile = options.chkfile
        if options.time_limit:
            atoll.heed_stop_signals(options.time_limit)
        if arguments.dry_run:
            return _dry_run(command, molecule, options, world)
        return task(molecule, options, arguments, world)
    except atoll.Stopped as stopped:
        if world.rank == 0:
            _tell_of_stop(command, stopped, chkfile)
        return _core.STOPPED_STATUS
    except (InputError, NotImplementedError, ModuleNotFoundError, OSError) as error:
        if world.rank == 0:  # equal on all ranks
            print(f"atoll {command}: {error}", file=sys.stderr)
        return WRONG_INPUT
    except RuntimeError as error:
        if DID_NOT_CONVERGE not in str(error):
            raise
        if world.rank == 0:
            print(f"atoll {command}: NOT CONVERGED: {error}", file=sys.stderr)
        return NOT_CONVERGED


def _tell_of_stop(command: str, stopped: atoll.Stopped, chkfile: str) -> None:
    if stopped.saved:
        end = f"its state is in {chkfile}: the same command goes on from there"
    elif chkfile:
        end = f"there was nothing to save in {chkfile} yet"
    else:
        end = "nothing was saved (--chkfile FILE saves after each iteration)"
    print(f"atoll {command}: stopped by {stopped.reason}; {end}", file=sys.stderr, flush=True)


def reporter_of(
    calculation: Calculation, molecule: Molecule, world: atoll.Group
) -> Reporter | None:
    """Print what will be computed, and give what tells of it; on rank 0 only. Collective."""
    from atoll.chem.results.provenance import provenance
    from atoll.chem.results.report import Reporter

    run = provenance(world)
    if run is None:
        return None
    reporter = Reporter(run)
    calculation.mean_field.observer = reporter
    reporter.head(calculation, molecule, world)
    return reporter


def try_files(world: atoll.Group, *files: str | None) -> None:
    """Raise InputError on all ranks if rank 0 cannot write to one of these. Collective."""
    _on_first_rank(lambda: check_writable(*files), world)


def check_writable(*files: str | None) -> None:
    """Find out before the work rather than after it. Raises InputError."""
    from atoll.chem.molecules import InputError
    from atoll.chem.results.whole_file import try_beside

    for file in files:
        if file is None:
            continue
        path = Path(file)
        try:
            if path.exists() and not path.is_file():
                kind = "a directory" if path.is_dir() else "no regular file"
                raise InputError(f"cannot write {file}: it is {kind}")
            if path.exists():
                path.open("a").close()  # one that is protected is not to be replaced
            try_beside(path)
        except OSError as error:
            raise InputError(f"cannot write {file}: {error.strerror}") from None


def calculation_of(mole: Any, options: Options, world: atoll.Group, command: str) -> Calculation:
    """Make the calculation of the options. Raises InputError on all ranks. Collective."""
    from atoll.chem import methods

    return on_all(lambda: methods.calculation(mole, options, world, command), world)


def on_all(step: Callable[[], T], world: atoll.Group) -> T:
    """Do something on all ranks, as each may read files; InputError of one is everyone's.

    The step may be collective, and fail on a rank between two meetings. Collective.
    """
    from atoll.chem.molecules import InputError

    try:
        try:
            result = step()
        except Exception as error:
            leave(world, error)
            raise
        leave(world)
    except InputError:
        raise
    except ValueError as error:  # which an InputError of another rank is here
        if not getattr(error, _core.RAISED_EVERYWHERE, False):
            raise
        raise InputError(str(error).removesuffix(f" (rank {world.rank})")) from None
    return result


def write_json(
    file: str | None, reporter: Reporter | None, fields: dict[str, Any], world: atoll.Group
) -> None:
    """Write a result, with what the reporter tells of the run, if there is a file for it.

    Raises OSError on all ranks. Collective.
    """
    from atoll.chem.results import json_file

    def write() -> None:
        if file and reporter:
            json_file.write(file, reporter.fields() | fields)

    write_on_first_rank(write, world)


def write_on_first_rank(write: Callable[[], None], world: atoll.Group) -> None:
    """Have rank 0 write a file; what it raises there is raised on all ranks. Collective."""
    failure: Exception | None = None
    if world.rank == 0:
        try:
            write()
        except Exception as error:
            failure = error
    leave(world, failure)


def _missing(error: ImportError) -> str:
    if getattr(error, "name", "") and str(error.name).split(".")[0] == "pyscf":
        return "PySCF is not installed: pip install '.[chem]' in Atoll's folder"
    return str(error)


def _input(arguments: argparse.Namespace, world: atoll.Group) -> tuple[Molecule, Options]:
    """Share what rank 0 reads. Raises InputError on all ranks alike. Collective."""
    from atoll.chem.molecules import InputError, Molecule

    texts = ["", ""]

    def read() -> None:
        texts[:] = [_read(arguments.file), _read(arguments.options) if arguments.options else ""]

    _on_first_rank(read, world)
    text, settings = (str(world.broadcast(part)) for part in texts)
    options = _options(arguments, settings, world)

    def try_all() -> None:
        check_writable(arguments.json, options.chkfile or None)
        if options.restart:
            _open_checkpoint(options.restart)
        from atoll.chem.integrals.scratch import default_folder

        uses_disk = "disk" in (options.integrals, options.ladder) or options.disk_quota > 0
        scratch = options.scratch or (default_folder() if uses_disk else "")
        if scratch and "{" not in scratch and not Path(scratch).is_dir():
            source = "" if options.scratch else " (ATOLL_SCRATCH, TMPDIR or /tmp)"
            raise InputError(f"scratch is {scratch}{source}, which is no folder")

    _on_first_rank(try_all, world)
    name = Path(arguments.file).name
    molecule = on_all(
        lambda: Molecule.from_xyz(
            text, options.basis, options.charge, options.spin, name,
            unit=options.unit, ghost=options.ghost, core_potential=options.core_potential,
        ),
        world,
    )  # fmt: skip
    return molecule, options


def _on_first_rank(step: Callable[[], None], world: atoll.Group) -> None:
    """Do something on rank 0; raise InputError on all ranks if it does there. Collective."""
    from atoll.chem.molecules import InputError

    message = ""
    if world.rank == 0:
        try:
            step()
        except InputError as error:
            message = str(error)
    message = str(world.broadcast(message))
    if message:
        raise InputError(message)


def _options(arguments: argparse.Namespace, settings: str, world: atoll.Group) -> Options:
    from atoll.chem.molecules import options as known

    values = known.from_toml(arguments.options, settings) if arguments.options else {}
    kinds = known.types()
    given = {name: value for name, value in vars(arguments).items() if name in kinds}
    values |= {name: known.of_text(name, kinds[name], value) for name, value in given.items()}
    options = known.checked(values)
    if "memory" in values:
        return options
    # What there is may be less (of a container, of a job).
    ranks = -(-world.size // world.nodes)
    most = int(world.reduce(_core.memory_of_node() // (2 * ranks), "min"))
    return dataclasses.replace(options, default_memory=max(1, min(options.default_memory, most)))


def _dry_run(command: str, molecule: Molecule, options: Options, world: atoll.Group) -> int:
    from atoll.chem.results import estimate

    calculation = calculation_of(molecule.mole, options, world, command)
    if world.rank == 0:
        print(estimate.text(molecule, calculation, options, world), flush=True)
    return 0


def _open_checkpoint(file: str) -> None:
    """Find out whether a file can be read, and is a checkpoint."""
    from atoll.chem.molecules import InputError
    from atoll.chem.results import chkfile

    try:
        Path(file).open("rb").close()
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    try:
        chkfile.check(file)
    except (OSError, ValueError) as error:
        raise InputError(str(error)) from None


def _read(file: str) -> str:
    from atoll.chem.molecules import InputError

    try:
        return Path(file).read_text(encoding="utf-8-sig")  # with or without a byte order mark
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not a text file") from None
