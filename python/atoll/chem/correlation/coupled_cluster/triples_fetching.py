"""Tiles of operands for tasks of the (T) correction: asked for early, kept while needed."""

from __future__ import annotations

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

    def values(self) -> Values:
        """Give it; wait for it the first time."""
        if self._request is not None:
            self._values = np.asarray(self._request.wait())
            self._request = None
        assert self._values is not None
        return self._values


class Fetcher:
    """Gets the parts that tasks need; those that the task before has, too, stay."""

    def __init__(self, ask: Callable[[Part], Fetched]) -> None:
        self._ask = ask
        self._latest: dict[Part, Fetched] = {}
        self._before: dict[Part, Fetched] = {}
        self.seconds_waited = 0.0

    def begin(self, parts: Iterable[Part]) -> dict[Part, Fetched]:
        """Ask for all parts of a task. Not collective."""
        self._before = self._latest
        self._latest = {part: self._latest.get(part) or self._ask(part) for part in sorted(parts)}
        return self._latest

    def end(self) -> None:
        """Wait for what nobody has waited for, so that its arrays can go. Not collective."""
        for fetched in (*self._before.values(), *self._latest.values()):
            fetched.values()
        self._before, self._latest = {}, {}

    def values(self, fetched: Fetched) -> Values:
        """Wait for it, and count the time."""
        started = time.perf_counter()
        values = fetched.values()
        self.seconds_waited += time.perf_counter() - started
        return values
