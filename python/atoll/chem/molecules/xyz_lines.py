"""What the lines of an XYZ file around the atoms say: which columns are read, and what may follow.

`Properties=` and `Lattice=` are those of extended XYZ (https://github.com/libAtoms/extxyz).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from atoll.chem.molecules.elements import symbol_of
from atoll.chem.molecules.numerals import integer, real

if TYPE_CHECKING:
    from collections.abc import Sequence

_SETTING = re.compile(
    r"\s*[$%&]|.*\b(charge|chrg|mult\w*|spin|uhf|unpaired|basis|units?|bohr|lattice|cell|pbc)\b",
    re.IGNORECASE,
)


class Columns(NamedTuple):
    """Which columns of a line an atom is in, from 0."""

    element: int = 0
    position: int = 1
    """The first one of three."""
    total: int | None = None
    """How many a line has; None: these, and any others behind them."""

    def words(self, line: str) -> list[str]:
        """Give the element and three coordinates. Raises ValueError saying what is missing."""
        words = line.split()
        if self.total is None and len(words) < 4:
            raise ValueError("expected an element and three coordinates")
        if self.total is not None and len(words) != self.total:
            raise ValueError(f"{len(words)} columns, expected {self.total} as Properties says")
        return [words[self.element], *words[self.position : self.position + 3]]


def columns_of(comment: str) -> Columns:
    """Tell by the comment line where an atom's element and position are.

    Raises ValueError for `Properties=` without them, and for a periodic cell.
    """
    if _value("Lattice", comment) is not None:
        directions = (_value("pbc", comment) or "T T T").split()
        if any(each.lower() not in ("f", "false", "0") for each in directions):
            raise ValueError(
                'Lattice is that of a periodic system, expected a molecule: pbc="F F F" beside it'
            )
    properties = _value("Properties", comment)
    return Columns() if properties is None else _named(properties)


def check_trailing(lines: Sequence[str], first: int, count: int, columns: Columns) -> None:
    """Let lines behind the atoms pass that cannot be meant for the calculation.

    Raises ValueError for the first one that may be: an atom, a cell, another structure, a setting.
    `first` is the number of the first line, `count` that of the atoms announced.
    """
    for number, line in enumerate(lines, first):
        words = line.split()
        if not words:
            continue
        what = ""
        if len(words) == 1 and integer(words[0]) is not None:
            what = "another structure"
        elif _is_like_an_atom(line, columns):
            what = "another atom or a vector of a cell"
        elif _SETTING.match(line):
            what = "a setting"
        if what:
            short = line.strip() if len(line.strip()) <= 40 else f"{line.strip()[:37]}..."
            raise ValueError(
                f"line {number}: '{short}' after the {count} atoms announced may be {what}"
            )


def _is_like_an_atom(line: str, columns: Columns) -> bool:
    """Tell whether a line reads as those of the atoms do, or as a name and three numbers."""
    for each in (columns, Columns()):
        try:
            name, *position = each.words(line)
        except ValueError:
            continue
        named = symbol_of(name) is not None or real(name) is None
        if named and all(real(word) is not None for word in position):
            return True
    return False


def _value(key: str, comment: str) -> str | None:
    """Give the value of `key=value` or `key="value"`; None: there is none."""
    found = re.search(rf"""(?:^|\s){key}\s*=\s*("[^"]*"|'[^']*'|\S+)""", comment, re.IGNORECASE)
    return found[1].strip("\"'") if found else None


def _named(properties: str) -> Columns:
    """Find the columns of "species:S:1:pos:R:3"."""
    fields = properties.split(":")
    places: dict[str, tuple[str, int, int]] = {}
    begin = 0
    for place in range(0, len(fields), 3):
        triple = fields[place : place + 3]
        width = integer(triple[2]) if len(triple) == 3 else None
        if width is None or width < 1:
            raise ValueError(f"Properties is '{properties}', expected name:type:columns:...")
        places[triple[0].lower()] = (triple[1].upper(), begin, width)
        begin += width
    element = places.get("species") or places.get("z")
    position = places.get("pos")
    if element is None or element[2] != 1 or element[0] not in ("S", "I"):
        raise ValueError(f"Properties is '{properties}', expected species:S:1 or Z:I:1 in it")
    if position is None or position[2] != 3 or position[0] not in ("R", "I"):
        raise ValueError(f"Properties is '{properties}', expected pos:R:3 in it")
    return Columns(element[1], position[1], begin)
