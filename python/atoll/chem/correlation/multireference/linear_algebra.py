"""Sums and scalar products of vectors in segments: each rank has its own segments to see to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.space import Segment
    from atoll.chem.correlation.multireference.vectors import Store, Vector

    Block = NDArray[np.float64]


def read_mine(
    store: Store,
    vectors: Sequence[Vector],
    wanted: Callable[[Segment], bool] = lambda _: True,
) -> Iterator[tuple[Segment, list[Block]]]:
    """Give this rank's segments of some vectors; those of the next are on their way meanwhile."""
    segments = [segment for segment in store.mine if wanted(segment)]
    ahead = [vector.read(segment) for segment in segments[:1] for vector in vectors]
    for number, segment in enumerate(segments):
        readings = ahead
        ahead = [v.read(other) for other in segments[number + 1 : number + 2] for v in vectors]
        yield segment, [reading.wait() for reading in readings]


def products(
    store: Store,
    left: Sequence[Vector],
    right: Sequence[Vector],
    wanted: Callable[[Segment], bool] = lambda _: True,
) -> NDArray[np.float64]:
    """Compute the scalar products, left x right, over the segments wanted. Collective."""
    total = np.zeros((len(left), len(right)))
    for _, blocks in read_mine(store, [*left, *right], wanted):
        total += dots(blocks[: len(left)], blocks[len(left) :])
    return np.asarray(store.group.reduce(total)).reshape(total.shape)


def dots(left: Sequence[Block], right: Sequence[Block]) -> NDArray[np.float64]:
    """Compute the scalar products of blocks."""
    return np.array([[float(np.vdot(a, b)) for b in right] for a in left]).reshape(
        len(left), len(right)
    )


def weighted(blocks: Sequence[Block], weights: NDArray[np.float64]) -> Block:
    """Add up blocks times numbers."""
    total: Block = weights[0] * blocks[0]
    for block, weight in zip(blocks[1:], weights[1:], strict=True):
        total += weight * block
    return total


def combined(store: Store, vectors: Sequence[Vector], weights: NDArray[np.float64]) -> list[Vector]:
    """Make the sums of vectors times each column of `weights`. Collective."""
    made = [store.new() for _ in range(weights.shape[1])]
    for segment, blocks in read_mine(store, vectors):
        for number, vector in enumerate(made):
            vector.write(segment, weighted(blocks, weights[:, number]))
    store.group.sync()
    return made
