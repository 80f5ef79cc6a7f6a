"""The diagonal of the Hamiltonian, and vectors to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.integrals import Integrals
    from atoll.chem.correlation.multireference.space import Segment
    from atoll.chem.correlation.multireference.vectors import Store, Vector

DETERMINANTS = 400
"""Of the matrix whose eigenvectors are starts, unless more roots are wanted."""
_REFERENCE_FIRST = 1e6  # hartree by which determinants of the reference come before all others

_SOFTENED = 0.3  # hartree, in weights of a generic vector


class Diagonal:
    """<a b|H|a b> in hartree, without the constant."""

    def __init__(self, integrals: Integrals) -> None:
        n = integrals.orbitals
        kk = np.arange(n) * (n + 1)
        by_four = integrals.two.reshape(n, n, n, n)
        self._orbitals = n
        self._one = np.diagonal(integrals.one)
        self._coulomb = integrals.two[np.ix_(kk, kk)]
        self._antisymmetric = self._coulomb - np.einsum("kllk->kl", by_four)

    def of(self, segment: Segment) -> NDArray[np.float64]:
        """Give it for a segment: alpha strings x beta strings."""
        alpha, beta = self._occupied(segment.alpha.strings), self._occupied(segment.beta.strings)
        values = alpha @ self._coulomb @ beta.T
        values += self._of_one_spin(alpha)[:, None]
        values += self._of_one_spin(beta)
        return np.asarray(values)

    def _occupied(self, strings: NDArray[np.uint64]) -> NDArray[np.float64]:
        bits = strings[:, None] >> np.arange(self._orbitals, dtype=np.uint64)
        occupied: NDArray[np.float64] = (bits & np.uint64(1)).astype(np.float64)
        return occupied

    def _of_one_spin(self, occupied: NDArray[np.float64]) -> NDArray[np.float64]:
        pairs = np.einsum("ik,kl,il->i", occupied, self._antisymmetric, occupied, optimize=True)
        return np.asarray(occupied @ self._one + pairs / 2)


def start_vectors(
    store: Store, integrals: Integrals, diagonal: Diagonal, roots: int
) -> list[Vector]:
    """Make orthonormal vectors near the lowest eigenvectors. Collective.

    They are eigenvectors over a few hundred determinants: those of the reference, the lowest ones
    if it has more, and the lowest others.
    """
    wanted = min(store.space.size, max(DETERMINANTS, 4 * roots))
    numbers = _lowest(store, diagonal, wanted)
    alpha, beta = _strings_of(store, numbers)
    matrix = _core.determinant_matrix(alpha, beta, integrals.one, integrals.two)
    _, all_vectors = np.linalg.eigh(matrix.reshape(len(numbers), -1))
    # Those of the first rank: processors may turn degenerate ones differently.
    vectors = store.group.broadcast(np.ascontiguousarray(all_vectors[:, :roots].T))
    made = []
    for weights in np.asarray(vectors).reshape(roots, -1):
        made.append(store.new())
        for segment in store.mine:
            inside = (numbers >= segment.offset) & (numbers < segment.end)
            if inside.any():
                values = np.zeros(segment.size)
                values[numbers[inside] - segment.offset] = weights[inside]
                made[-1].write(segment, values.reshape(segment.shape))
    store.group.sync()
    return made


def generic_vector(store: Store, diagonal: Diagonal, value: float, number: int) -> Vector:
    """Make a vector with a part in states of every symmetry and spin, most in low ones. Collective.

    What a start has no part in, a product with H has none in either: so the states of a symmetry
    that is not in other starts are found from this one. `value`: the lowest eigenvalue, hartree;
    `number`: which of many such vectors.
    """
    made = store.new()
    for segment in store.mine:
        random = np.random.default_rng((number, segment.offset))
        gaps = np.maximum(diagonal.of(segment) - value, 0.0) + _SOFTENED
        made.write(segment, random.uniform(-1.0, 1.0, segment.shape) / gaps**2)
    store.group.sync()
    return made


def _lowest(store: Store, diagonal: Diagonal, wanted: int) -> NDArray[np.int64]:
    """Numbers of the determinants with the lowest diagonal elements, ascending. Collective."""
    energies, numbers = np.zeros(0), np.zeros(0, dtype=np.int64)
    for segment in store.mine:
        values = diagonal.of(segment).ravel() - _REFERENCE_FIRST * segment.is_reference
        energies = np.append(energies, values)
        numbers = np.append(numbers, np.arange(segment.offset, segment.end))
        if len(energies) > wanted:
            kept = np.argpartition(energies, wanted - 1)[:wanted]
            energies, numbers = energies[kept], numbers[kept]
    ranks, rank = store.group.size, store.group.rank
    found = np.zeros((ranks, 2, wanted))
    found[rank, :, : len(energies)] = energies, numbers
    counts = np.zeros(ranks)
    counts[rank] = len(energies)
    found, counts = store.group.reduce(found), store.group.reduce(counts)
    of_all = np.hstack([each[:, : int(count)] for each, count in zip(found, counts, strict=True)])
    order = np.lexsort((of_all[1], of_all[0]))[:wanted]
    return np.sort(of_all[1, order].astype(np.int64))


def _strings_of(
    store: Store, numbers: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    ends = np.array([segment.end for segment in store.space.segments])
    alpha, beta = [], []
    for number, place in zip(numbers, np.searchsorted(ends, numbers, side="right"), strict=True):
        segment = store.space.segments[place]
        row, column = divmod(int(number) - segment.offset, segment.shape[1])
        alpha.append(segment.alpha.strings[row])
        beta.append(segment.beta.strings[column])
    return np.array(alpha, dtype=np.uint64), np.array(beta, dtype=np.uint64)
