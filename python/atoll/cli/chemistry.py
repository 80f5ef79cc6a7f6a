"""What the commands of the chemistry have in common: options, input, errors, exit status."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import atoll

if TYPE_CHECKING:
    from collections.abc import Callable

    from atoll.chem.calculations.calculation import Calculation
    from atoll.chem.molecules import Molecule
    from atoll.chem.molecules.options import Options
    from atoll.chem.results.report import Reporter

WRONG_INPUT, NOT_CONVERGED = 2, 1

# Of each option the word for its value, and what it is; defaults stand in `Options`.
_HELP: dict[str, tuple[str, str]] = {
    "method": (
        "NAME",
        "hf, a functional (pbe, b3lyp, ...), ri-mp2, scs-ri-mp2, sos-ri-mp2, b2plyp, b2gpplyp, "
        "pbe0-dh, ccsd, ccsd(t), mrci (hf)",
    ),
    "basis": ("NAME", "basis set, by any name PySCF knows, or a file"),
    "charge": ("N", "total charge (0)"),
    "spin": ("N", "unpaired electrons; more than 0: unrestricted, for mrci ROHF (0)"),
    "active": ("E,N", "active electrons and orbitals of mrci, as 6,6; 0,0: CISD"),
    "roots": ("N", "lowest states of mrci (1)"),
    "frozen_core": ("", "leave the inner shells out of correlation"),
    "density_fitting": ("", "fit Coulomb and exchange matrices (RI-SCF)"),
    "fit_coulomb": ("", "fit the Coulomb matrix only (RI-J)"),
    "auxiliary_basis": ("NAME", "fitting set (PySCF's choice for the basis)"),
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
    "dispersion": ("NAME", "correction for dispersion: d3bj, d3zero, ..."),
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
        "write a checkpoint after each iteration, as PySCF's; coupled cluster and MRCI, given the "
        "same again, go on from it",
    ),
    "checkpoint_interval": ("SECONDS", "between checkpoints of (T), with a chkfile (300)"),
    "restart": ("FILE", "begin with the orbitals of a checkpoint"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of all commands of the chemistry."""
    add = parser.add_argument
    add("file", metavar="FILE", help="XYZ file, coordinates in angstrom")
    for name, (metavar, text) in _HELP.items():
        flag = f"--{name.replace('_', '-')}"
        if metavar:
            add(flag, metavar=metavar, default=argparse.SUPPRESS, help=text)
        else:
            add(flag, action="store_true", default=argparse.SUPPRESS, help=text)
    add("--options", metavar="FILE", help="TOML file of these options; the command line goes first")
    add("--dry-run", action="store_true", help="print what it would take, and compute nothing")
    add("--json", metavar="FILE", help="also write the result to this file")


def run(
    command: str,
    arguments: argparse.Namespace,
    world: atoll.Group,
    task: Callable[[Molecule, Options, argparse.Namespace, atoll.Group], int],
) -> int:
    """Read the input, do the task, and give the exit status, equal on all ranks. Collective."""
    try:
        # Late, since PySCF takes a second to load and `atoll --help` should not.
        from atoll.chem.molecules import InputError
    except ImportError as error:
        if world.rank == 0:
            print(f"atoll {command}: {_missing(error)}", file=sys.stderr)
        return WRONG_INPUT
    try:
        molecule, options = _input(arguments, world)
        if arguments.dry_run:
            return _dry_run(molecule, options, world)
        return task(molecule, options, arguments, world)
    except (InputError, NotImplementedError, ModuleNotFoundError, OSError) as error:
        if world.rank == 0:  # equal on all ranks
            print(f"atoll {command}: {error}", file=sys.stderr)
        return WRONG_INPUT


def reporter_of(
    calculation: Calculation, molecule: Molecule, world: atoll.Group
) -> Reporter | None:
    """Print what will be computed, and give what tells of it; on rank 0 only."""
    from atoll.chem.results.report import Reporter

    if world.rank != 0:
        return None
    reporter = Reporter()
    calculation.mean_field.observer = reporter
    reporter.head(calculation, molecule, world)
    return reporter


def try_files(world: atoll.Group, *files: str | None) -> None:
    """Raise InputError on all ranks if rank 0 cannot write to one of these. Collective."""
    _on_first_rank(lambda: check_writable(*files), world)


def check_writable(*files: str | None) -> None:
    """Find out before the work rather than after it. Raises InputError."""
    from atoll.chem.molecules import InputError

    for file in files:
        if file is None:
            continue
        existed = Path(file).exists()
        try:
            Path(file).open("a").close()
        except OSError as error:
            raise InputError(f"cannot write {file}: {error.strerror}") from None
        if not existed:
            Path(file).unlink()


def _missing(error: ImportError) -> str:
    if getattr(error, "name", "") and str(error.name).split(".")[0] == "pyscf":
        return "PySCF is not installed: pip install 'atoll[chem]'"
    return str(error)


def _input(arguments: argparse.Namespace, world: atoll.Group) -> tuple[Molecule, Options]:
    """Share what rank 0 reads. Raises InputError on all ranks alike. Collective."""
    from atoll.chem.molecules import InputError, Molecule

    texts = ["", ""]

    def read() -> None:
        texts[:] = [_read(arguments.file), _read(arguments.options) if arguments.options else ""]

    _on_first_rank(read, world)
    text, settings = (str(world.broadcast(part)) for part in texts)
    options = _options(arguments, settings)

    def try_all() -> None:
        check_writable(arguments.json, options.chkfile or None)
        if options.restart:
            _open(options.restart)
        if options.scratch and "{" not in options.scratch and not Path(options.scratch).is_dir():
            raise InputError(f"scratch is {options.scratch}, which is no folder")

    _on_first_rank(try_all, world)
    name = Path(arguments.file).name
    return Molecule.from_xyz(text, options.basis, options.charge, options.spin, name), options


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


def _options(arguments: argparse.Namespace, settings: str) -> Options:
    from atoll.chem.molecules import options as known

    values = known.from_toml(arguments.options, settings) if arguments.options else {}
    kinds = {field.name: str(field.type) for field in dataclasses.fields(known.Options)}
    given = {name: value for name, value in vars(arguments).items() if name in kinds}
    values |= {name: known.of_text(name, kinds[name], value) for name, value in given.items()}
    return known.checked(values)


def _dry_run(molecule: Molecule, options: Options, world: atoll.Group) -> int:
    from atoll.chem import methods
    from atoll.chem.results import estimate

    calculation = methods.calculation(molecule.mole, options, world)
    if world.rank == 0:
        print(estimate.text(molecule, calculation, options, world), flush=True)
    return 0


def _open(file: str) -> None:
    """Find out whether a file can be read."""
    from atoll.chem.molecules import InputError

    try:
        Path(file).open("rb").close()
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None


def _read(file: str) -> str:
    from atoll.chem.molecules import InputError

    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not a text file") from None
