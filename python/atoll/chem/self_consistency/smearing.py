"""Smeared occupations under PySCF's names: a width that can be set, or called."""

from __future__ import annotations

import copy
from typing import Any

from atoll.chem.molecules import InputError
from atoll.chem.pyscf_calls.absent import refusal
from atoll.chem.self_consistency.field import Field


class Width(float):
    """The width of a mean field, hartree, which PySCF's users call for one with another width."""

    _of: Any

    @classmethod
    def of(cls, value: float, mean_field: Any) -> Width:
        """Give the width of a mean field."""
        width = cls(value)
        width._of = mean_field
        return width

    def __call__(
        self, sigma: float | None = None, method: str = "fermi", mu0: Any = None,
        fix_spin: bool = False,
    ) -> Any:  # fmt: skip
        """Give a mean field like this one, smeared.

        Args:
            sigma: Width, hartree; none: none.
            method: "fermi"; others are not here.
            mu0: A chemical potential of one's own: not here.
            fix_spin: Whether the electrons of either spin stay as many as they are; else one level
                is that of both.

        """
        if method != "fermi":
            raise refusal(f"smearing by {method!r}", "expected 'fermi'")
        if mu0 is not None:
            raise refusal("smearing with mu0, a chemical potential of one's own,")
        smeared = copy.copy(self._of)
        smeared.smearing, smeared.fix_spin = sigma or 0.0, fix_spin
        return smeared

    def __reduce__(self) -> Any:
        return float, (float(self),)


class Smeared(Field):
    """Smearing of a mean field, and the energies that belong to it."""

    _smearing: float
    _entropy: float
    fix_spin: bool
    """Whether smeared electrons of either spin stay as many; else one level is both's."""

    @property
    def smearing(self) -> Width:
        """Width of a Fermi distribution of the occupations, hartree; 0: none."""
        return Width.of(self._smearing, self)

    @smearing.setter
    def smearing(self, width: float) -> None:
        if not float(width) >= 0.0:
            raise InputError(f"smearing is {width!r}, expected 0 or more")
        self._smearing = float(width)

    @property
    def sigma(self) -> float:
        """PySCF's name of the width."""
        return self._smearing

    @sigma.setter
    def sigma(self, width: float | None) -> None:
        self.smearing = width or 0.0

    @property
    def smearing_method(self) -> str:
        """The distribution."""
        return "fermi"

    @property
    def entropy(self) -> float:
        """Of the electrons over their orbitals, in units of Boltzmann's constant."""
        return self._entropy / self._smearing if self._smearing else 0.0

    @property
    def e_free(self) -> float:
        """Energy less width times entropy, hartree: what is smallest, and has the gradient."""
        return self.e_tot - self._entropy

    @property
    def e_zero(self) -> float:
        """Energy less half of that, hartree: near the one without smearing."""
        return self.e_tot - 0.5 * self._entropy

    def undo_smearing(self) -> Any:
        """Give a mean field like this one without smearing."""
        sharp: Any = copy.copy(self)
        sharp.smearing = 0.0
        return sharp
