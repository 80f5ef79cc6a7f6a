"""Where time goes: seconds between laps, by the name of what was done."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from atoll._texts import texts_of_all

if TYPE_CHECKING:
    import atoll


class Stopwatch:
    """Adds up the seconds from lap to lap under names."""

    def __init__(self) -> None:
        self._started = self._last = time.perf_counter()
        self._sums: defaultdict[str, float] = defaultdict(float)

    def lap(self, name: str) -> None:
        """Add the time since the last lap to what is called so."""
        now = time.perf_counter()
        self._sums[name] += now - self._last
        self._last = now

    @property
    def sums(self) -> dict[str, float]:
        """Seconds of this rank, by name."""
        return dict(self._sums)

    @property
    def total(self) -> float:
        """Seconds from the start to the last lap."""
        return self._last - self._started

    def means(self, group: atoll.Group) -> dict[str, float]:
        """Give the mean of the ranks, by name. Collective; some ranks may lack a name."""
        texts = texts_of_all(group, "\n".join(self._sums))
        everywhere = sorted({name for names in texts for name in names.split("\n") if name})
        sums = np.array([self._sums[name] for name in everywhere])
        means = np.asarray(group.reduce(sums)) / group.size
        return dict(zip(everywhere, means.tolist(), strict=True))
