"""The Hamiltonian times a vector, segment by segment, shared out among the ranks.

A task computes what some segments of the vector contribute to one segment of the product, and adds
it there. The next two segments are on their way while one is worked on; those of zeros are passed
over.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.integrals import StringTables
    from atoll.chem.correlation.multireference.space import Segment, Space, StringBlock
    from atoll.chem.correlation.multireference.vectors import Reading, Vector

    Block = NDArray[np.float64]
    Contribution = Callable[[Block, Block], None]

TASKS_A_RANK = 24
BUFFERS = 3
"""Segments of the vector that are worked on or on their way."""


class _Task(NamedTuple):
    target: Segment
    sources: Sequence[Segment]


@dataclass
class ProductStatistics:
    """Of this rank's last product."""

    tasks: int = 0
    bytes_read: int = 0
    bytes_added: int = 0


class Product:
    """Applies the Hamiltonian, or its part of electrons of opposite spins, to vectors.

    Args:
        space: The determinants.
        tables: Of the strings, with the integrals.
        group: The ranks.
        opposite: (kl|ij) of electrons of opposite spins, pairs x pairs; none: those of the tables.
        same_spin: Whether electrons of one spin, with their one-electron part, contribute.
        segments: To which, and from which, segments; none: all.

    """

    def __init__(
        self,
        space: Space,
        tables: StringTables,
        group: atoll.Group,
        *,
        opposite: NDArray[np.float64] | None = None,
        same_spin: bool = True,
        segments: Sequence[Segment] | None = None,
    ) -> None:
        self._tables, self._group, self._same_spin = tables, group, same_spin
        self._opposite = tables.integrals.two if opposite is None else opposite
        self._tasks = _tasks(space.segments if segments is None else segments, group.size)
        self.statistics = ProductStatistics()

    def add(self, vector: Vector, product: Vector) -> None:
        """Add the Hamiltonian times a vector to `product`. Collective."""
        self.statistics = ProductStatistics()
        self._group.sync()
        for number in atoll.Counter(group=self._group).below(len(self._tasks)):
            task = self._tasks[number]
            self._run(task, vector, product)
        self._group.sync()

    def _run(self, task: _Task, vector: Vector, product: Vector) -> None:
        result: Block | None = None
        under_way: deque[tuple[list[Contribution], Reading]] = deque()
        for source in task.sources:
            if contributions := self._contributions(task.target, source):
                under_way.append((contributions, vector.read(source)))
            if len(under_way) == BUFFERS:
                result = self._add_source(task.target, *under_way.popleft(), result)
        while under_way:
            result = self._add_source(task.target, *under_way.popleft(), result)
        self.statistics.tasks += 1
        if result is not None:
            product.add(task.target, result)
            self.statistics.bytes_added += result.nbytes

    def _add_source(
        self,
        target: Segment,
        contributions: list[Contribution],
        reading: Reading,
        result: Block | None,
    ) -> Block | None:
        block = reading.wait()
        self.statistics.bytes_read += block.nbytes
        if not block.any():
            return result
        if result is None:
            result = np.zeros(target.shape)
        for contribute in contributions:
            contribute(block, result)
        return result

    def _contributions(self, target: Segment, source: Segment) -> list[Contribution]:
        """Say what to do with a segment of the vector: nothing, if H does not couple."""
        found = [
            self._alpha(target, source),
            self._beta(target, source),
            self._opposite_spins(target, source),
        ]
        return [each for each in found if each is not None]

    def _alpha(self, target: Segment, source: Segment) -> Contribution | None:
        if not self._same_spin or target.beta is not source.beta:
            return None
        if (table := self._tables.same_spin(target.alpha, source.alpha)) is None:
            return None
        matrix = (table.starts, table.columns, table.values)
        return lambda block, result: _core.add_sigma_rows(*matrix, block, result)

    def _beta(self, target: Segment, source: Segment) -> Contribution | None:
        if not self._same_spin or target.alpha is not source.alpha:
            return None
        if (table := self._tables.same_spin(target.beta, source.beta)) is None:
            return None
        matrix = (table.starts, table.columns, table.values)
        return lambda block, result: _core.add_sigma_columns(*matrix, block, result)

    def _opposite_spins(self, target: Segment, source: Segment) -> Contribution | None:
        if (alpha := self._tables.singles(target.alpha, source.alpha)) is None:
            return None
        if (beta := self._tables.singles(target.beta, source.beta)) is None:
            return None
        rows, columns, two = alpha.rows, beta.columns, self._opposite
        return lambda block, result: _core.add_sigma_opposite(rows, columns, two, block, result)


def _tasks(segments: Sequence[Segment], ranks: int) -> list[_Task]:
    """Cut the work, so that there are enough tasks for all; large ones come first."""
    coupled = _coupled(segments)
    pairs = sum(map(len, coupled))
    most = max(1, -(-pairs // (ranks * TASKS_A_RANK)))
    tasks = [
        _Task(target, sources[begin : begin + most])
        for target, sources in zip(segments, coupled, strict=True)
        for begin in range(0, len(sources), most)
    ]
    return sorted(tasks, key=lambda task: -task.target.size * sum(s.size for s in task.sources))


def _coupled(segments: Sequence[Segment]) -> list[list[Segment]]:
    """For each segment those that H may couple it with, by blocks, holes and particles."""
    alpha = np.array([_place(segment.alpha) for segment in segments]).reshape(-1, 3)
    beta = np.array([_place(segment.beta) for segment in segments]).reshape(-1, 3)
    found = []
    for a, b in zip(alpha, beta, strict=True):
        steps_a = np.abs(alpha[:, 1:] - a[1:]).max(axis=1)
        steps_b = np.abs(beta[:, 1:] - b[1:]).max(axis=1)
        same_a, same_b = alpha[:, 0] == a[0], beta[:, 0] == b[0]
        coupled = (same_b & (steps_a <= 2)) | (same_a & (steps_b <= 2))
        coupled |= (steps_a <= 1) & (steps_b <= 1)
        found.append([segments[int(number)] for number in np.flatnonzero(coupled)])
    return found


def _place(block: StringBlock) -> tuple[int, int, int]:
    return block.number, block.holes, block.particles
