"""Dealing out tasks that have an owner: each rank does its own first, then what others left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class OwnFirst:
    """Tasks whose data lie with their owner, and which others do only when they have no more.

    So what a rank keeps for a task is of use again in the next round, and yet the load is even
    whatever the ranks' speeds: each rank's tasks have a counter of their own, from which those
    who have finished take as well. Creating it and `reset` are collective.
    """

    def __init__(self, starts: NDArray[np.int64], group: atoll.Group) -> None:
        """Take the first task of each rank's; at the end the number of tasks."""
        self._starts = starts
        self._group = group
        self._taken = atoll.zeros(group.size, dtype=np.int64, group=group, name="tasks taken")

    def reset(self) -> None:
        """Make all tasks available again. Collective."""
        self._taken.fill(0)
        self._group.sync()

    def __iter__(self) -> Iterator[int]:
        """Take tasks while there are any. Not collective."""
        size = self._group.size
        for step in range(size):
            owner = (self._group.rank + step) % size
            first, end = int(self._starts[owner]), int(self._starts[owner + 1])
            while first < end and (task := first + int(self._taken.fetch_add(owner, 1))) < end:
                yield task

    def close(self) -> None:
        """Free the counters. Collective."""
        self._taken.destroy()
