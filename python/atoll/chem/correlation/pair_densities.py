"""Second-order densities of orbitals a from amplitudes of pairs, t = (ia|jb) / (e_i+e_j-e_a-e_b).

With orbitals i and a exchanged, and energies of opposite sign, the amplitudes are the same: so what
gives the density of virtual orbitals gives the loss of the occupied ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.correlation.pair_loop import Room, block_pairs, held_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll.chem.correlation.pair_loop import BlockPair
    from atoll.chem.correlation.ri_mp2 import Spin

    Matrix = NDArray[np.float64]


def restricted_density(spin: Spin, memory: int) -> Matrix:
    """Give the sum over pairs and c of 2 t_ac (2 t_bc - t_cb), on every rank. Collective."""
    density = _zeros(spin)
    for pair, t in _amplitudes(spin, spin, memory):
        t[_order(pair) < 0] = 0
        contrasted = 2 * t.transpose(0, 1, 3, 2) - t
        density += _products(t, contrasted)
        t[_order(pair) == 0] = 0  # i above j stands for j above i as well, whose t is transposed
        density += _products(contrasted, t)
    return np.asarray(spin.tensor.group.reduce(density + density.T))


def unrestricted_densities(alpha: Spin, beta: Spin, memory: int) -> tuple[Matrix, Matrix]:
    """Give the densities of both spins, on every rank. Collective."""
    densities = (_zeros(alpha), _zeros(beta))
    for spin, density in zip((alpha, beta), densities, strict=True):
        for pair, t in _amplitudes(spin, spin, memory):
            t[_order(pair) < 0] = 0
            t -= t.transpose(0, 1, 3, 2).copy()
            density += _products(t, t.transpose(0, 1, 3, 2))
    for _, t in _amplitudes(alpha, beta, memory):
        densities[0][...] += _products(t, t.transpose(0, 1, 3, 2))
        densities[1][...] += _products(t.transpose(0, 1, 3, 2), t)
    group = alpha.tensor.group
    return np.asarray(group.reduce(densities[0])), np.asarray(group.reduce(densities[1]))


def _zeros(spin: Spin) -> Matrix:
    return np.zeros((len(spin.virtual), len(spin.virtual)))


def _amplitudes(left: Spin, right: Spin, memory: int) -> Iterator[tuple[BlockPair, Matrix]]:
    """Give t of this rank's pairs of blocks: i x j x a x b."""
    if 0 in left.tensor.shape or 0 in right.tensor.shape:
        return
    room = Room()
    for first, second in held_pairs(left.tensor, right.tensor, memory):
        for pair in block_pairs(first, second, memory // 4, ordered=left is right):
            occupied = left.occupied[pair.rows, None] + right.occupied[None, pair.columns]
            virtual = left.virtual[:, None] + right.virtual[None, :]
            integrals = pair.products(room).reshape(
                occupied.shape[0], len(left.virtual), occupied.shape[1], len(right.virtual)
            )
            t = integrals.transpose(0, 2, 1, 3) / (occupied[:, :, None, None] - virtual)
            yield pair, np.ascontiguousarray(t)


def _order(pair: BlockPair) -> NDArray[np.int64]:
    """Give i - j of each pair of orbitals."""
    i = np.arange(pair.rows.start, pair.rows.stop)
    return np.subtract.outer(i, np.arange(pair.columns.start, pair.columns.stop))


def _products(left: Matrix, right: Matrix) -> Matrix:
    """Sum the products of matrices over all i and j."""
    return np.asarray(np.tensordot(left, right, axes=([0, 1, 3], [0, 1, 2])))
