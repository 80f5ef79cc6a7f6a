"""Basis sets and fitting sets as people write them: a name, a file, or one for each element.

"cc-pvdz" is for all atoms; "cc-pvdz,O=aug-cc-pvdz" has another one for oxygen. A ghost atom has its
element's functions, or its own: "cc-pvdz,ghost-O=cc-pvtz". PySCF is handed names as they are, since
it chooses fitting sets by them, and what stands in files as functions.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import basis_file
from atoll.chem.molecules.elements import element_of, label_of
from atoll.chem.molecules.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


MADE_FROM_THE_BASIS = ("autoaux",)
"""Fitting sets that PySCF makes when it is asked to, which are in no library."""


def assigned(
    text: str, symbols: Sequence[str], word: str = "basis", all_of_them: bool = True
) -> dict[str, str]:
    """Give the name or file of each symbol of a molecule's atoms.

    Raises InputError, by `word`, for a text that leaves atoms without one, where that is not
    allowed, or names elements that the molecule has not.
    """
    if not text.strip():
        raise InputError(f"the name of the {word} is empty")
    parts = _parts(text)
    for_elements = [] if parts == [text] and _is_file(text) else [p for p in parts if "=" in p]
    others = [part for part in parts if part not in for_elements]
    if len(others) > 1:
        raise InputError(f"{word} '{text}': {' and '.join(others)} are both for all elements")
    own = _own(text, for_elements, word)
    present = dict.fromkeys(symbols)
    for label in own:
        if label not in present and label not in map(element_of, present):
            raise InputError(f"{word} '{text}': there is no {label} in the molecule")
    found = {}
    for symbol in present:
        name = own.get(symbol) or own.get(element_of(symbol)) or (others[0] if others else "")
        if name:
            found[symbol] = name
        elif all_of_them:
            raise InputError(f"{word} '{text}': {symbol} has none")
    return found


def functions(text: str, symbols: Sequence[str], word: str = "basis") -> str | dict[str, Any]:
    """Give what PySCF takes for a `basis`: a name for all, or names and functions by symbol.

    Raises InputError, by `word`, for a set that is unknown or lacks an element.
    """
    names = assigned(text, symbols, word)
    texts = {name: nwchem_text(name, word) for name in names.values()}
    taken: dict[str, Any] = {}
    for symbol, name in names.items():
        taken[symbol] = _functions_of(name, texts[name], symbol, word)
    name, *more = texts
    return name if not more and texts[name] is None else taken


def _parts(text: str) -> list[str]:
    """Cut at commas outside of parentheses, which "6-31g(d,p)" has; a file's path may have "="."""
    if "=" not in text or _is_file(text):
        return [text]
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)]


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long for a name, for one
        return False


def _own(text: str, parts: list[str], word: str) -> dict[str, str]:
    """Give the names of "O=cc-pvtz" by symbols."""
    found: dict[str, str] = {}
    for part in parts:
        left, _, name = part.partition("=")
        label = label_of(left.strip())
        if label is None:
            raise InputError(f"{word} '{text}': '{left.strip()}' is not an element")
        if not name.strip():
            raise InputError(f"{word} '{text}': {label} has none")
        if label in found:
            raise InputError(f"{word} '{text}': {label} is there twice")
        found[label] = name.strip()
    return found


def nwchem_text(name: str, word: str) -> str | None:
    """Give what stands in a file; None for what is no file but a name.

    Raises InputError, by `word`, for a file that is not of NWChem's format, naming its line.
    """
    if not _is_file(name):
        _refuse_part_of_a_file(name, word)
        return None
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError(f"{word} '{name}' cannot be read: {error}") from None
    try:
        basis_file.check(text)
    except ValueError as error:
        raise InputError(f"{word} '{name}' is not of NWChem's format: {error}") from None
    return text


def _refuse_part_of_a_file(name: str, word: str) -> None:
    """Refuse what PySCF takes for a part of a file's functions, as it would read that file."""
    whole = re.sub(r"^unc", "", name, flags=re.IGNORECASE).split("@")[0]
    if whole != name and _is_file(whole):
        raise InputError(f"{word} '{name}' is a part of the file '{whole}': expected a whole one")


def lines_in(
    text: str,
    name: str,
    element: str,
    word: str,
    section: str = "BASIS",
    set_name: str = basis_file.ORBITALS,
) -> str:
    """Give `basis_file.lines_of` a file; raises InputError that names it."""
    try:
        return basis_file.lines_of(text, element, section, set_name)
    except ValueError as error:
        raise InputError(f"{word} '{name}': {error}") from None


def _functions_of(name: str, text: str | None, symbol: str, word: str) -> Any:
    """Give the name, or the functions of a file, of which it is known that PySCF takes them."""
    if text is None and "gth" in Path(name).name.lower():
        raise InputError(f"{word} '{name}' needs GTH pseudopotentials, which are not supported")
    lacking = f"{word} '{name}' has no functions for {element_of(symbol)}"
    value: Any = name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice about another package of basis sets
        try:
            if text is not None:
                value = _shells_in(text, name, element_of(symbol), word)
                if not value:
                    raise InputError(lacking)
            if value not in MADE_FROM_THE_BASIS or word == "basis":
                pyscf_wheel.gto.format_basis({symbol: value})
        except InputError:
            raise
        except Exception as error:  # PySCF raises of many kinds for what it cannot read
            known = "not found for" in str(error)
            raise InputError(lacking if known else f"{word} '{name}' is unknown") from None
    return value


def _shells_in(text: str, name: str, element: str, word: str) -> list[Any]:
    """Give an element's shells in a file: those for orbitals, or those for fitting."""
    sets = basis_file.sets_in(text)
    if not sets:
        return []
    wanted = [each for each in sets if (each == basis_file.ORBITALS) == (word == "basis")]
    if len(sets) == 1:
        wanted = sets
    if len(wanted) != 1:
        named = ", ".join(f"'{each}'" for each in sets)
        raise InputError(f"{word} '{name}' has sets named {named}: expected one that is meant")
    lines = lines_in(text, name, element, word, set_name=wanted[0])
    shells: list[Any] = pyscf_wheel.gto.basis.parse_nwchem.parse(lines) if lines else []
    if basis_file.is_cartesian(text, wanted[0]) and any(shell[0] > 1 for shell in shells):
        raise InputError(f"{word} '{name}' is of Cartesian functions: expected spherical ones")
    return shells
