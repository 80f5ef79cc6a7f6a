"""Which orbitals are occupied: the lowest ones, or smeared over a temperature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.optimize
import scipy.special

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Occupations:
    """How electrons are put into orbitals.

    Attributes:
        electrons: Of each spin; one number: both together, two in an orbital.
        smearing: Width of the Fermi distribution in hartree; 0: none.
        shared: Whether two spins have the same orbitals; `open_shells.filled` then fills them.
        fix_spin: Whether smeared electrons of either spin stay as many as they are; else both
            spins have one level.

    """

    electrons: tuple[int, ...]
    smearing: float = 0.0
    shared: bool = False
    fix_spin: bool = True

    @property
    def full(self) -> float:
        """Electrons that an orbital holds."""
        return 2.0 if len(self.electrons) == 1 or self.shared else 1.0

    def occupied(self, spin: int) -> int:
        """Give the number of occupied orbitals without smearing."""
        return self.electrons[spin] // (2 if len(self.electrons) == 1 else 1)

    def ends(self, spin: int) -> tuple[int, ...]:
        """Give after how many orbitals there are fewer electrons in them, without smearing."""
        return self.electrons if self.shared else (self.occupied(spin),)

    def of(self, energies: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Give the occupations of orbitals with ascending energies, of each spin."""
        if self.smearing > 0.0 and len(energies) == 2 and not self.fix_spin:
            both = self._filled(np.concatenate(energies), float(sum(self.electrons)))
            return np.split(both, [len(energies[0])])
        return [self._of_spin(spin, e) for spin, e in enumerate(energies)]

    def entropy(self, occupations: Sequence[NDArray[np.float64]]) -> float:
        """Give the entropy times temperature, in hartree: what the free energy is lower by."""
        if self.smearing == 0.0:
            return 0.0
        filled = np.concatenate(list(occupations)) / self.full
        terms = scipy.special.entr(filled) + scipy.special.entr(1.0 - filled)
        return float(self.smearing * self.full * terms.sum())

    def _of_spin(self, spin: int, energies: NDArray[np.float64]) -> NDArray[np.float64]:
        count = self.electrons[spin] / self.full
        if self.smearing > 0.0 and 0 < count < len(energies):
            return self._filled(energies, count)
        occupations = np.zeros(len(energies))
        occupations[: self.occupied(spin)] = self.full
        return occupations

    def _filled(self, energies: NDArray[np.float64], count: float) -> NDArray[np.float64]:
        """Smear so many times `full` electrons over orbitals."""

        def filled(level: float) -> NDArray[np.float64]:
            return np.asarray(scipy.special.expit((level - energies) / self.smearing))

        width = 50 * self.smearing
        solve: Any = scipy.optimize.brentq  # without types
        level = solve(
            lambda x: float(filled(x).sum()) - count, energies.min() - width,
            energies.max() + width, xtol=1e-14,
        )  # fmt: skip
        weights = filled(level)
        weights[weights < 1e-14] = 0.0
        return self.full * weights
