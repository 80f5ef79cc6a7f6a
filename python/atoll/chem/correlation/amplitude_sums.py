"""What the gradient needs of second-order amplitudes t = (ia|jb) / (e_i + e_j - e_a - e_b).

With s = (x + y) t_ij^ab - y t_ij^ba, for shares x and y of opposite and of equal spins, the energy
of closed shells is the sum of s (ia|jb). The sums are made pair of blocks by pair of blocks, and
nothing of the size of the amplitudes is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll.chem.correlation.held import hold
from atoll.chem.correlation.pair_loop import Room, block_pairs, held_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll.chem.correlation.pair_loop import BlockPair
    from atoll.chem.correlation.ri_mp2 import Spin

    Matrix = NDArray[np.float64]


class Shares(NamedTuple):
    """Of the correlation of opposite and of equal spins; 1 and 1: MP2."""

    opposite: float = 1.0
    same: float = 1.0


class _Amplitudes(NamedTuple):
    """Of a pair of blocks: i x a x j x b."""

    pair: BlockPair
    plain: Matrix
    contrasted: Matrix

    @property
    def apart(self) -> bool:
        """Whether the blocks are two: then j, i come with them, which is not given again."""
        return self.pair.rows != self.pair.columns


def amplitude_density(spin: Spin, shares: Shares, memory: int) -> atoll.Array:
    """Give the sum over i, j and c of s_ij^ac t_ij^bc: a x b, distributed. Collective.

    `memory`: bytes a rank for blocks.
    """
    density = _square(spin)
    for block in _amplitudes(spin, shares, memory):
        _add_density(density, block)
    spin.tensor.group.sync()
    return density


def weighted_integrals(spin: Spin, shares: Shares, memory: int) -> tuple[atoll.Array, atoll.Array]:
    """Give the sum over j and b of s_ij^ab B[Q, jb], and `amplitude_density`. Collective.

    The first is Q x i x a, distributed by i as B is.
    """
    density = _square(spin)
    weighted = hold(spin.tensor.group, spin.tensor.shape, 0).array
    for block in _amplitudes(spin, shares, memory):
        _add_density(density, block)
        i, a, j, b = block.contrasted.shape
        matrix = block.contrasted.reshape(i * a, j * b)
        left, right = (each.reshape(len(each), -1) for each in (block.pair.left, block.pair.right))
        weighted.at[:, block.pair.rows, :] += (right @ matrix.T).reshape(-1, i, a)
        if block.apart:
            weighted.at[:, block.pair.columns, :] += (left @ matrix).reshape(-1, j, b)
    spin.tensor.group.sync()
    return weighted, density


def _square(spin: Spin) -> atoll.Array:
    count = len(spin.virtual)
    return atoll.zeros((count, count), group=spin.tensor.group, name="second-order density")


def _add_density(density: atoll.Array, block: _Amplitudes) -> None:
    found = np.tensordot(block.contrasted, block.plain, axes=([0, 2, 3], [0, 2, 3]))
    if block.apart:
        found += np.tensordot(block.contrasted, block.plain, axes=([0, 1, 2], [0, 1, 2]))
    density.at[...] += found


def _amplitudes(spin: Spin, shares: Shares, memory: int) -> Iterator[_Amplitudes]:
    """Give the amplitudes of this rank's pairs of blocks, j not above i."""
    if 0 in spin.tensor.shape:
        return
    room = Room()
    count = len(spin.virtual)
    for first, second in held_pairs(spin.tensor, spin.tensor, memory):
        for pair in block_pairs(first, second, memory // 4, ordered=True):
            t = pair.products(room)
            t /= np.add.outer(_gaps(spin, pair.rows), _gaps(spin, pair.columns))
            plain = t.reshape(-1, count, pair.columns.stop - pair.columns.start, count)
            contrasted = (shares.opposite + shares.same) * plain
            contrasted -= shares.same * plain.transpose(0, 3, 2, 1)
            yield _Amplitudes(pair, plain, contrasted)


def _gaps(spin: Spin, orbitals: slice) -> Matrix:
    return np.subtract.outer(spin.occupied[orbitals], spin.virtual).ravel()
