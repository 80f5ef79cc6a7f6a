"""What the gradient needs of second-order amplitudes t = (ia|jb) / (e_i + e_j - e_a - e_b).

For shares x and y of opposite and of equal spins, s is x t_ij^ab of opposite spins and
y (t_ij^ab - t_ij^ba) of equal ones: the energy is half the sum of s (ia|jb) over spins. The sums
are made pair of blocks by pair of blocks; nothing of the size of the amplitudes is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll.chem.correlation.held import hold
from atoll.chem.correlation.pair_loop import Room, block_pairs, held_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.pair_loop import BlockPair
    from atoll.chem.correlation.ri_mp2 import Spin

    Matrix = NDArray[np.float64]


class Shares(NamedTuple):
    """Of the correlation of opposite and of equal spins; 1 and 1: MP2."""

    opposite: float = 1.0
    same: float = 1.0


class Sums(NamedTuple):
    """Of one spin."""

    density: atoll.Array
    """The sum over i, j and c of s_ij^ac t_ij^bc: a x b."""
    weighted: atoll.Array | None
    """The sum over j and b of s_ij^ab B[Q, jb]: Q x i x a, distributed by i as B is."""


def amplitude_sums(
    spins: Sequence[Spin], shares: Shares, memory: int, *, weighted: bool
) -> list[Sums]:
    """Give the sums of each spin; of closed shells those of one. Collective.

    Args:
        spins: B[Q, i, a], in memory, and energies: of closed shells one.
        shares: Of the correlation.
        memory: Bytes a rank for blocks.
        weighted: Whether weighted integrals are wanted beside the density.

    """
    sums = [_empty(spin, weighted) for spin in spins]
    if len(spins) == 1:
        _add_equal(spins[0], shares, memory, sums[0])
    else:
        for spin, of_spin in zip(spins, sums, strict=True):
            _add_equal(spin, Shares(0.0, shares.same), memory, of_spin)
        _add_opposite(spins, shares.opposite, memory, sums)
    spins[0].tensor.group.sync()
    return sums


def _empty(spin: Spin, weighted: bool) -> Sums:
    count, group = len(spin.virtual), spin.tensor.group
    density = atoll.zeros((count, count), group=group, name="second-order density")
    return Sums(density, hold(group, spin.tensor.shape, 0).array if weighted else None)


def _add_equal(spin: Spin, shares: Shares, memory: int, sums: Sums) -> None:
    """Add pairs of a spin with itself; of closed shells those with the other spin as well."""
    for pair, t in _amplitudes(spin, spin, memory):
        s = (shares.opposite + shares.same) * t - shares.same * t.transpose(0, 3, 2, 1)
        _add_left(sums, pair, s, t)
        if pair.rows != pair.columns:  # j with i come with i with j, and are not given again
            _add_right(sums, pair, s, t)


def _add_opposite(spins: Sequence[Spin], share: float, memory: int, sums: Sequence[Sums]) -> None:
    """Add pairs of one spin with the other."""
    for pair, t in _amplitudes(spins[0], spins[1], memory):
        s = share * t
        _add_left(sums[0], pair, s, t)
        _add_right(sums[1], pair, s, t)


def _add_left(sums: Sums, pair: BlockPair, s: Matrix, t: Matrix) -> None:
    """Add to the sums of i and a."""
    sums.density.at[...] += np.tensordot(s, t, axes=([0, 2, 3], [0, 2, 3]))
    if sums.weighted is not None:
        matrix = s.reshape(s.shape[0] * s.shape[1], -1)
        found = pair.right.reshape(len(pair.right), -1) @ matrix.T
        sums.weighted.at[:, pair.rows, :] += found.reshape(-1, *s.shape[:2])


def _add_right(sums: Sums, pair: BlockPair, s: Matrix, t: Matrix) -> None:
    """Add to the sums of j and b."""
    sums.density.at[...] += np.tensordot(s, t, axes=([0, 1, 2], [0, 1, 2]))
    if sums.weighted is not None:
        matrix = s.reshape(s.shape[0] * s.shape[1], -1)
        found = pair.left.reshape(len(pair.left), -1) @ matrix
        sums.weighted.at[:, pair.columns, :] += found.reshape(-1, *s.shape[2:])


def _amplitudes(left: Spin, right: Spin, memory: int) -> Iterator[tuple[BlockPair, Matrix]]:
    """Give t of this rank's pairs of blocks, i x a x j x b; of one spin with j not above i."""
    if 0 in left.tensor.shape or 0 in right.tensor.shape:
        return
    room = Room()
    for first, second in held_pairs(left.tensor, right.tensor, memory):
        for pair in block_pairs(first, second, memory // 4, ordered=left is right):
            t = pair.products(room)
            t /= np.add.outer(_gaps(left, pair.rows), _gaps(right, pair.columns))
            yield pair, t.reshape(-1, len(left.virtual), pair.right.shape[1], len(right.virtual))


def _gaps(spin: Spin, orbitals: slice) -> Matrix:
    return np.subtract.outer(spin.occupied[orbitals], spin.virtual).ravel()
