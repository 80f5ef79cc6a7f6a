"""Which of PySCF's molecules are computed: the gate that all classes pass.

A `Mole` can say that its integrals are other ones than those of plain nuclei, electrons and core
potentials over spherical functions. What is not computed so is refused here, by name.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from atoll.chem.integrals import pyscf_wheel

_HONOURED = {"energy_nuc", "build", "kernel"}
"""Methods that may be replaced: the first is called, the others make a molecule."""
_THEIRS = "pyscf.gto."
OWN_ENERGY = 1e-10
"""Hartree: by so much an energy of the nuclei differs from that of their charges."""


def require_supported(mol: Any, caller: str, *, cartesian: bool = False) -> None:
    """Refuse a molecule whose energy would come out as that of another one.

    Args:
        mol: PySCF's `Mole`.
        caller: Who is asked, for the message.
        cartesian: Whether Cartesian functions can be computed.

    Raises:
        TypeError: It is no `Mole`.
        NotImplementedError: It is a periodic cell, a model without atoms, has a GTH
            pseudopotential, an attenuated interaction, methods of its own, or Cartesian functions.
        ValueError: It was not built.

    """
    if not isinstance(mol, pyscf_wheel.gto.mole.MoleBase):
        raise TypeError(f"mol is {type(mol).__name__}, expected PySCF's Mole")
    if hasattr(type(mol), "lattice_vectors"):
        raise NotImplementedError(
            f"{caller} of a periodic cell (mol is {type(mol).__module__}.{type(mol).__name__}): "
            "expected a molecule"
        )
    if mol.cart and not cartesian:
        raise NotImplementedError(
            f"{caller} with Cartesian functions (mol.cart): expected spherical ones"
        )
    if not mol._built:
        raise ValueError("mol has not been built yet: call mol.build()")
    if mol.natm == 0:
        raise NotImplementedError(f"{caller} of a model without atoms (mol.natm is 0)")
    if len(mol._pseudo) > 0:
        raise NotImplementedError(
            f"{caller} with GTH pseudopotentials (mol.pseudo of {', '.join(sorted(mol._pseudo))}): "
            "core potentials are mol.ecp's"
        )
    if mol.omega != 0.0:
        raise NotImplementedError(
            f"{caller} with an attenuated Coulomb interaction (mol.omega is {mol.omega:g}): "
            "expected 0"
        )
    replaced = _replaced(mol)
    if replaced:
        raise NotImplementedError(f"{caller} of a molecule whose {replaced[0]} was replaced")


def has_own_nuclear_energy(mol: Any) -> bool:
    """Tell whether the energy of the nuclei is not that of their charges (`mol.enuc` was set)."""
    plain = float(pyscf_wheel.gto.mole.classical_coulomb_energy(mol))
    return bool(np.abs(float(mol.enuc) - plain) > OWN_ENERGY * max(1.0, np.abs(plain)))


def _replaced(mol: Any) -> list[str]:
    """Give the methods of a molecule that a user has replaced, in the object or in a class."""
    found = set(vars(mol))
    for kind in type(mol).__mro__:
        if kind.__module__.startswith(_THEIRS):
            break
        found |= set(vars(kind))
    theirs = pyscf_wheel.gto.Mole
    return sorted(
        name
        for name in found - _HONOURED
        if not name.startswith("__") and callable(inspect.getattr_static(theirs, name, None))
    )
