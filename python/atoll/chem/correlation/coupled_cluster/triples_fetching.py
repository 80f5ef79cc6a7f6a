"""Tiles of operands for tasks of the (T) correction: asked for early, kept while needed."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    import atoll

    Values = NDArray[np.float64]

Part: TypeAlias = tuple[str, int] | tuple[str, int, int]
"""The name of an array, and a tile or two."""


class Fetched:
    """What is on its way from an array, or has come."""

    def __init__(self, array: atoll.Array, key: tuple[slice, ...]) -> None:
        self._request: atoll.Request | None = array.get_async(key)
        self._values: Values | None = None
        ranges = (part.indices(size) for part, size in zip(key, array.shape, strict=True))
        self.nbytes = array.itemsize * math.prod(stop - start for start, stop, _ in ranges)

    def values(self) -> Values:
        """Give it; wait for it the first time."""
        if self._request is not None:
            self._values = np.asarray(self._request.wait())
            self._request = None
        assert self._values is not None
        return self._values


class Fetcher:
    """Gets the parts that tasks need; the latest ones of earlier tasks stay while there is room.

    `room` is in bytes, beside what the task at work and the next one need.
    """

    def __init__(self, ask: Callable[[Part], Fetched], room: int) -> None:
        self._ask = ask
        self._room = room
        self._kept: dict[Part, Fetched] = {}  # the latest ones last
        self.seconds_waited = 0.0

    def begin(self, parts: Iterable[Part]) -> dict[Part, Fetched]:
        """Ask for all parts of a task. Not collective."""
        wanted = {
            part: self._kept.pop(part) if part in self._kept else self._ask(part)
            for part in sorted(parts)
        }
        excess = sum(fetched.nbytes for fetched in self._kept.values()) - self._room
        while excess > 0:
            excess -= self._kept.pop(next(iter(self._kept))).nbytes
        self._kept |= wanted
        return wanted

    def end(self) -> None:
        """Wait for what nobody has waited for, so that its arrays can go. Not collective."""
        for fetched in self._kept.values():
            fetched.values()
        self._kept = {}

    def values(self, fetched: Fetched) -> Values:
        """Wait for it, and count the time."""
        started = time.perf_counter()
        values = fetched.values()
        self.seconds_waited += time.perf_counter() - started
        return values
