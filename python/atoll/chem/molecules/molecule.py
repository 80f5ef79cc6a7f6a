"""Molecules: reading XYZ files, checking charge, spin and basis, and building PySCF's tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import basis_sets, xyz_lines
from atoll.chem.molecules.core_potentials import core_potentials
from atoll.chem.molecules.elements import GHOST, atomic_number, is_ghost, label_of
from atoll.chem.molecules.errors import InputError
from atoll.chem.molecules.numerals import integer, real

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["InputError", "Molecule", "parse_xyz"]

UNITS = {"angstrom": 1.0, "bohr": pyscf_wheel.BOHR}
"""Of positions, in angstrom."""
CLOSEST = 0.01
"""Atoms nearer to each other than this (angstrom) are taken for a mistake."""


@dataclass(frozen=True)
class Molecule:
    """A molecule with its basis, checked and ready to compute."""

    name: str
    symbols: tuple[str, ...]
    """Of ghost atoms, which have functions and no charge, "GHOST-O"."""
    positions: NDArray[np.float64]
    """Atoms x 3, in angstrom."""
    basis: str
    charge: int
    spin: int
    """Unpaired electrons."""
    cores: tuple[str, ...]
    """Elements whose inner electrons the basis replaces by a potential."""
    mole: Any
    """PySCF's `Mole`: the tables of atoms, shells and exponents."""

    @classmethod
    def from_xyz(
        cls,
        text: str,
        basis: str,
        charge: int = 0,
        spin: int = 0,
        name: str = "molecule",
        *,
        unit: str = "angstrom",
        ghost: str = "",
        core_potential: str = "",
    ) -> Molecule:
        """Read the text of an XYZ file.

        Args:
            text: Of the file.
            basis: Name or file, or one for each element: see `basis_sets`.
            charge: Of the molecule.
            spin: Unpaired electrons.
            name: For messages and the report.
            unit: Of the positions, "angstrom" or "bohr".
            ghost: Numbers of atoms, as "4-6,8", that are ghosts beside those that say so.
            core_potential: Name or file, or one for each element; empty: what belongs to the basis.

        Raises:
            InputError: A malformed text, an unknown element or basis, or a number of electrons
                that does not go with `spin`.

        """
        symbols, given = parse_xyz(text, name, unit)
        symbols = _with_ghosts(symbols, ghost)
        electrons = sum(atomic_number(each) for each in symbols if not is_ghost(each)) - charge
        _check_electrons(electrons, charge, spin)
        functions = basis_sets.functions(basis, symbols)
        cores = core_potentials(basis, functions, symbols, core_potential)
        if core_electrons := sum(_core_electrons(cores, each) for each in symbols):
            _check_electrons(electrons - core_electrons, charge, spin, " beside core potentials")
        mole = pyscf_wheel.gto.Mole()
        mole.build(
            dump_input=False,
            parse_arg=False,
            verbose=0,
            atom=list(zip(symbols, given.tolist(), strict=True)),
            unit=unit,
            basis=functions,
            ecp=cores,
            charge=charge,
            spin=spin,
        )
        if max(mole.nelec) > mole.nao:
            raise InputError(
                f"basis '{basis}' has {mole.nao} functions, too few for {mole.nelectron} electrons"
            )
        positions = given * UNITS[unit]
        return cls(name, symbols, positions, basis, charge, spin, tuple(cores), mole)

    @property
    def functions(self) -> int:
        """Number of basis functions."""
        return int(self.mole.nao)

    @property
    def electrons(self) -> int:
        """Number of electrons that are computed (those of core potentials are not)."""
        return int(self.mole.nelectron)

    @property
    def formula(self) -> str:
        """The formula in Hill's order: carbon, hydrogen, then by the alphabet."""
        own = [symbol for symbol in self.symbols if not is_ghost(symbol)]
        first = [symbol for symbol in ("C", "H") if {"C", symbol} <= set(own)]
        rest = sorted(set(own) - set(first))
        counts = [(symbol, own.count(symbol)) for symbol in first + rest]
        atoms = "".join(f"{symbol}{count if count > 1 else ''}" for symbol, count in counts)
        if self.charge == 0:
            return atoms
        size = "" if abs(self.charge) == 1 else str(abs(self.charge))
        return f"{atoms}{size}{'+' if self.charge > 0 else '-'}"


def parse_xyz(
    text: str, name: str, unit: str = "angstrom"
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Symbols and positions, as they stand there, of an XYZ file: number of atoms, comment, atoms.

    `Properties=` in the comment, as in extended XYZ, says where they stand. Lines that follow the
    atoms are passed over, unless they may be more atoms, a cell or settings.

    Raises InputError naming the file and the line.
    """
    lines = re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))
    if not lines[-1]:
        lines.pop()
    count = integer(lines[0]) if lines else None
    if count is None:
        raise InputError(f"{name}, line 1: an XYZ file begins with the number of atoms")
    if count < 1:
        raise InputError(f"{name}, line 1: {count} is no number of atoms")
    if len(lines) < count + 2:
        found = max(len(lines) - 2, 0)
        raise InputError(f"{name}: {count} atoms are announced, but {found} follow")
    try:
        columns = xyz_lines.columns_of(lines[1])
    except ValueError as error:
        raise InputError(f"{name}, line 2: {error}") from None
    try:
        xyz_lines.check_trailing(lines[count + 2 :], count + 3, count, columns)
    except ValueError as error:
        raise InputError(f"{name}, {error}") from None

    symbols: list[str] = []
    positions: list[list[float]] = []
    for number, line in enumerate(lines[2 : count + 2], 3):
        try:
            words = columns.words(line)
        except ValueError as error:
            raise InputError(f"{name}, line {number}: {error}") from None
        symbol = label_of(words[0])
        if symbol is None:
            raise InputError(f"{name}, line {number}: '{words[0]}' is not an element")
        position = [value for value in map(real, words[1:4]) if value is not None]
        if len(position) < 3:
            raise InputError(f"{name}, line {number}: the coordinates are not three numbers")
        symbols.append(symbol)
        positions.append(position)
    array = np.array(positions)
    _check_distances(array * UNITS[unit], name)
    return tuple(symbols), array


def _with_ghosts(symbols: tuple[str, ...], numbers: str) -> tuple[str, ...]:
    """Make ghosts of the atoms of these numbers, "4-6,8", counted from 1."""
    chosen: set[int] = set()
    for part in filter(None, numbers.replace(" ", "").split(",")):
        match = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= len(symbols):
            raise InputError(
                f"ghost is '{numbers}', expected atoms from 1 to {len(symbols)}, as 4-6,8"
            )
        chosen.update(range(first, last + 1))
    return tuple(
        GHOST + symbol if number in chosen and not is_ghost(symbol) else symbol
        for number, symbol in enumerate(symbols, 1)
    )


def _check_distances(positions: NDArray[np.float64], name: str) -> None:
    for atom in range(1, len(positions)):
        distances = np.linalg.norm(positions[:atom] - positions[atom], axis=1)
        if distances.min() < CLOSEST:
            other = int(distances.argmin())
            raise InputError(f"{name}: atoms {other + 1} and {atom + 1} are in the same place")


def _core_electrons(cores: dict[str, Any], symbol: str) -> int:
    """Give how many electrons an atom's core potential replaces."""
    if is_ghost(symbol) or symbol not in cores:
        return 0
    return int(pyscf_wheel.gto.format_ecp({symbol: cores[symbol]})[symbol][0])


def _check_electrons(electrons: int, charge: int, spin: int, where: str = "") -> None:
    if spin < 0:
        raise InputError(f"spin {spin}: the number of unpaired electrons cannot be negative")
    if electrons < 1:
        raise InputError(f"charge {charge} leaves no electron{where}")
    if spin == 0 and electrons % 2 != 0:
        raise InputError(
            f"{electrons} electrons{where} (charge {charge}) cannot all be paired: "
            "check --charge and --spin"
        )
    if (electrons - spin) % 2 != 0 or spin > electrons:
        raise InputError(
            f"{electrons} electrons{where} (charge {charge}) cannot have {spin} unpaired"
        )
