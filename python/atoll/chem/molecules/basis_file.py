"""Basis sets in files of NWChem's format: the lines that belong to one element.

PySCF finds an element by the comments that some programs write above its shells; in a file without
them it takes all shells of the file for those of any element.
"""

from __future__ import annotations

import re

_SHELLS = {"S", "P", "D", "F", "G", "H", "I", "K", "L", "SP"}
_WORDS = {"BASIS", "ECP", "END", "SPHERICAL", "CARTESIAN"}


def is_nwchem(text: str) -> bool:
    """Tell whether all headings of shells are an element and a letter."""
    headings = [
        line.split() for section, line in _lines(text) if section == "BASIS" and line[0].isalpha()
    ]
    return bool(headings) and all(
        len(words) == 2 and words[1].upper() in _SHELLS for words in headings
    )


def lines_of(text: str, symbol: str, section: str = "BASIS") -> str:
    """Give the element's lines of a section, "BASIS" or "ECP"; empty where it has none."""
    found = []
    mine = False
    for where, line in _lines(text):
        if where != section:
            continue
        if line[0].isalpha():
            mine = _element(line.split()[0]) == symbol.upper()
        if mine:
            found.append(line)
    return "\n".join(found)


def _element(word: str) -> str:
    """Give the element of a tag, as C of `C1` and `c_bridge`."""
    return re.split(r"[^A-Za-z]", word)[0].upper()


def _lines(text: str) -> list[tuple[str, str]]:
    """Give the lines that say something, with the section that each is in."""
    result = []
    section = "BASIS"  # also without a word of it
    for raw in text.splitlines():
        line = raw.split("#")[0].strip()
        if not line:
            continue
        word = line.split()[0].upper()
        if word in _WORDS:
            section = word if word in ("BASIS", "ECP") else section
            continue
        result.append((section, line))
    return result
