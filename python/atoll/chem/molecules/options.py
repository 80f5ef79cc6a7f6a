"""What a person asks of a calculation beside the molecule: the command line's and a file's words.

Every field is an option of `atoll energy` and its kin, and a key of a TOML file, by its name with
hyphens.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
import re
import sys
from dataclasses import dataclass
from typing import Any

from atoll.chem.molecules.molecule import InputError

_toml: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


@dataclass(frozen=True)
class Options:
    """Options with their defaults; checked by `checked`.

    Attributes:
        basis: Name or file of the basis set.
        method: "hf", a functional, "ri-mp2" and so on: see `atoll.chem.methods`.
        charge, spin: Of the molecule; `spin` unpaired electrons make it unrestricted.
        active: Active electrons and orbitals of "mrci", as "6,6".
        roots: How many states.
        frozen_core: Whether the electrons of inner shells are left out of correlation.
        density_fitting: Whether Coulomb and exchange matrices are fitted (RI-SCF).
        fit_coulomb: Whether the Coulomb matrix alone is (RI-J).
        auxiliary_basis: Fitting set; empty: PySCF's choice.
        integrals: "auto", "direct" or "disk": those kept that pays, all anew, or all from files.
        ladder: "auto", "memory", "disk" or "direct": where coupled cluster has integrals of four
            virtual orbitals, or that it computes them anew.
        scratch: Folder of scratch files; empty: the first of ATOLL_SCRATCH.
        memory: Bytes of each rank for integrals; 0: `memory_or_default`, but for those of a mean
            field, which has a default of its own.
        disk_quota: Bytes of each rank on disk; 0: what there is.
        xc_arrays: "auto", "mirrored" or "distributed".
        grid_level: PySCF's level of the grid, 0 to 9.
        dispersion: "d3bj", for one; empty: what the functional's name says.
        convergence: Largest change of the energy in the last iteration, hartree.
        screening: Contributions below are left out, hartree.
        max_iterations: At most.
        level_shift: Hartree by which empty orbitals are raised.
        damping: Share of the Fock matrix before, 0 to below 1.
        diis: "auto", "diis", "adiis" or "none".
        smearing: Width of a Fermi distribution of occupations, hartree.
        guess: "minao", "atom", "huckel", "vsap" or "1e".
        break_symmetry: Whether the spins of equally many electrons begin unlike.
        chkfile: Checkpoint file to write; coupled cluster and MRCI go on from it.
        checkpoint_interval: Seconds between checkpoints of "ccsd(t)"'s triples.
        restart: Checkpoint file to begin from.

    """

    basis: str
    method: str = "hf"
    charge: int = 0
    spin: int = 0
    active: str = ""
    roots: int = 1
    frozen_core: bool = False
    density_fitting: bool = False
    fit_coulomb: bool = False
    auxiliary_basis: str = ""
    integrals: str = "auto"
    ladder: str = "auto"
    scratch: str = ""
    memory: int = 0
    disk_quota: int = 0
    xc_arrays: str = "auto"
    grid_level: int = 3
    dispersion: str = ""
    convergence: float = 1e-9
    screening: float = 1e-13
    max_iterations: int = 100
    level_shift: float = 0.0
    damping: float = 0.0
    diis: str = "auto"
    smearing: float = 0.0
    guess: str = "minao"
    break_symmetry: bool = False
    chkfile: str = ""
    checkpoint_interval: float = 300.0
    restart: str = ""

    @property
    def memory_or_default(self) -> int:
        """The bytes of each rank for tensors of integrals and amplitudes."""
        return self.memory or 512 << 20


CHOICES = {
    "integrals": ("auto", "direct", "disk"),
    "ladder": ("auto", "memory", "disk", "direct"),
    "xc_arrays": ("auto", "mirrored", "distributed"),
    "diis": ("auto", "diis", "adiis", "none"),
    "guess": ("minao", "atom", "huckel", "vsap", "1e"),
}
SIZES = ("memory", "disk_quota")
_POSITIVE = ("convergence", "screening", "max_iterations", "memory", "roots")
_NOT_NEGATIVE = ("level_shift", "damping", "smearing", "disk_quota", "checkpoint_interval")


def checked(values: dict[str, Any]) -> Options:
    """Make options of values by name. Raises InputError for one that makes no sense."""
    if not values.get("basis"):
        raise InputError('no basis is given: --basis NAME, or basis = "NAME" in the file')
    for name, allowed in CHOICES.items():
        if name in values and values[name] not in allowed:
            raise InputError(f"{_word(name)} is '{values[name]}', expected {', '.join(allowed)}")
    options = Options(**values)
    for name in _POSITIVE:
        if name in values and not values[name] > 0:
            raise InputError(f"{_word(name)} is {values[name]}, expected more than 0")
    for name in _NOT_NEGATIVE:
        if not getattr(options, name) >= 0:
            raise InputError(f"{_word(name)} is {getattr(options, name)}, expected 0 or more")
    if options.damping >= 1.0:
        raise InputError(f"damping is {options.damping}, expected less than 1")
    if options.active:
        active_space(options.active)
    if options.grid_level not in range(10):
        raise InputError(f"grid-level is {options.grid_level}, expected 0 to 9")
    return options


def active_space(text: str) -> tuple[int, int]:
    """Give electrons and orbitals of "6,6". Raises InputError for another text."""
    match = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", text)
    if match is None:
        raise InputError(f"active is '{text}', expected electrons,orbitals, as 6,6")
    return int(match[1]), int(match[2])


def from_toml(file: str, text: str) -> dict[str, Any]:
    """Read options from the text of a TOML file, `name = value` lines.

    Raises InputError for what is no TOML, an unknown name or a value of another type.
    """
    try:
        values = _toml.loads(text)
    except _toml.TOMLDecodeError as error:
        raise InputError(f"{file} is no TOML file: {error}") from None
    fields = {field.name: field for field in dataclasses.fields(Options)}
    options = {}
    for key, value in values.items():
        name = key.replace("-", "_")
        if name not in fields:
            raise InputError(f"{file}: there is no option '{key}'")
        options[name] = _of_type(f"{file}: {key}", name, str(fields[name].type), value)
    return options


def of_text(name: str, kind: str, text: Any) -> Any:
    """Give the value of an option that was typed. Raises InputError for a text that is none."""
    where = f"--{_word(name)}"
    if name in SIZES:
        return size(where, text)
    if kind in ("bool", "str"):
        return text
    try:
        value = {"int": int, "float": float}[kind](text)
        if not math.isfinite(value):
            raise ValueError
    except ValueError:
        expected = "an integer" if kind == "int" else "a number"
        raise InputError(f"{where} is '{text}', expected {expected}") from None
    return value


def _of_type(where: str, name: str, kind: str, value: Any) -> Any:
    if name in SIZES and isinstance(value, str):
        return size(where, value)
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value).__name__ != kind:
        raise InputError(f"{where} is {value!r}, expected a value of type {kind}")
    return value


def size(where: str, text: str) -> int:
    """Give the bytes of "200M", "1.5G" or a plain number. Raises InputError naming `where`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", text.strip().lower())
    if match is None:
        raise InputError(f"{where} is '{text}', expected bytes, as 200M or 1.5G")
    return int(float(match[1]) * _UNITS[match[2]])


def _word(name: str) -> str:
    return name.replace("_", "-")
