"""Pairs of orbitals, and what is symmetric or antisymmetric in them.

A product over all pairs of pairs costs a quarter, twice, when both sides are split into what stays
and what changes its sign when two orbitals are exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class VirtualPairs:
    """Unordered pairs of virtual orbitals, each kept with one of the two.

    Orbital a keeps its pairs with itself and with the orbitals before it, cyclically, up to half
    way round: so all keep equally many, up to one.
    """

    count: int
    """Number of orbitals."""
    left: NDArray[np.int64]
    """Of each pair the orbital that keeps it, ascending."""
    right: NDArray[np.int64]
    """The other one."""
    first: NDArray[np.int64]
    """First pair of each orbital; at the end the number of pairs."""

    def of(self, orbitals: slice) -> slice:
        """Give the pairs that consecutive orbitals keep."""
        return slice(int(self.first[orbitals.start]), int(self.first[orbitals.stop]))


def virtual_pairs(count: int) -> VirtualPairs:
    """Deal the pairs of so many orbitals."""
    left, right, sizes = [], [], []
    for a in range(count):
        # Half way round of an even circle is met from both sides: the lower half keeps it.
        steps = (count - 1) // 2 + (1 if count % 2 == 0 and a < count // 2 else 0)
        partners = (a - np.arange(steps + 1)) % count
        left.append(np.full(steps + 1, a))
        right.append(partners)
        sizes.append(steps + 1)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return VirtualPairs(
        count,
        np.concatenate([np.empty(0, dtype=np.int64), *left]),
        np.concatenate([np.empty(0, dtype=np.int64), *right]),
        first,
    )


@dataclass(frozen=True)
class OccupiedPairs:
    """Pairs i >= j, or i > j where the sign changes: elements of squares o x o."""

    sign: int
    """1: symmetric; -1: antisymmetric."""
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    order: int
    """Number of orbitals."""

    @property
    def size(self) -> int:
        """Number of pairs."""
        return len(self.left)

    def packed(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give s[ij] + sign s[ji] of squares in the last two dimensions."""
        flat = squares.reshape(*squares.shape[:-2], -1)
        taken = np.take(flat, self.left * self.order + self.right, axis=-1)
        other = np.take(flat, self.right * self.order + self.left, axis=-1)
        if self.sign > 0:
            taken += other
        else:
            taken -= other
        return taken

    def add_to(self, squares: NDArray[np.float64], packed: NDArray[np.float64]) -> None:
        """Add packed values to both triangles of contiguous squares, the lower with their sign.

        The diagonal gets them once.
        """
        flat = squares.reshape(*squares.shape[:-2], -1)
        flat[..., self.left * self.order + self.right] += packed
        apart = self.left != self.right
        mirrored = (self.right * self.order + self.left)[apart]
        flat[..., mirrored] += self.sign * packed[..., apart]


def occupied_pairs(order: int) -> list[OccupiedPairs]:
    """Give the symmetric pairs of so many orbitals, and the others where there are any."""
    both = []
    for sign in (1, -1):
        left, right = np.tril_indices(order, 0 if sign > 0 else -1)
        if len(left) > 0:
            both.append(OccupiedPairs(sign, left, right, order))
    return both


def unpacked(parts: list[NDArray[np.float64]], pairs: list[OccupiedPairs]) -> NDArray[np.float64]:
    """Give squares o x o, symmetric parts and antisymmetric ones added up."""
    order = pairs[0].order
    squares = np.zeros((*parts[0].shape[:-1], order, order))
    for part, kind in zip(parts, pairs, strict=True):
        kind.add_to(squares, part)
    return squares
