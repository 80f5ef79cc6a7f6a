"""The lowest eigenvalues of the Hamiltonian, with vectors in segments (Davidson 1975).

Scalar products among all vectors of the subspace are computed, those of the basis with itself, too:
so its vectors need not be orthogonal to the last digit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.linalg

from atoll._stop import stop_point
from atoll.chem.correlation.multireference.linear_algebra import (
    combined,
    products,
    read_mine,
    weighted,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.space import Segment
    from atoll.chem.correlation.multireference.vectors import Store, Vector

    Block = NDArray[np.float64]

SMALLEST_DENOMINATOR = 1e-3  # hartree
SETTLED = 1e-2
"""Hartree: norm of a residual below which a guard is near one state, no longer a mixture."""
RESOLVED = 0.1
"""Of how far a guard is above: such a norm, where states lie close to each other; the square bounds
what a guard still has of a state below."""
_NOTHING_NEW = 1e-10  # squared length of what a vector adds to the subspace


class Iteration(NamedTuple):
    """What an iteration found: values in hartree, norms of residuals."""

    values: NDArray[np.float64]
    residuals: NDArray[np.float64]


class Eigenpairs(NamedTuple):
    """What was found, the same on every rank but for the vectors' segments; normalised."""

    values: NDArray[np.float64]
    vectors: list[Vector]
    converged: NDArray[np.bool_]
    iterations: list[Iteration]


class Davidson:
    """Finds eigenpairs; all of it is collective.

    Args:
        store: Makes vectors.
        add_product: Adds the matrix times the first vector to the second.
        diagonal: Of the matrix, for a segment.
        tolerance: Largest change of a value in the last iteration, hartree.
        residual: Largest norm of a residual.
        max_iterations: Products for all roots, at most.
        max_space: Vectors in the subspace, at most; at least three times the roots are taken.
        after: Called in each iteration with the basis, the weights of the best vectors in it
            (basis x roots), and what the iteration has found.

    """

    def __init__(
        self,
        store: Store,
        add_product: Callable[[Vector, Vector], None],
        diagonal: Callable[[Segment], Block],
        *,
        tolerance: float,
        residual: float,
        max_iterations: int,
        max_space: int,
        after: Callable[[list[Vector], NDArray[np.float64], Iteration], None] | None = None,
    ) -> None:
        self._store, self._add_product, self._diagonal = store, add_product, diagonal
        self._tolerance, self._residual = tolerance, residual
        self._max_iterations, self._max_space = max_iterations, max_space
        self._after = after
        self._basis: list[Vector] = []
        self._images: list[Vector] = []
        self._overlap = np.zeros((0, 0))
        self._matrix = np.zeros((0, 0))

    def solve(
        self, start: list[Vector], values: NDArray[np.float64] | None = None, guards: int = 0
    ) -> Eigenpairs:
        """Find as many of the lowest pairs as there are vectors to start from; these are used up.

        Collective. `values`: of an iteration before that the first vectors are of. `guards`: so
        many pairs less are wanted; the others are followed until they are above these.
        """
        followed, new = len(start), start
        roots = followed - guards
        most = max(self._max_space, (8 if guards else 3) * followed)
        before = np.full(followed, np.inf)
        if values is not None:
            before[: len(values)] = values
        self._basis, self._images = [], []
        self._overlap = self._matrix = np.zeros((0, 0))
        iterations: list[Iteration] = []
        while True:
            self._extend(new)
            values, weights = self._lowest(followed)
            residuals, steps = self._steps(values, weights)
            iterations.append(Iteration(values[:roots], residuals[:roots]))
            if self._after is not None:
                self._after(self._basis, weights[:, :roots], iterations[-1])
            converged = residuals <= self._residual
            converged &= (np.abs(values - before) <= self._tolerance) | (residuals <= 1e-9)
            above = values[roots:] - values[roots - 1]
            settled = np.minimum(SETTLED, RESOLVED * above)
            converged[roots:] |= residuals[roots:] < settled
            before = values
            if not converged.all():
                stop_point(self._store.group, saved=self._after is not None)
            new = [] if converged.all() else self._new_directions(steps, ~converged)
            _destroy(steps)
            if not new or len(iterations) >= self._max_iterations:
                break
            if len(self._basis) + len(new) > most:
                self._collapse(weights)
        _destroy(new)
        vectors = combined(self._store, self._basis, weights[:, :roots])
        _destroy(self._basis + self._images)
        return Eigenpairs(values[:roots], vectors, converged[:roots], iterations)

    def _extend(self, new: list[Vector]) -> None:
        """Take new vectors into the subspace, with their products."""
        images = [self._store.new() for _ in new]
        for vector, image in zip(new, images, strict=True):
            self._add_product(vector, image)
        self._basis += new
        self._images += images
        count = len(self._basis)
        found = products(self._store, self._basis, [*new, *images])
        self._overlap = _bordered(self._overlap, found[:, : len(new)], count)
        self._matrix = _bordered(self._matrix, found[:, len(new) :], count)

    def _lowest(self, roots: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        values, vectors = scipy.linalg.eigh(self._matrix, self._overlap)
        # Those of the first rank: processors may round differently.
        group = self._store.group
        of_first = group.broadcast(np.ascontiguousarray(np.vstack([values, vectors])[:, :roots]))
        of_all = np.asarray(of_first).reshape(-1, roots)
        return of_all[0], of_all[1:]

    def _steps(
        self, values: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], list[Vector]]:
        """Give the norms of the residuals, and these over differences of diagonal elements."""
        count = len(self._basis)
        steps = [self._store.new() for _ in values]
        squares = np.zeros(len(values))
        for segment, blocks in read_mine(self._store, [*self._basis, *self._images]):
            diagonal = self._diagonal(segment)
            for root, value in enumerate(values):
                residual = weighted(blocks[count:], weights[:, root])
                residual -= value * weighted(blocks[:count], weights[:, root])
                squares[root] += float(np.vdot(residual, residual))
                gap = value - diagonal
                small = np.abs(gap) < SMALLEST_DENOMINATOR
                gap[small] = -SMALLEST_DENOMINATOR
                residual /= gap
                steps[root].write(segment, residual)
        norms = np.sqrt(np.asarray(self._store.group.reduce(squares)))
        return norms.reshape(len(values)), steps

    def _new_directions(self, steps: Sequence[Vector], wanted: NDArray[np.bool_]) -> list[Vector]:
        """Make steps orthogonal to the subspace and to each other; what adds nothing is left out.

        Twice, since the first time may leave little of a step (Parlett).
        """
        made = [step for step, each in zip(steps, wanted, strict=True) if each]
        for again in range(2):
            weights = self._orthogonal(made)
            new = combined(self._store, [*made, *self._basis], weights)
            if again:
                _destroy(made)
            made = new
            if not made:
                break
        return made

    def _orthogonal(self, steps: list[Vector]) -> NDArray[np.float64]:
        """Weights, steps and basis x new vectors, that make them orthonormal."""
        found = products(self._store, [*steps, *self._basis], steps)
        lengths = np.sqrt(np.diagonal(found))
        found = found / lengths
        found[: len(steps)] /= lengths[:, None]
        inside = np.linalg.solve(self._overlap, found[len(steps) :])
        squares, turned = np.linalg.eigh(found[: len(steps)] - found[len(steps) :].T @ inside)
        kept = squares > _NOTHING_NEW
        turned = turned[:, kept] / np.sqrt(squares[kept])
        weights = np.vstack([turned / lengths[:, None], -inside @ turned])
        group = self._store.group
        columns = int(group.broadcast(weights.shape[1]))
        same = group.broadcast(np.ascontiguousarray(weights))
        return np.asarray(same).reshape(weights.shape[0], columns)

    def _collapse(self, weights: NDArray[np.float64]) -> None:
        """Keep the best vectors alone, and what is known of them."""
        basis = combined(self._store, self._basis, weights)
        images = combined(self._store, self._images, weights)
        _destroy(self._basis + self._images)
        self._basis, self._images = basis, images
        self._overlap = weights.T @ self._overlap @ weights
        self._matrix = weights.T @ self._matrix @ weights


def _bordered(
    matrix: NDArray[np.float64], columns: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """Give a symmetric matrix with new last columns."""
    larger = np.zeros((count, count))
    known = len(matrix)
    larger[:known, :known] = matrix
    larger[:, known:] = columns
    larger[known:, :known] = columns[:known].T
    larger[known:, known:] = (columns[known:] + columns[known:].T) / 2
    return larger


def _destroy(vectors: list[Vector]) -> None:
    for vector in vectors:
        vector.destroy()
