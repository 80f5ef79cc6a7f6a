"""Molecules: reading XYZ files, checking charge, spin and basis, and building PySCF's tables."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import basis_file, xyz_lines
from atoll.chem.molecules.elements import atomic_number, symbol_of
from atoll.chem.molecules.numerals import integer, real

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLOSEST = 0.01
"""Atoms nearer to each other than this (angstrom) are taken for a mistake."""


class InputError(ValueError):
    """The input of a calculation is wrong; the text is one line for the person who wrote it."""


@dataclass(frozen=True)
class Molecule:
    """A molecule with its basis, checked and ready to compute."""

    name: str
    symbols: tuple[str, ...]
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
        cls, text: str, basis: str, charge: int = 0, spin: int = 0, name: str = "molecule"
    ) -> Molecule:
        """Read the text of an XYZ file. `spin` is the number of unpaired electrons.

        Raises InputError for a malformed text, an unknown element or basis, and a number of
        electrons that does not go with `spin`.
        """
        symbols, positions = parse_xyz(text, name)
        electrons = sum(map(atomic_number, symbols)) - charge
        _check_electrons(electrons, charge, spin)
        functions, cores = _load_basis(basis, symbols)
        mole = pyscf_wheel.gto.Mole()
        mole.build(
            dump_input=False,
            parse_arg=False,
            verbose=0,
            atom=list(zip(symbols, positions.tolist(), strict=True)),
            unit="Angstrom",
            basis=functions,
            ecp=cores,
            charge=charge,
            spin=spin,
        )
        if max(mole.nelec) > mole.nao:
            raise InputError(
                f"basis '{basis}' has {mole.nao} functions, too few for {mole.nelectron} electrons"
            )
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
    def nuclear_repulsion(self) -> float:
        """Energy of the nuclei among themselves, in hartree."""
        return float(self.mole.energy_nuc())

    @property
    def formula(self) -> str:
        """The formula in Hill's order: carbon, hydrogen, then by the alphabet."""
        first = [symbol for symbol in ("C", "H") if {"C", symbol} <= set(self.symbols)]
        rest = sorted(set(self.symbols) - set(first))
        counts = [(symbol, self.symbols.count(symbol)) for symbol in first + rest]
        atoms = "".join(f"{symbol}{count if count > 1 else ''}" for symbol, count in counts)
        if self.charge == 0:
            return atoms
        size = "" if abs(self.charge) == 1 else str(abs(self.charge))
        return f"{atoms}{size}{'+' if self.charge > 0 else '-'}"


def parse_xyz(text: str, name: str) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Element symbols and positions (angstrom) of an XYZ file: number of atoms, comment, atoms.

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
        symbol = symbol_of(words[0])
        if symbol is None:
            raise InputError(f"{name}, line {number}: '{words[0]}' is not an element")
        position = [value for value in map(real, words[1:4]) if value is not None]
        if len(position) < 3:
            raise InputError(f"{name}, line {number}: the coordinates are not three numbers")
        symbols.append(symbol)
        positions.append(position)
    array = np.array(positions)
    _check_distances(array, name)
    return tuple(symbols), array


def _check_distances(positions: NDArray[np.float64], name: str) -> None:
    for atom in range(1, len(positions)):
        distances = np.linalg.norm(positions[:atom] - positions[atom], axis=1)
        if distances.min() < CLOSEST:
            other = int(distances.argmin())
            raise InputError(f"{name}: atoms {other + 1} and {atom + 1} are in the same place")


def _check_electrons(electrons: int, charge: int, spin: int) -> None:
    if spin < 0:
        raise InputError(f"spin {spin}: the number of unpaired electrons cannot be negative")
    if electrons < 1:
        raise InputError(f"charge {charge} leaves no electron")
    if spin == 0 and electrons % 2 != 0:
        raise InputError(
            f"{electrons} electrons (charge {charge}) cannot all be paired: "
            "check --charge and --spin"
        )
    if (electrons - spin) % 2 != 0 or spin > electrons:
        raise InputError(f"{electrons} electrons (charge {charge}) cannot have {spin} unpaired")


def _load_basis(basis: str, symbols: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Basis functions, and core potentials where the basis has some, by element."""
    if not basis.strip():
        raise InputError("the name of the basis is empty")
    if "gth" in basis.lower():
        raise InputError(f"basis '{basis}' needs GTH pseudopotentials, which are not supported")
    load = pyscf_wheel.gto.basis
    text = _nwchem_text(basis)
    functions: dict[str, Any] = {}
    cores: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice about another package of basis sets
        for symbol in dict.fromkeys(symbols):
            try:
                functions[symbol] = (
                    load.load(basis, symbol) if text is None else _functions_of(text, symbol)
                )
            except Exception as error:  # PySCF raises of many kinds for what it cannot read
                known = "not found for" in str(error)
                message = f"basis '{basis}' has no functions for {symbol}"
                raise InputError(message if known else f"basis '{basis}' is unknown") from None
            try:
                core = load.load_ecp(basis, symbol) if text is None else _core_of(text, symbol)
            except Exception:  # a basis without any core potentials, PySCF's way of saying so
                core = []
            if core:
                cores[symbol] = core
    return functions, cores


def _nwchem_text(basis: str) -> str | None:
    """Give what stands in a file of NWChem's format; None for names and other formats."""
    try:
        text = Path(basis).read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None
    return text if basis_file.is_nwchem(text) else None


def _functions_of(text: str, symbol: str) -> Any:
    lines = basis_file.lines_of(text, symbol)
    if not lines:
        raise InputError(f"not found for {symbol}")
    return pyscf_wheel.gto.basis.parse_nwchem.parse(lines)


def _core_of(text: str, symbol: str) -> Any:
    lines = basis_file.lines_of(text, symbol, "ECP")
    return pyscf_wheel.gto.basis.parse_nwchem_ecp.parse(lines) if lines else []
