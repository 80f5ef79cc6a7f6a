"""Second-order energies from fitted integrals (ia|jb), by pairs of blocks of orbitals i and j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from atoll._core import pair_energies
from atoll.chem.correlation.pair_loop import Room, block_pairs, held_pairs, needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.pair_loop import BlockPair
    from atoll.chem.correlation.three_index import PairTensor


class Energy(NamedTuple):
    """Correlation energy in hartree, by the spins of the two electrons."""

    same_spin: float
    opposite_spin: float

    @property
    def total(self) -> float:
        """Of MP2."""
        return self.same_spin + self.opposite_spin

    @property
    def scaled(self) -> float:
        """Spin-component scaled (Grimme 2003): 6/5 of opposite spins, 1/3 of the same."""
        return self.opposite_spin * 6 / 5 + self.same_spin / 3


@dataclass(frozen=True)
class Spin:
    """B[Q, i, a] of one spin, and the energies of its orbitals i and a."""

    tensor: PairTensor
    occupied: NDArray[np.float64]
    virtual: NDArray[np.float64]


def restricted(spin: Spin, memory: int) -> Energy:
    """Give the energy of closed shells; `memory`: bytes a rank for blocks. Collective."""
    return Energy(*_sums(spin, spin, memory))


def unrestricted(alpha: Spin, beta: Spin, memory: int) -> Energy:
    """Give the energy of open shells. Collective."""
    same = sum(_sums(spin, spin, memory)[0] for spin in (alpha, beta))
    return Energy(same / 2, _sums(alpha, beta, memory)[1])


def _sums(left: Spin, right: Spin, memory: int) -> tuple[float, float]:
    """Sum g (g - g^T) / d and g g / d over all pairs, g = (ia|jb); the first of one spin only."""
    terms = np.zeros(2)
    if 0 not in left.tensor.shape and 0 not in right.tensor.shape:
        room = Room()
        for first, second in held_pairs(left.tensor, right.tensor, memory):
            for pair in block_pairs(first, second, memory, ordered=left is right):
                for part in needed(pair, ordered=left is right):
                    terms += _energies(left, right, part, room)
    same, opposite = left.tensor.group.reduce(terms)
    return float(same), float(opposite)


def _energies(left: Spin, right: Spin, pair: BlockPair, room: Room) -> tuple[float, float]:
    return pair_energies(
        pair.products(room),
        np.ascontiguousarray(left.occupied[pair.rows]),
        pair.rows.start,
        np.ascontiguousarray(right.occupied[pair.columns]),
        pair.columns.start,
        left.virtual,
        right.virtual,
        left is right,
    )
