"""The chemical elements."""

from __future__ import annotations

import re

_TEXT = """
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br
    Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho
    Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es
    Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""
SYMBOLS = tuple(_TEXT.split())
"""By atomic number, from hydrogen."""
GHOST = "GHOST-"
"""What PySCF puts before the symbol of a ghost."""
_GHOST = re.compile(r"(?:ghost[-_.:]?|x[-_.:]|@|bq[-_.:]?)(\w+)|gh\((\w+)\)", re.IGNORECASE)
_NUMBERS = {symbol: number for number, symbol in enumerate(SYMBOLS, 1)}


def symbol_of(word: str) -> str | None:
    """Return the element named by symbol (in any case) or atomic number; None: no element."""
    if not word.isascii():  # by Python's rules of case a long s is an S, too
        return None
    if word.isdigit():
        number = int(word)
        return SYMBOLS[number - 1] if 1 <= number <= len(SYMBOLS) else None
    symbol = word.capitalize()
    return symbol if symbol in _NUMBERS else None


def atomic_number(symbol: str) -> int:
    """Return the atomic number of a symbol as in SYMBOLS."""
    return _NUMBERS[symbol]


def label_of(word: str) -> str | None:
    """Return the symbol of an atom or of a ghost: "O", "GHOST-O"; None: neither.

    A ghost, which has an element's functions and no charge, is written as in PySCF ("ghost-O",
    "X-O"), Psi4 ("@O", "Gh(O)") or NWChem ("bqO").
    """
    symbol = symbol_of(word)
    if symbol is not None:
        return symbol
    match = _GHOST.fullmatch(word)
    symbol = symbol_of(match[1] or match[2]) if match else None
    return None if symbol is None else GHOST + symbol


def is_ghost(label: str) -> bool:
    """Tell whether a symbol of `label_of`, or of an atom of PySCF's `Mole`, is that of a ghost."""
    return label.upper().startswith((GHOST, "X-"))


def element_of(label: str) -> str:
    """Return the element whose functions an atom or a ghost has."""
    return label.removeprefix(GHOST)
