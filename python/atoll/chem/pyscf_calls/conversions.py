"""A mean field as one of another kind: `to_uhf` and its like."""

from __future__ import annotations

import copy
import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective
from atoll.chem.pyscf_calls.absent import refusal
from atoll.chem.self_consistency import open_shells
from atoll.chem.self_consistency.field import Field

_SETTINGS_OF_A_KIND = {"xc", "grids", "xc_arrays", "disp", "init_guess_breaksym", "nelec"}


def _class_of(method: str) -> Any:
    """Give our class of a mean field, found by its name: it stands upon this module."""
    module = importlib.import_module(
        "atoll.chem.dft" if method.endswith("KS") else "atoll.chem.scf"
    )
    return getattr(module, method)


class Conversions(Field):
    """What PySCF's users turn a mean field into; orbitals go along. All are collective."""

    def to_rhf(self) -> Any:
        """Give restricted Hartree-Fock, of open shells ROHF."""
        return self._as("ROHF" if self.shared or int(self.mol.spin) != 0 else "RHF")

    def to_uhf(self) -> Any:
        """Give unrestricted Hartree-Fock."""
        return self._as("UHF")

    def to_hf(self) -> Any:
        """Give Hartree-Fock of the same kind of orbitals."""
        return self.to_uhf() if self.spins == 2 else self.to_rhf()

    def to_rks(self, xc: str | None = None) -> Any:
        """Give restricted Kohn-Sham, of open shells ROKS; `xc`: its functional, else this one's.

        That of Hartree-Fock is "HF".
        """
        return self._as("ROKS" if self.shared or int(self.mol.spin) != 0 else "RKS", xc)

    def to_uks(self, xc: str | None = None) -> Any:
        """Give unrestricted Kohn-Sham; `xc`: as in `to_rks`."""
        return self._as("UKS", xc)

    def to_ks(self, xc: str | None = None) -> Any:
        """Give Kohn-Sham of the same kind of orbitals; `xc`: as in `to_rks`."""
        return self.to_uks(xc) if self.spins == 2 else self.to_rks(xc)

    def view(self, kind: Any) -> Any:
        """Give a mean field of another class of ours with these settings and orbitals."""
        if isinstance(kind, type) and issubclass(kind, Field):
            return self._as(kind.method)
        raise refusal(f"view as {getattr(kind, '__name__', kind)}")

    def undo_df(self) -> Any:
        """Give a mean field like this one whose integrals are exact."""
        exact: Any = copy.copy(self)
        exact.with_df, exact.only_dfj = None, False
        return exact

    def remove_soscf(self) -> Any:
        """Give this one: there is no second-order solver to remove."""
        return self

    @collective
    def _as(self, method: str, xc: str | None = None) -> Any:
        if method == self.method and xc in (None, getattr(self, "xc", None)):
            return copy.copy(self)
        made = _class_of(method)(self.mol, group=self.group)
        for name, value in vars(self).items():
            if hasattr(made, name) and name not in _SETTINGS_OF_A_KIND:
                vars(made)[name] = value
        if method.endswith("KS"):
            made.xc = xc or getattr(self, "xc", "HF")
            for name in ("grids", "xc_arrays", "disp"):
                setattr(made, name, copy.copy(getattr(self, name, getattr(made, name))))
        made.solution = None
        if self.orbitals:
            self._give_orbitals(made)
        if method[-2:] != self.method[-2:]:  # another energy
            made.converged, made.e_tot = False, 0.0
        return made

    def _give_orbitals(self, made: Any) -> None:
        orbitals, energies, occupations = self._sets()
        if made.spins == 2 and len(orbitals) == 1:
            orbitals, energies = orbitals * 2, energies * 2
            occupations = open_shells.by_spin(occupations[0])
        elif made.spins == 1 and len(orbitals) == 2:
            # PySCF keeps alpha's orbitals, with the electrons of both.
            orbitals, energies = orbitals[:1], energies[:1]
            occupations = (occupations[0] + occupations[1],)
            made.converged = False
        made.orbitals, made._energies = orbitals, energies
        made._occupations = tuple(np.array(each) for each in occupations)

    if TYPE_CHECKING:

        def _sets(self) -> Any: ...
