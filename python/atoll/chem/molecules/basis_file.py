"""Basis sets and core potentials in files of NWChem's format: the lines that belong to one element.

PySCF finds an element by the comments that some programs write above its shells; in a file without
them it takes all shells of the file for those of any element. It passes over numbers and headings
that it has no use for, and takes some that mean something else. Here each line is understood, or
the file is refused by it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from atoll.chem.molecules.numerals import integer, real

if TYPE_CHECKING:
    from collections.abc import Iterator

ORBITALS = "ao basis"
"""The name of the section, or of none, that is meant for orbitals."""
_SHELLS = {"S", "P", "D", "F", "G", "H", "I", "K", "SP"}
"""Without L, which is one of s and p functions for some, and of l = 8 for others."""
_PROJECTORS = (_SHELLS - {"SP"}) | {"UL"}
_KINDS = {"SPHERICAL", "CARTESIAN"}
_WITHOUT_EFFECT = {"PRINT", "NOPRINT", "SEGMENT", "NOSEGMENT"}
_HIGHEST_POWER = 6
"""Of r in a core potential."""


class _Line(NamedTuple):
    """A line that says something, and where it stands."""

    number: int
    begin: int
    """Number of the line that heads its section."""
    section: str
    name: str
    cartesian: bool
    text: str

    @property
    def words(self) -> list[str]:
        return self.text.split()

    @property
    def is_heading(self) -> bool:
        return self.text[0].isalpha()


def check(text: str) -> None:
    """Raise ValueError, with the line, unless all headings and sections are understood."""
    above = None
    for line in _lines(text):
        if line.is_heading and not _is_heading_of(line):
            expected = "H S" if line.section == "BASIS" else "I nelec 46, I ul or I S"
            raise ValueError(f"line {line.number}, '{line.text}': expected a heading as {expected}")
        if not line.is_heading and (above is None or above.begin != line.begin):
            raise ValueError(f"line {line.number}, '{line.text}': expected a heading above it")
        above = line


def sets_in(text: str) -> list[str]:
    """Give the names of the sets in a file: `ORBITALS`, "ri-mp2 basis" and so on."""
    return list(dict.fromkeys(line.name for line in _lines(text) if line.section == "BASIS"))


def is_cartesian(text: str, name: str) -> bool:
    """Tell whether a set is headed as one of Cartesian functions."""
    return any(line.cartesian for line in _lines(text) if line.name == name)


def lines_of(text: str, symbol: str, section: str = "BASIS", name: str = ORBITALS) -> str:
    """Give the element's lines of a section, "BASIS" or "ECP"; empty where it has none.

    Numbers are as Python writes them. `name`: of which set, where it is a basis. Raises ValueError
    for shells and potentials that are not whole, and for what stands in place of a number.
    """
    found: list[tuple[_Line, list[_Line]]] = []
    mine = False
    for line in _lines(text):
        if line.section != section or (section == "BASIS" and line.name != name):
            continue
        if line.is_heading:
            mine = _element(line.words[0]) == symbol.upper()
            if mine:
                found.append((line, []))
        elif mine:
            found[-1][1].append(line)
    _check_one_kind_of_atom([heading for heading, _ in found], symbol)
    if section == "ECP" and found:
        _check_potential(found, symbol)
    rows_of = _rows_of_shell if section == "BASIS" else _rows_of_projector
    written = []
    for heading, rows in found:
        written += [heading.text, *rows_of(heading, rows)]
    return "\n".join(written)


def _rows_of_shell(heading: _Line, rows: list[_Line]) -> Iterator[str]:
    """Give an exponent and its coefficients, as many in all rows of a shell."""
    if not rows:
        raise ValueError(f"'{heading.text}' in line {heading.number} has no functions")
    columns = 3 if heading.words[1].upper() == "SP" else len(rows[0].words)
    for row in rows:
        values = _numbers(row)
        if len(values) < 2 or len(values) != columns:
            raise ValueError(
                f"'{row.text}' in line {row.number}: expected an exponent and its coefficients"
                + (f", {columns} numbers" if columns > 2 else "")
            )
        if not values[0] > 0.0:
            raise ValueError(f"the exponent {row.words[0]} is not above 0")
        yield " ".join(map(repr, values))


def _rows_of_projector(heading: _Line, rows: list[_Line]) -> Iterator[str]:
    """Give a power of r, an exponent and a coefficient each."""
    if bool(rows) == (heading.words[1].upper() == "NELEC"):
        raise ValueError(f"'{heading.text}' in line {heading.number} has no rows, or too many")
    for row in rows:
        values = _numbers(row)
        power = integer(row.words[0])
        if len(values) != 3 or power is None or not 0 <= power <= _HIGHEST_POWER or values[1] < 0.0:
            raise ValueError(
                f"'{row.text}' in line {row.number}: expected a power of r, an exponent and a "
                "coefficient"
            )
        yield f"{power} {values[1]!r} {values[2]!r}"


def _numbers(row: _Line) -> list[float]:
    values = []
    for word in row.words:
        value = real(word)
        if value is None:  # PySCF would take it for a formula of Python's
            raise ValueError(f"'{word}' is not a number")
        values.append(value)
    return values


def _check_one_kind_of_atom(headings: list[_Line], symbol: str) -> None:
    for heading in headings:
        tag, first = heading.words[0].upper(), headings[0].words[0].upper()
        if tag != first:
            raise ValueError(f"{first} and {tag} are both {symbol}: expected one kind of atoms")
        if heading.begin != headings[0].begin:
            raise ValueError(f"{symbol} is in two sections, before and behind line {heading.begin}")


def _check_potential(found: list[tuple[_Line, list[_Line]]], symbol: str) -> None:
    """Raise ValueError unless the electrons that are replaced and each projector are there once."""
    parts = [heading.words[1].upper() for heading, _ in found]
    for part in parts:
        if parts.count(part) > 1:
            raise ValueError(f"the core potential of {symbol} has '{part}' twice")
    if "NELEC" not in parts or len(parts) == 1:
        lacking = "'nelec'" if "NELEC" not in parts else "rows"
        raise ValueError(f"the core potential of {symbol} has no {lacking}")


def _is_heading_of(line: _Line) -> bool:
    """Tell whether a line that begins with a letter is a heading of its section."""
    words = line.text.upper().split()
    if line.section == "ECP" and words[1:2] == ["NELEC"]:
        count = integer(words[2]) if len(words) == 3 else None
        return count is not None and count >= 0
    return len(words) == 2 and words[1] in (_SHELLS if line.section == "BASIS" else _PROJECTORS)


def _element(word: str) -> str:
    """Give the element of a tag, as C of `C1` and `c_bridge`."""
    return re.split(r"[^A-Za-z]", word)[0].upper()


def _lines(text: str) -> Iterator[_Line]:
    """Give the lines that say something. Raises ValueError for what stands between sections."""
    begin, section, name, cartesian = 1, "BASIS", ORBITALS, False  # also without a word of it
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.split("[#!]", raw)[0].strip()
        words = line.upper().split()
        if not words:
            continue
        if words[0] in ("BASIS", "ECP"):
            begin, section, (name, cartesian) = number, words[0], _heading(line, number)
        elif words == ["END"]:
            section = ""
        elif len(words) == 1 and words[0] in _KINDS and section == "BASIS":
            cartesian = words[0] == "CARTESIAN"
        elif not section:
            raise ValueError(f"line {number}, '{line}': expected BASIS, ECP or nothing behind END")
        else:
            yield _Line(number, begin, section, name, cartesian, line)


def _heading(line: str, number: int) -> tuple[str, bool]:
    """Give the name in the heading of a section, and whether its functions are Cartesian."""
    match = re.fullmatch(r"""\w+\s*(?:"([^"]*)"|'([^']*)')?(.*)""", line)
    assert match is not None
    name = match[1] or match[2]
    words = match[3].split()
    if name is None and words and words[0].upper() not in _KINDS | _WITHOUT_EFFECT:
        name = words.pop(0)
    for word in words:
        if word.upper() not in _KINDS | _WITHOUT_EFFECT:
            raise ValueError(f"line {number}, '{line}': '{word}' is not understood")
    return (name or ORBITALS).lower(), "CARTESIAN" in map(str.upper, words)
