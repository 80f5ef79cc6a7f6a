"""Vectors over all determinants, in segments: what a store of them promises, and one in memory."""

from __future__ import annotations

import bisect
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

import atoll

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.space import Segment, Space


class Reading(Protocol):
    """A segment on its way."""

    def wait(self) -> NDArray[np.float64]:
        """Give it: alpha strings x beta strings; memory that nobody writes to."""


class Vector(Protocol):
    """One vector, distributed by segments. Nothing but making and destroying it is collective."""

    def read(self, segment: Segment) -> Reading:
        """Begin to read a segment."""

    def write(self, segment: Segment, values: NDArray[np.float64]) -> None:
        """Replace a segment. Others see it after the group has met."""

    def add(self, segment: Segment, values: NDArray[np.float64]) -> None:
        """Add to a segment, whoever else does at the time."""

    def destroy(self) -> None:
        """Give the room back. Collective."""


class Store(Protocol):
    """Where vectors are."""

    space: Space
    group: atoll.Group
    mine: list[Segment]
    """Segments that are this rank's to compute with: all segments are, of one rank each."""

    def new(self) -> Vector:
        """Make a vector of zeros. Collective."""

    def close(self) -> None:
        """Give back what the store itself needs. Collective."""


def owners(space: Space, ranks: int) -> list[range]:
    """Deal segments to ranks, in order, so that each has about as many determinants.

    The last ranks have none where there are too few.
    """
    ends = np.array([segment.end for segment in space.segments])
    cuts = [int(np.searchsorted(ends, space.size * rank / ranks)) for rank in range(ranks)]
    parts = [range(begin, end) for begin, end in pairwise([*cuts, len(ends)]) if end > begin]
    return parts + [range(0)] * (ranks - len(parts))


class MemoryStore:
    """Vectors in distributed arrays: each segment on one rank."""

    def __init__(self, space: Space, group: atoll.Group) -> None:
        self.space, self.group = space, group
        dealt = owners(space, group.size)
        self.mine = [space.segments[number] for number in dealt[group.rank]]
        self._starts = [space.segments[part.start].offset for part in dealt if len(part) > 0]

    def new(self) -> MemoryVector:
        """Make a vector of zeros. Collective."""
        layout = atoll.irregular([self._starts])
        size = self.space.size
        array = atoll.zeros(size, distribution=layout, group=self.group, name="CI vector")
        return MemoryVector(array, self._starts)

    def close(self) -> None:
        """Nothing is left: vectors are destroyed one by one. Collective."""


class _Here:
    """A segment that is in memory."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self._values = values

    def wait(self) -> NDArray[np.float64]:
        return self._values


class _Coming:
    """A segment that comes from another node."""

    def __init__(self, request: atoll.Request, shape: tuple[int, int]) -> None:
        self._request, self._shape = request, shape

    def wait(self) -> NDArray[np.float64]:
        return np.asarray(self._request.wait()).reshape(self._shape)


class MemoryVector:
    """A vector in a distributed array; see `Vector`. `starts`: the first elements of ranks."""

    def __init__(self, array: atoll.Array, starts: list[int]) -> None:
        self._array, self._starts = array, starts
        self._here: dict[int, NDArray[np.float64]] = {}  # parts of ranks on this node

    def read(self, segment: Segment) -> Reading:
        """Begin to read; what is on this node is not copied."""
        owner = bisect.bisect(self._starts, segment.offset) - 1
        if owner not in self._here:
            if not self._array.group.same_node(owner):
                request = self._array.get_async(np.s_[segment.offset : segment.end])
                return _Coming(request, segment.shape)
            self._here[owner] = self._array.block(owner)
        first = segment.offset - self._starts[owner]
        block = self._here[owner][first : first + segment.size]
        return _Here(block.reshape(segment.shape))

    def write(self, segment: Segment, values: NDArray[np.float64]) -> None:
        """Replace a segment."""
        self._array[segment.offset : segment.end] = values.ravel()

    def add(self, segment: Segment, values: NDArray[np.float64]) -> None:
        """Add to a segment, element by element."""
        self._array.at[segment.offset : segment.end].add(values.ravel())

    def destroy(self) -> None:
        """Give the memory back. Collective."""
        self._here.clear()
        self._array.destroy()
