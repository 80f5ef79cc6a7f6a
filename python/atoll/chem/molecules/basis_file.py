"""Basis sets in files of NWChem's format: the lines that belong to one element.

PySCF finds an element by the comments that some programs write above its shells; in a file without
them it takes all shells of the file for those of any element.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from atoll.chem.molecules.numerals import real

ORBITALS = "ao basis"
"""The name of the section, or of none, that is meant for orbitals."""
_SHELLS = {"S", "P", "D", "F", "G", "H", "I", "K", "L", "SP"}
_WORDS = {"BASIS", "ECP", "END", "SPHERICAL", "CARTESIAN"}


def is_nwchem(text: str) -> bool:
    """Tell whether all headings of shells are an element and a letter."""
    headings = [
        line.words for line in _lines(text) if line.section == "BASIS" and line.text[0].isalpha()
    ]
    return bool(headings) and all(
        len(words) == 2 and words[1].upper() in _SHELLS for words in headings
    )


def sets_in(text: str) -> list[str]:
    """Give the names of the sets in a file: `ORBITALS`, "ri-mp2 basis" and so on."""
    return list(dict.fromkeys(line.name for line in _lines(text) if line.section == "BASIS"))


def is_cartesian(text: str, name: str) -> bool:
    """Tell whether a set is headed as one of Cartesian functions."""
    return any(line.cartesian for line in _lines(text) if line.name == name)


def lines_of(text: str, symbol: str, section: str = "BASIS", name: str = ORBITALS) -> str:
    """Give the element's lines of a section, "BASIS" or "ECP"; empty where it has none.

    `name`: of which set, where it is a basis. Raises ValueError for what stands in place of a
    number.
    """
    found = []
    mine = False
    for line in _lines(text):
        if line.section != section or (section == "BASIS" and line.name != name):
            continue
        if line.text[0].isalpha():
            mine = _element(line.words[0]) == symbol.upper()
        if mine:
            found.append(line.text)
            wrong = [] if line.text[0].isalpha() else [w for w in line.words if real(w) is None]
            if wrong:  # PySCF would take it for a formula of Python's
                raise ValueError(f"'{wrong[0]}' is not a number")
            if section == "BASIS" and not line.text[0].isalpha():
                _check_row(line)
    return "\n".join(found)


def _check_row(line: _Line) -> None:
    """Raise ValueError unless a line has an exponent and coefficients."""
    if len(line.words) < 2:
        raise ValueError(f"'{line.text}': expected an exponent and its coefficients")
    exponent = real(line.words[0])
    if exponent is None or not exponent > 0.0:
        raise ValueError(f"the exponent {line.words[0]} is not above 0")


def _element(word: str) -> str:
    """Give the element of a tag, as C of `C1` and `c_bridge`."""
    return re.split(r"[^A-Za-z]", word)[0].upper()


class _Line(NamedTuple):
    """A line that says something, and where it stands."""

    section: str
    name: str
    cartesian: bool
    text: str

    @property
    def words(self) -> list[str]:
        return self.text.split()


def _lines(text: str) -> list[_Line]:
    """Give the lines that say something."""
    result = []
    section, name, cartesian = "BASIS", ORBITALS, False  # also without a word of it
    for raw in text.splitlines():
        line = raw.split("#")[0].strip()
        if not line:
            continue
        words = line.upper().split()
        if words[0] in _WORDS:
            if words[0] in ("BASIS", "ECP"):
                quoted = re.search(r'"([^"]*)"', line)
                section, name = words[0], quoted[1].lower() if quoted else ORBITALS
                cartesian = False
            cartesian = cartesian or "CARTESIAN" in words
            continue
        result.append(_Line(section, name, cartesian, line))
    return result
