"""Counter: a shared integer that deals out work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atoll import _core
from atoll._agreement import collective

if TYPE_CHECKING:
    from collections.abc import Iterator


class Counter(_core.CounterBase):
    """A shared integer for dynamic load balancing: every value goes to one rank only.

    Creating it and `reset` are collective over `group` (the default group when left out); taking
    values is not.

    >>> import atoll
    >>> tasks = atoll.Counter()
    >>> mine = sum(task for task in tasks.below(100))
    >>> int(atoll.world().reduce(mine))
    4950
    """

    @collective
    def __init__(self, first: int = 0, *, group: _core.Group | None = None) -> None:
        super().__init__(_core.default_group() if group is None else group, first)

    def below(self, end: int, increment: int = 1) -> Iterator[int]:
        """Take values while they are smaller than `end`. Not collective.

        With `increment` n the values are n apart, each standing for the n from it on: fewer
        messages for many small tasks.
        """
        while (task := self.next(increment)) < end:
            yield task
