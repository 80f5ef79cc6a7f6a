"""Core potentials: those that belong to a basis set, and those that are named.

PySCF keeps the potentials of some basis sets under another name, and takes none unless it is told.
A basis set of valence functions alone, without a potential, would put inner electrons into them.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import basis_sets
from atoll.chem.molecules.elements import atomic_number, is_ghost
from atoll.chem.molecules.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

NONE = "none"
_ELSEWHERE = {
    r"bfdv.z": ("bfd-pp", 3),
    r"ccecphe.*": ("ccecp-he", 11),
    r"ccecp.+": ("ccecp", 3),
    r"(aug)?ccpw?c?v.zpp": ("cc-pvdz-pp", 29),
    r"ccpv.zppnr": ("", 29),  # those that are not relativistic are nowhere
    r"def2m.*": ("def2-svp", 37),
}
"""Names of basis sets, of small letters and digits; where PySCF has their potentials; and the
atomic number from which on all elements need one."""
SMALLEST = 0.5
"""Of the square of the atomic number: the largest exponent of s functions for all electrons."""


def core_potentials(
    basis: str, functions: str | dict[str, Any], symbols: Sequence[str], named: str = ""
) -> dict[str, Any]:
    """Give what PySCF takes for `ecp`: the potentials of those elements that have one.

    `functions` are those of the basis, as from `basis_sets.functions`. `named`: a name or a file,
    or one for each element, instead of what belongs to the basis; "none": none at all. Ghost atoms
    have none.

    Raises InputError for names that are unknown, and where an element has neither a potential nor
    functions for its inner electrons.
    """
    if named == NONE:
        return {}
    atoms = [symbol for symbol in dict.fromkeys(symbols) if not is_ghost(symbol)]
    cores = _named(named, atoms) if named else {}
    sets = basis_sets.assigned(basis, symbols)
    for symbol in atoms:
        there, needed = _of_basis(sets[symbol], symbol)
        if not named and there is not None:
            cores[symbol] = there
        if symbol in cores:
            continue
        if needed or not _has_inner_functions(functions, symbol):
            raise InputError(
                f"basis '{sets[symbol]}' has no functions for the inner electrons of {symbol}, and "
                "there is no core potential: name one, as --core-potential ccecp"
            )
    return cores


def _named(text: str, atoms: Sequence[str]) -> dict[str, Any]:
    names = basis_sets.assigned(text, atoms, "core-potential", all_of_them=False)
    found = {symbol: _load(name, symbol) for symbol, name in names.items()}
    for name in dict.fromkeys(names.values()):
        if all(found[symbol] is None for symbol, each in names.items() if each == name):
            raise InputError(f"core-potential '{name}' is unknown, or has none for this molecule")
    return {symbol: core for symbol, core in found.items() if core is not None}


def _of_basis(name: str, symbol: str) -> tuple[Any, bool]:
    """Give the potential that belongs to a basis set, and whether its functions need one."""
    own = _load(name, symbol)
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    for pattern, (other, first) in _ELSEWHERE.items():
        if re.fullmatch(pattern, plain):
            needed = atomic_number(symbol) >= first
            return own or (_load(other, symbol) if other else None), needed
    return own, own is not None


def _load(name: str, symbol: str) -> Any:
    """Give a potential as PySCF takes it; None: there is none."""
    text = basis_sets.nwchem_text(name, "core-potential")
    if text is not None:
        lines = basis_sets.lines_in(text, name, symbol, "core-potential", "ECP")
        return pyscf_wheel.gto.basis.parse_nwchem_ecp.parse(lines) if lines else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return name if pyscf_wheel.gto.basis.load_ecp(name, symbol) else None
        except Exception:  # a name without any core potentials, PySCF's way of saying so
            return None


def _has_inner_functions(functions: str | dict[str, Any], symbol: str) -> bool:
    """Tell whether there is an s function that is as narrow as the innermost electrons are."""
    number = atomic_number(symbol)
    if number <= 2:
        return True
    own = functions if isinstance(functions, str) else functions[symbol]
    shells = pyscf_wheel.gto.format_basis({symbol: own})[symbol]
    exponents = [
        row[0] for shell in shells if shell[0] == 0 for row in shell[1:] if not isinstance(row, int)
    ]
    return max(exponents, default=0.0) > SMALLEST * number**2
