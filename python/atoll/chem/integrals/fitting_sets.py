"""Fitting sets: which one PySCF would take, its functions, and what to tell people of it.

A set is what PySCF takes for `auxbasis`: a name, or names and functions by the symbols of atoms.
"""

from __future__ import annotations

import contextlib
import importlib
import io
from dataclasses import dataclass
from typing import Any

from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules.errors import InputError

NOT_CHOSEN_YET = "LDA,VWN"
"""What PySCF has for a functional before one is named: in these letters it decides nothing."""


@dataclass(frozen=True)
class Fit:
    """What is fitted, and by which set."""

    of: str
    """"Coulomb", "Coulomb and exchange", "correlation" or "all integrals"."""
    text: str
    functions: int


def of_mean_field(mole: Any, functional: str = "HF") -> Any:
    """Give the set that PySCF's `density_fit()` takes for Coulomb and exchange matrices.

    It hangs on the basis, as the user has named it, and on whether the functional has exact
    exchange. Elements that PySCF's set lacks, for which PySCF fails, have its even-tempered one.
    """
    addons: Any = importlib.import_module("pyscf.df.addons")
    if not isinstance(mole.basis, str) or functional == NOT_CHOSEN_YET:
        return addons.make_auxbasis(mole)
    name = addons.predefined_auxbasis(mole, mole.basis, functional)
    if name is not None and _has_all(mole, name):
        return name
    return addons.make_auxbasis(mole, xc=functional if name else "HF")


def of_correlation(mole: Any, chosen: Any = None, fit: Any = None) -> Any:
    """Give the set for correlation: `chosen`, else as PySCF's DFMP2.

    That takes the set of the mean field's own fit (`with_df`), if it has one, and else its choice
    for MP2 with the molecule's basis.
    """
    addons: Any = importlib.import_module("pyscf.df.addons")
    if chosen is not None:
        return chosen
    if fit is None:
        return addons.make_auxbasis(mole, mp2fit=True)
    return addons.make_auxbasis(mole) if fit.auxbasis is None else fit.auxbasis


def functions(mole: Any, chosen: Any = None, omega: float = 0.0) -> Any:
    """Give the functions of a set on a molecule's atoms, as PySCF's `Mole`; none: `of_mean_field`.

    With `omega` above zero integrals with them are of erf(omega r) / r, the long range. Raises
    InputError for a set that is unknown or lacks an element.
    """
    addons: Any = importlib.import_module("pyscf.df.addons")
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # PySCF's advice, which the error has
            auxiliary = addons.make_auxmol(mole, of_mean_field(mole) if chosen is None else chosen)
    except (RuntimeError, KeyError, AssertionError) as error:
        named = f"'{chosen}'" if isinstance(chosen, str) else "by element"
        reason = str(error).strip().splitlines()[0] if str(error).strip() else "unknown"
        raise InputError(f"fitting set {named} cannot be had for this molecule: {reason}") from None
    auxiliary.omega = omega
    return auxiliary


def fit(mole: Any, of: str, chosen: Any, text: str = "") -> Fit:
    """Tell of a fit by a set; `text`: how it was named, where it was. Raises InputError."""
    count = int(functions(mole, chosen).nao_nr())
    return Fit(of, text or told(mole, chosen), count)


def told(mole: Any, chosen: Any) -> str:
    """Give the names in a set, with their elements where there are several."""
    if isinstance(chosen, str):
        return chosen
    symbols = dict.fromkeys(mole.atom_symbol(atom) for atom in range(mole.natm))
    labels: dict[str, list[str]] = {}
    for symbol in symbols:
        value = chosen.get(symbol, chosen.get(symbol.split("-")[-1], chosen.get("default")))
        name = value if isinstance(value, str) else "even-tempered functions"
        labels.setdefault(name, []).append(symbol)
    if len(labels) == 1:
        return next(iter(labels))
    return ", ".join(f"{name} on {' '.join(of)}" for name, of in labels.items())


def _has_all(mole: Any, name: str) -> bool:
    """Tell whether a set has functions for all elements of a molecule."""
    try:
        for symbol in {mole.atom_symbol(atom) for atom in range(mole.natm)}:
            pyscf_wheel.gto.format_basis({symbol: name})
    except RuntimeError:
        return False
    return True
