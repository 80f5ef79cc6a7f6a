"""The highest occupied and the lowest unoccupied orbital, alike in reports, files and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

OCCUPIED = 1e-6
"""Electrons of an orbital from which on it is occupied."""


class Frontier(NamedTuple):
    """Numbers of orbitals of one spin, from 0; None: there is none."""

    homo: int | None
    lumo: int | None


def frontier_of(energies: NDArray[np.float64], occupations: NDArray[np.float64]) -> Frontier:
    """Find them among the orbitals of one spin, or of both alike."""
    occupied = occupations > OCCUPIED
    filled, empty = np.flatnonzero(occupied), np.flatnonzero(~occupied)
    return Frontier(
        int(filled[energies[filled].argmax()]) if len(filled) else None,
        int(empty[energies[empty].argmin()]) if len(empty) else None,
    )


def by_spin(mean_field: Any) -> list[tuple[str, NDArray[np.float64], NDArray[np.float64]]]:
    """Give name ("" where spins are alike), energies and occupations of each spin's orbitals."""
    names = [""] if mean_field.spins == 1 else ["alpha", "beta"]
    energies = np.reshape(np.asarray(mean_field.mo_energy), (mean_field.spins, -1))
    occupations = np.reshape(np.asarray(mean_field.mo_occ), (mean_field.spins, -1))
    return list(zip(names, energies, occupations, strict=True))


def frontier_levels(mean_field: Any) -> dict[str, float]:
    """Give the energies of "HOMO" and "LUMO", or "HOMO alpha" and so on, in hartree."""
    levels = {}
    for spin, energies, occupations in by_spin(mean_field):
        found = frontier_of(energies, occupations)
        for name, orbital in (("HOMO", found.homo), ("LUMO", found.lumo)):
            if orbital is not None:
                levels[f"{name} {spin}".strip()] = float(energies[orbital])
    return levels
