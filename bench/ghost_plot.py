"""The picture of `ghost.py`: overlap by length and by number, efficiency by task and by hosts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ghost_overlap import Point
    from ghost_tasks import Row
    from matplotlib.axes import Axes

LABELS = {
    "plain": "plain MPI",
    "async": "MPI's own thread",
    "thread": "Ghost: thread",
    "ranks": "Ghost: ranks",
}
COLOURS = dict(zip(LABELS, ("C7", "C1", "C0", "C2"), strict=True))


def plot(axes: Axes, curves: dict[str, list[tuple[float, float]]]) -> None:
    for way, curve in curves.items():
        xs, ys = zip(*sorted(curve), strict=True)
        axes.plot(xs, ys, "o-", color=COLOURS[way], label=LABELS[way])
    axes.grid(visible=True, linewidth=0.3)
    axes.set_ylim(-20, 110)
    if curves:
        axes.legend(fontsize="x-small")


def draw_overlap(axes: Axes, points: list[Point], *, by_number: bool) -> None:
    """Draw the share of accumulates of 32 KiB that computation hides."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        if point.kind == "a" and (point.milliseconds == 8 if by_number else point.operations == 16):
            x = point.operations if by_number else point.milliseconds
            curves.setdefault(point.way, []).append((x, point.hidden))
    plot(axes, curves)
    fixed = "target computes 8 ms" if by_number else "16 accumulates of 32 KiB"
    axes.set(title=f"overlap, {fixed}", ylabel="per cent of the shorter one hidden")
    axes.set_xscale("log", base=2)
    axes.set(xlabel="accumulates" if by_number else "target computes, ms")


def draw_efficiency(axes: Axes, rows: list[Row], *, by_hosts: bool) -> None:
    """Draw equation 1."""
    curves: dict[str, list[tuple[float, float]]] = {}
    longest = max((row.milliseconds for row in rows), default=0.0)
    for row in rows:
        if row.milliseconds == longest if by_hosts else row.hosts == 2:
            x = row.hosts if by_hosts else row.milliseconds
            curves.setdefault(row.way, []).append((x, 100 * row.efficiency))
    plot(axes, curves)
    if by_hosts:
        shared = f"hosts, which share {len(os.sched_getaffinity(0))} processors"
        axes.set(title=f"efficiency, tasks of {longest:g} ms", xlabel=shared)
        axes.set_xticks([2, 4])
    else:
        axes.set(title="efficiency, two hosts", xlabel="computation of a task, ms")
        axes.set_xscale("log", base=2)
    axes.set(ylabel="computational efficiency, per cent")


def draw(points: list[Point], rows: list[Row], file: Path) -> None:
    """Write the PNG. SystemExit without matplotlib."""
    try:
        from matplotlib.figure import Figure as Picture
    except ImportError:
        raise SystemExit("bench/ghost.py: --plot needs matplotlib") from None
    picture = Picture(figsize=(10, 7.5), layout="constrained")
    grid = picture.subplots(2, 2)
    draw_overlap(grid[0][0], points, by_number=False)
    draw_overlap(grid[0][1], points, by_number=True)
    draw_efficiency(grid[1][0], rows, by_hosts=False)
    draw_efficiency(grid[1][1], rows, by_hosts=True)
    picture.savefig(file, dpi=100)
