"""How much of one-sided operations computation hides, by its length and by their number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghost_runs import Places, table_of
from ghost_tasks import multiplication_seconds

if TYPE_CHECKING:
    from ghost_runs import Bench

OPERATIONS = (4, 16, 64)
MILLISECONDS = (2.0, 8.0, 32.0)
KINDS = {"p": "put", "g": "get", "a": "accumulate", "f": "fetch-and-op"}


@dataclass(frozen=True)
class Point:
    """A measurement, its times in milliseconds."""

    way: str
    kind: str
    operations: int
    milliseconds: float  # that the computation was to take
    computing: float
    operating: float
    both: float

    @property
    def hidden(self) -> float:
        """The share of the shorter one that the other has hidden, in per cent; below 0: none."""
        gained = self.computing + self.operating - self.both
        return 100 * gained / min(self.computing, self.operating)


def points_wanted(*, quick: bool) -> list[tuple[str, int, float]]:
    """List kinds, operations and milliseconds."""
    if quick:
        return [("a", 16, 8.0)]
    lengths = [("a", 16, milliseconds) for milliseconds in MILLISECONDS]
    numbers = [("a", operations, 8.0) for operations in OPERATIONS]
    kinds = [(kind, 16, 8.0) for kind in KINDS]
    return list(dict.fromkeys(lengths + numbers + kinds))


def measure_overlap(bench: Bench, *, quick: bool) -> list[Point]:
    """Measure all points all ways, one rank on each of two hosts."""
    one = multiplication_seconds(bench)
    wanted = points_wanted(quick=quick)
    names = [f"{kind}:{n}:{max(1, round(1e-3 * ms / one))}" for kind, n, ms in wanted]
    words = [bench.program("overlap"), "3" if quick else "15", *names]
    results = bench.every_way(Places(1), words, "overlap")
    return [
        Point(way, kind, operations, milliseconds, *figures[name])
        for way, figures in results.items()
        for name, (kind, operations, milliseconds) in zip(names, wanted, strict=True)
    ]


def overlap_text(points: list[Point]) -> str:
    """Print points down and ways across."""
    ways = list(dict.fromkeys(point.way for point in points))
    rows = []
    for wanted in dict.fromkeys((p.kind, p.operations, p.milliseconds) for p in points):
        here = [p for p in points if (p.kind, p.operations, p.milliseconds) == wanted]
        cells = [
            f"{p.computing:.1f} + {p.operating:.1f}: {p.both:.1f}, {p.hidden:.0f} %" for p in here
        ]
        rows.append([f"{wanted[1]} x {KINDS[wanted[0]]}, {wanted[2]:g} ms", *cells])
    return table_of("computing + operating: both, hidden", ways, rows)
