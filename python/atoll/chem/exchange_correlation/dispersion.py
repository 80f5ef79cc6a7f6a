"""Dispersion corrections D3, by the package `dftd3`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll.chem.molecules import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

DAMPING = {
    "d3bj": "RationalDampingParam",
    "d3zero": "ZeroDampingParam",
    "d3bjm": "ModifiedRationalDampingParam",
    "d3zerom": "ModifiedZeroDampingParam",
    "d3op": "OptimizedPowerDampingParam",
}
"""The corrections by PySCF's names, and the package's classes for them."""


class Dispersion(NamedTuple):
    """What a dispersion correction adds."""

    energy: float
    """hartree"""
    gradient: NDArray[np.float64]
    """Atoms x 3, hartree/bohr."""


def dispersion(mole: Any, functional: str, version: str = "d3bj") -> Dispersion:
    """Compute the dispersion correction of a molecule. Not collective: equal on every rank.

    Args:
        mole: PySCF's `Mole`.
        functional: Whose parameters; "hf" has some, too.
        version: One of `DAMPING`; followed by "atm" it has the term of three atoms.

    Raises:
        InputError: no such correction, or no parameters for the functional.
        ModuleNotFoundError: `dftd3` is not installed.

    """
    pairs, three_atoms, _ = version.lower().partition("atm")
    damping = DAMPING.get(pairs.removesuffix("2b"))
    if damping is None:
        raise InputError(
            f"dispersion correction '{version}' is unknown: expected one of {', '.join(DAMPING)}"
        )
    try:
        interface: Any = importlib.import_module("dftd3.interface")
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"the dispersion correction {version} needs the package dftd3: pip install dftd3"
        ) from None
    try:
        # Where a correction takes the place of VV10, the package's name is without the V.
        method = functional.lower().removesuffix("-v").removesuffix("_v")
        parameters = getattr(interface, damping)(method=method, atm=bool(three_atoms))
    except (RuntimeError, TypeError):
        raise InputError(f"{version} has no parameters for functional '{functional}'") from None
    # Atomic numbers of the elements, which those of core potentials are not.
    numbers = np.array([mole.atom_nelec_core(i) + mole.atom_charge(i) for i in range(mole.natm)])
    model = interface.DispersionModel(numbers, mole.atom_coords())
    found = model.get_dispersion(parameters, grad=True)
    return Dispersion(float(found["energy"]), np.asarray(found["gradient"]))
