"""What a person asks of a calculation beside the molecule: the command line's and a file's words.

Every field is an option of `atoll energy` and its kin, and a key of a TOML file, by its name with
hyphens. Which method uses which of them stands in `atoll.chem.calculations.table`.
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
from atoll.chem.molecules.numerals import integer, real

_toml: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


@dataclass(frozen=True)
class Options:
    """Options with their defaults; checked by `checked`.

    Attributes:
        basis: Name or file of the basis set, or one for each element: "cc-pvdz,O=cc-pvtz".
        core_potential: Name or file of core potentials, written as `basis`; empty: those that
            belong to the basis; "none".
        unit: "angstrom" or "bohr": of the positions in the file.
        ghost: Numbers of atoms, as "4-6,8", that have functions and no charge.
        method: "hf", a functional, "ri-mp2" and so on: see `atoll.chem.methods`.
        charge, spin: Of the molecule; `spin` unpaired electrons make it unrestricted.
        active: Active electrons and orbitals of "mrci", as "6,6".
        roots: How many states.
        frozen_core: Whether the electrons of inner shells are left out of correlation.
        density_fitting: Whether Coulomb and exchange matrices are fitted (RI-SCF).
        fit_coulomb: Whether the Coulomb matrix alone is (RI-J).
        auxiliary_basis: Fitting set of all that is fitted, written as `basis`; empty: PySCF's
            choice.
        correlation_auxiliary_basis: Another one for RI-MP2; empty: the same.
        integrals: "auto", "direct" or "disk": those kept that pays, all anew, or all from files.
        ladder: "auto", "memory", "disk" or "direct": where coupled cluster has integrals of four
            virtual orbitals, or that it computes them anew.
        scratch: Folder of scratch files; empty: the first of ATOLL_SCRATCH.
        memory: Bytes of each rank for integrals; 0: `memory_or_default`, but for those of a mean
            field, which has a default of its own.
        disk_quota: Bytes of each rank on disk; 0: what there is.
        xc_arrays: "auto", "mirrored" or "distributed".
        grid_level: PySCF's level of the grid, 0 to 9.
        dispersion: "d3bj", for one; empty: what the functional's name says; "none".
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
        time_limit: Seconds after which it saves and stops; 0: none.
        given: Names of those that somebody gave, also with the value of the default.
        default_memory: Bytes that `memory_or_default` is where no memory was given.

    """

    basis: str
    core_potential: str = ""
    unit: str = "angstrom"
    ghost: str = ""
    method: str = "hf"
    charge: int = 0
    spin: int = 0
    active: str = ""
    roots: int = 1
    frozen_core: bool = False
    density_fitting: bool = False
    fit_coulomb: bool = False
    auxiliary_basis: str = ""
    correlation_auxiliary_basis: str = ""
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
    time_limit: float = 0.0
    given: frozenset[str] = frozenset()
    default_memory: int = 512 << 20

    def asks_for(self, name: str) -> bool:
        """Tell whether somebody gave an option; a switch: and it is on.

        Where nothing is known of that, `given` being empty, what differs from its default was.
        """
        value = getattr(self, name)
        if self.given:
            return name in self.given and value is not False
        return bool(value != type(self).__dataclass_fields__[name].default)

    @property
    def memory_or_default(self) -> int:
        """The bytes of each rank for tensors of integrals and amplitudes."""
        return self.memory or self.default_memory


CHOICES = {
    "unit": ("angstrom", "bohr"),
    "integrals": ("auto", "direct", "disk"),
    "ladder": ("auto", "memory", "disk", "direct"),
    "xc_arrays": ("auto", "mirrored", "distributed"),
    "diis": ("auto", "diis", "adiis", "none"),
    "guess": ("minao", "atom", "huckel", "vsap", "1e"),
}
BASIS_SETS = ("basis", "core_potential", "auxiliary_basis", "correlation_auxiliary_basis")
"""What may be a table of a TOML file: names by element, `default` for the others."""
SIZES = ("memory", "disk_quota")
_NO_OPTIONS = ("given", "default_memory")
"""Fields that nobody asks for by name."""
TIMES = ("time_limit",)
_POSITIVE = ("convergence", "screening", "max_iterations", "memory", "roots")
_NOT_NEGATIVE = ("level_shift", "damping", "smearing", "disk_quota", "checkpoint_interval")


def types() -> dict[str, str]:
    """Give the types of all options, by name."""
    fields = dataclasses.fields(Options)
    return {field.name: str(field.type) for field in fields if field.name not in _NO_OPTIONS}


def checked(values: dict[str, Any]) -> Options:
    """Make options of values by name. Raises InputError for one that makes no sense."""
    if not values.get("basis"):
        raise InputError('no basis is given: --basis NAME, or basis = "NAME" in the file')
    for name, allowed in CHOICES.items():
        if name in values and values[name] not in allowed:
            raise InputError(f"{_word(name)} is '{values[name]}', expected {', '.join(allowed)}")
    options = Options(**values, given=frozenset(values))
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
    match = re.fullmatch(r"\s*([0-9]+)\s*,\s*([0-9]+)\s*", text)
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
    kinds = types()
    options = {}
    for key, value in values.items():
        name = key.replace("-", "_")
        if name not in kinds:
            raise InputError(f"{file}: there is no option '{key}'")
        options[name] = _of_type(f"{file}: {key}", name, kinds[name], value)
    return options


def of_text(name: str, kind: str, text: Any) -> Any:
    """Give the value of an option that was typed. Raises InputError for a text that is none."""
    where = f"--{_word(name)}"
    if name in SIZES:
        return size(where, text)
    if name in TIMES:
        return duration(where, text)
    if kind in ("bool", "str"):
        return text
    value = {"int": integer, "float": real}[kind](str(text))
    if value is None:
        expected = "an integer" if kind == "int" else "a number"
        raise InputError(f"{where} is '{text}', expected {expected}")
    return value


def _of_type(where: str, name: str, kind: str, value: Any) -> Any:
    if name in SIZES and isinstance(value, str):
        return size(where, value)
    if name in BASIS_SETS and isinstance(value, dict):
        return _of_table(where, value)
    if name in TIMES:
        return duration(where, str(value))
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value).__name__ != kind or (kind == "float" and not math.isfinite(value)):
        raise InputError(f"{where} is {value!r}, expected a value of type {kind}")
    return value


def _of_table(where: str, table: dict[str, Any]) -> str:
    """Give the words of the command line for names by element."""
    for label, name in table.items():
        if not isinstance(name, str):
            raise InputError(f"{where}: {label} is {name!r}, expected a name or a file")
    own = [f"{label}={name}" for label, name in table.items() if label != "default"]
    return ",".join([table["default"], *own] if "default" in table else own)


def size(where: str, text: str) -> int:
    """Give the bytes of "200M", "1.5G" or a plain number. Raises InputError naming `where`."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)i?b?", text.strip().lower())
    if match is None:
        raise InputError(f"{where} is '{text}', expected bytes, as 200M or 1.5G")
    return int(float(match[1]) * _UNITS[match[2]])


def duration(where: str, text: str) -> float:
    """Give the seconds of "90", "30m", "1.5h" or "2d". Raises InputError naming `where`."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([smhd]?)", text.strip().lower())
    seconds = 0.0 if match is None else float(match[1]) * _SECONDS[match[2]]
    if not seconds > 0.0:
        raise InputError(f"{where} is '{text}', expected a time above 0, as 90, 30m or 2h")
    return seconds


def _word(name: str) -> str:
    return name.replace("_", "-")
