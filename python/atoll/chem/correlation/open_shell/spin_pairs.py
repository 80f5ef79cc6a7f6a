"""Pairs of electrons by their spins, and the pairs of orbitals that they are in.

Electrons of one spin are in pairs of different orbitals, whose exchange changes the sign: each
pair is there once. Electrons of two spins are in any two orbitals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.correlation.coupled_cluster.pairs import (
    OccupiedPairs,
    VirtualPairs,
    unpacked,
    virtual_pairs,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Spins = tuple[int, int]
    """Of the two electrons of a pair: 0 is alpha, 1 is beta."""


@dataclass(frozen=True)
class SpinPairs:
    """Pairs of virtual orbitals cd and of occupied ones ij, of two electrons' spins."""

    spins: Spins
    virtual: VirtualPairs
    left: NDArray[np.int64]
    """Of each pair of occupied orbitals the first electron's, ascending."""
    right: NDArray[np.int64]
    occupied: tuple[int, int]
    """Number of occupied orbitals of each electron."""

    @property
    def same(self) -> bool:
        """Whether the spins are equal."""
        return self.spins[0] == self.spins[1]

    @property
    def size(self) -> int:
        """Number of pairs of occupied orbitals."""
        return len(self.left)

    @property
    def sign(self) -> int:
        """Of the exchanged integrals that electrons see beside the others; 0: they see none."""
        return -1 if self.same else 0

    def packed(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give s[ij] - s[ji], or s[ij] for two spins, of squares in the last two dimensions."""
        if self.same:
            return self._antisymmetric().packed(squares)
        return squares.reshape(*squares.shape[:-2], self.size)

    def unpacked(self, packed: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give squares i x j of pairs, for equal spins both triangles."""
        if self.same:
            return unpacked([packed], [self._antisymmetric()])
        return packed.reshape(*packed.shape[:-1], *self.occupied)

    def _antisymmetric(self) -> OccupiedPairs:
        return OccupiedPairs(-1, self.left, self.right, self.occupied[0])


def spin_pairs(occupied: Mapping[int, int], virtual: Mapping[int, int]) -> list[SpinPairs]:
    """Give the pairs of electrons that two excitations at a time are possible for.

    Numbers of orbitals by spin; a spin without excitations is not there.
    """
    found = []
    for spin, o in occupied.items():
        if o > 1 and virtual[spin] > 1:
            left, right = np.tril_indices(o, -1)
            of_virtual = virtual_pairs(virtual[spin])
            found.append(SpinPairs((spin, spin), of_virtual, left, right, (o, o)))
    if len(occupied) == 2:
        both = occupied[0], occupied[1]
        left, right = _grid(*both)
        of_virtual = _all_pairs(virtual[0], virtual[1])
        found.append(SpinPairs((0, 1), of_virtual, left, right, both))
    return found


def _all_pairs(count: int, others: int) -> VirtualPairs:
    """Give each of so many orbitals all of the others."""
    left, right = _grid(count, others)
    return VirtualPairs(count, left, right, others * np.arange(count + 1))


def _grid(rows: int, columns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the row and the column of each element, row by row."""
    return np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)
