"""The orbitals of a mean field that are correlated, the same on all ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    import atoll


class Correlated(NamedTuple):
    """Coefficients (functions x orbitals) and energies (hartree) of the correlated orbitals."""

    occupied: NDArray[np.float64]
    occupied_energies: NDArray[np.float64]
    virtual: NDArray[np.float64]
    virtual_energies: NDArray[np.float64]


@dataclass(frozen=True)
class Reference:
    """A mean field as rank 0 has it: degenerate orbitals may be turned differently elsewhere."""

    energy: float
    """Of the mean field, hartree."""
    coefficients: NDArray[np.float64]
    """Spins x functions x orbitals."""
    energies: NDArray[np.float64]
    """Spins x orbitals, hartree."""
    occupations: NDArray[np.float64]
    """Spins x orbitals: full or empty."""

    @property
    def spins(self) -> int:
        """1: restricted; 2: unrestricted."""
        return len(self.energies)

    def correlated(self, spin: int, frozen: int | Sequence[int] | None) -> Correlated:
        """Give the correlated occupied and the virtual orbitals.

        Raises ValueError where `frozen` names orbitals that there are not.
        """
        active = self.active(spin, frozen)
        occupied = active & (self.occupations[spin] > 0)
        virtual = active & (self.occupations[spin] == 0)
        c, e = self.coefficients[spin], self.energies[spin]
        return Correlated(c[:, occupied], e[occupied], c[:, virtual], e[virtual])

    def density(self) -> NDArray[np.float64]:
        """Give the density of all electrons over basis functions."""
        whole: NDArray[np.float64] = np.einsum(
            "smp,sp,snp->mn", self.coefficients, self.occupations, self.coefficients, optimize=True
        )
        return whole

    def densities(self) -> NDArray[np.float64]:
        """Give the density of the electrons of each set of orbitals over basis functions."""
        return np.stack(
            [
                (coefficients * occupations) @ coefficients.T
                for coefficients, occupations in zip(
                    self.coefficients, self.occupations, strict=True
                )
            ]
        )

    def active(self, spin: int, frozen: Any) -> NDArray[np.bool_]:
        """Tell of each orbital whether it is correlated.

        `frozen`: so many lowest ones are not, or a list of those (unrestricted: or one each), in
        which -1 is the last one.
        """
        count = self.energies.shape[1]
        active = np.ones(count, dtype=bool)
        frozen = 0 if frozen is None else frozen
        if isinstance(frozen, (int, np.integer)):
            if not 0 <= frozen <= count:
                raise ValueError(f"frozen is {frozen}, expected 0 to {count} orbitals")
            active[:frozen] = False
            return active
        if len(frozen) == 0:
            return active
        listed = np.asarray(frozen if self.spins == 1 or np.ndim(frozen[0]) == 0 else frozen[spin])
        if listed.size > 0 and (listed.min() < -count or listed.max() >= count):
            raise ValueError(
                f"frozen is {frozen!r}, expected orbitals from 0 to {count - 1}, or from -1 down"
            )
        active[listed.astype(int)] = False
        return active


def agreed(mf: Any, group: atoll.Group, caller: str, *, kohn_sham: bool = False) -> Reference:
    """Give the orbitals of rank 0's mean field on all ranks. Collective, inside of `caller`.

    Raises:
        TypeError: A Kohn-Sham mean field, unless `kohn_sham`; complex orbitals.
        ValueError: Orbitals that are neither full nor empty.

    """
    if hasattr(mf, "xc") and not kohn_sham:
        raise TypeError(f"mf is a Kohn-Sham mean field ({mf.xc!r}), expected Hartree-Fock")
    coefficients = np.asarray(mf.mo_coeff)
    if np.iscomplexobj(coefficients):
        raise TypeError("mf.mo_coeff is complex, expected real orbitals")
    spins = 1 if coefficients.ndim == 2 else 2
    full = 2 / spins
    occupations = np.asarray(mf.mo_occ)
    if not np.all((occupations == 0) | (occupations == full)):
        found = sorted({float(x) for x in occupations.ravel()})
        raise ValueError(
            f"mf.mo_occ holds {found}, expected 0 and {full:g}: orbitals full or empty, as those "
            "of scf.UHF are in open shells, and those of scf.ROHF are not"
        )

    def from_rank_0(values: Any) -> NDArray[np.float64]:
        own = np.ascontiguousarray(np.asarray(values, dtype=np.float64))
        shape = own.shape if spins == 2 else (1, *own.shape)
        return np.asarray(group.broadcast(own)).reshape(shape)

    _core.enter(group, caller, b"")  # what fails before is told to all
    energy = float(group.broadcast(mf.e_tot))
    return Reference(
        energy, from_rank_0(coefficients), from_rank_0(mf.mo_energy), from_rank_0(mf.mo_occ)
    )
