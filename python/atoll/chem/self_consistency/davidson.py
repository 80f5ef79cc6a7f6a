"""The lowest eigenvalue of a symmetric operator on distributed arrays (Davidson 1975)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from atoll.chem.self_consistency.vectors import dot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    import atoll

    Vector = list[atoll.Array]

SMALLEST_DENOMINATOR = 1e-4


class Lowest(NamedTuple):
    """What was found, equal on every rank; the vector is of length 1."""

    value: float
    vector: list[atoll.Array]
    converged: bool


def lowest_eigenvalue(
    operator: Callable[[Vector], Vector],
    diagonal: Sequence[atoll.Array],
    start: Vector,
    tolerance: float = 1e-4,
    max_iterations: int = 50,
    enough: Callable[[float, float, int], bool] = lambda *_: False,
) -> Lowest:
    """Find the lowest eigenvalue. A vector is a list of arrays. Collective.

    Args:
        operator: Applies it to a vector; collective.
        diagonal: About its diagonal, distributed as the vectors.
        start: A guess that is not orthogonal to the vector wanted.
        tolerance: Largest norm of the residual.
        max_iterations: Applications of the operator at most.
        enough: Told a value, the norm of its residual and the applications so far, says whether
            that will do.

    """
    basis, images = [_scaled(start, 1.0 / _norm(start))], []
    for _ in range(max_iterations):
        images.append(operator(basis[-1]))
        matrix = np.array([[dot(left, image) for image in images] for left in basis])
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        # Those of the first rank: processors may round differently.
        value = float(start[0].group.broadcast(float(values[0])))
        weights = np.asarray(start[0].group.broadcast(np.ascontiguousarray(vectors[:, 0])))
        vector = _combined(basis, weights)
        residual = _combined(images, weights)
        _add(residual, -value, vector)
        norm = _norm(residual)
        if norm < tolerance or enough(value, norm, len(basis)):
            return Lowest(value, vector, True)
        step = _preconditioned(residual, diagonal, value)
        for _ in range(2):  # twice is enough (Parlett)
            for known in basis:
                _add(step, -dot(known, step), known)
        length = _norm(step)
        if length < 1e-10:
            return Lowest(value, vector, True)
        basis.append(_scaled(step, 1.0 / length))
    return Lowest(value, vector, False)


def _preconditioned(residual: Vector, diagonal: Sequence[atoll.Array], value: float) -> Vector:
    step = []
    for part, of_part in zip(residual, diagonal, strict=True):
        new = part.copy()
        for (_, target), (_, divisor) in zip(new.blocks(), of_part.blocks(), strict=True):
            gap = divisor - value
            small = np.abs(gap) < SMALLEST_DENOMINATOR
            target /= np.where(small, SMALLEST_DENOMINATOR, gap)
        step.append(new)
    residual[0].group.sync()
    return step


def _norm(vector: Sequence[atoll.Array]) -> float:
    return float(np.sqrt(dot(vector, vector)))


def _scaled(vector: Sequence[atoll.Array], factor: float) -> Vector:
    scaled = [part.copy() for part in vector]
    for part in scaled:
        part.scale(factor)
    return scaled


def _add(target: Vector, factor: float, vector: Sequence[atoll.Array]) -> None:
    for part, other in zip(target, vector, strict=True):
        part.add_scaled(1.0, part, factor, other)


def _combined(vectors: Sequence[Vector], weights: NDArray[np.float64]) -> Vector:
    total = _scaled(vectors[0], float(weights[0]))
    for vector, weight in zip(vectors[1:], weights[1:], strict=True):
        _add(total, float(weight), vector)
    return total
