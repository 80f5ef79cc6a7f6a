"""Orbitals of one's own for a correlated method, in place of those of its mean field."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.chem.correlation.mean_field_hamiltonian import forget_if_changed, require_orbitals
from atoll.chem.molecules.supported import require_supported


class WithOrbitals:
    """A mean field that is as it was, but for its orbitals, and the energy and levels of them.

    Made by `with_orbitals`; collective, where the mean field's methods are.
    """

    def __init__(self, mean_field: Any, mo_coeff: Any, mo_occ: Any) -> None:
        self.of = mean_field
        """Whose orbitals they are not."""
        self.mo_coeff = np.asarray(mean_field.mo_coeff if mo_coeff is None else mo_coeff)
        self.mo_occ = np.asarray(mean_field.mo_occ if mo_occ is None else mo_occ)
        if np.iscomplexobj(self.mo_coeff):
            raise TypeError("mo_coeff is complex, expected real orbitals")
        functions = int(mean_field.mol.nao_nr())
        if self.mo_coeff.ndim not in (2, 3) or self.mo_coeff.shape[-2] != functions:
            raise ValueError(
                f"mo_coeff has shape {self.mo_coeff.shape}, expected {functions} functions x "
                "orbitals, or two of these"
            )
        if self.mo_coeff.shape[-1] != self.mo_occ.shape[-1]:
            raise ValueError(
                f"mo_coeff has {self.mo_coeff.shape[-1]} orbitals, expected {self.mo_occ.shape[-1]}"
                " as mo_occ"
            )
        density = mean_field.make_rdm1(self.mo_coeff, self.mo_occ)
        potential = mean_field.get_veff(mean_field.mol, density)
        self.e_tot = float(mean_field.energy_tot(density, vhf=potential))
        fock = np.asarray(mean_field.get_hcore()) + np.asarray(potential)
        sets = zip(_sets(self.mo_coeff), _focks(fock, self.mo_coeff.ndim == 3), strict=True)
        levels = [np.einsum("mp,mn,np->p", c, f, c, optimize=True) for c, f in sets]
        self.mo_energy = np.array(levels).reshape((*self.mo_occ.shape[:-1], -1))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "of" not in vars(self):  # one that is being copied has none yet
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.of, name)

    def make_rdm1(self) -> Any:
        """Give the density of these orbitals."""
        return self.of.make_rdm1(self.mo_coeff, self.mo_occ)


def computed(mean_field: Any, caller: str) -> None:
    """Compute a mean field that has no orbitals yet, as PySCF does; refuse what it is not.

    Collective, where the mean field's methods are. Raises what `require_orbitals` does.
    """
    require_supported(mean_field.mol, caller, cartesian=True)
    forget_if_changed(mean_field)
    if mean_field.mo_coeff is None:
        mean_field.run()
    require_orbitals(mean_field, caller)


def with_orbitals(mean_field: Any, mo_coeff: Any, mo_occ: Any) -> Any:
    """Give a mean field with orbitals in place of its own; with none, itself. Collective."""
    if mo_coeff is None and mo_occ is None:
        return mean_field
    return WithOrbitals(mean_field, mo_coeff, mo_occ)


def _sets(coefficients: Any) -> list[Any]:
    return list(coefficients) if coefficients.ndim == 3 else [coefficients]


def _focks(focks: Any, of_two: bool) -> list[Any]:
    if of_two:
        return list(focks)
    return [focks.mean(axis=0) if focks.ndim == 3 else focks]
