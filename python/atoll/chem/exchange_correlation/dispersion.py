"""Dispersion corrections D3, by the package `dftd3`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll.chem.integrals import pyscf_grids
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
        version: One of `DAMPING`, as PySCF's `disp`; followed by "atm" it has the term of three
            atoms, and by ":b2plyp" the parameters of that method.

    Raises:
        InputError: no such correction, or no parameters for the functional.
        ModuleNotFoundError: `dftd3` is not installed.

    """
    try:
        method, kind, three_atoms = pyscf_grids.split_correction(functional, version)
    except ValueError:
        method, kind, three_atoms = functional, "", False
    damping = DAMPING.get(kind)
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
        named = method.lower().replace("_", "-").removesuffix("-v")
        parameters = getattr(interface, damping)(method=named, atm=three_atoms)
    except (RuntimeError, TypeError):
        raise InputError(f"{kind} has no parameters for functional '{method}'") from None
    # Atomic numbers of the elements, which those of core potentials are not; of ghosts 0.
    numbers = np.array([mole.atom_nelec_core(i) + mole.atom_charge(i) for i in range(mole.natm)])
    gradient = np.zeros((mole.natm, 3))
    atoms = numbers > 0
    if not atoms.any():
        return Dispersion(0.0, gradient)
    model = interface.DispersionModel(numbers[atoms], mole.atom_coords()[atoms])
    found = model.get_dispersion(parameters, grad=True)
    gradient[atoms] = found["gradient"]
    return Dispersion(float(found["energy"]), gradient)
