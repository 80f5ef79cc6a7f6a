"""Timing calls from Python in turn, and telling the figures: what its benchmarks have in common."""

from __future__ import annotations

import argparse
import json
import statistics
import timeit
from pathlib import Path
from typing import Any

Figure = dict[str, Any]


def race(timers: list[timeit.Timer], quick: bool, shortest: float = 0.05) -> list[list[float]]:
    """Time the calls in turn, batch by batch of `shortest` seconds; seconds a call of each."""
    batch, repeats = (shortest / 10, 5) if quick else (shortest, 11)
    numbers = []
    for timer in timers:
        timer.timeit(1)  # memory is there afterwards
        number, seconds = (10, timer.timeit(10)) if quick else timer.autorange(None)
        numbers.append(max(1, round(number * batch / seconds)))
    times: list[list[float]] = [[] for _ in timers]
    for repeat in range(repeats):
        order = range(len(timers)) if repeat % 2 == 0 else reversed(range(len(timers)))
        for i in order:
            times[i].append(timers[i].timeit(numbers[i]) / numbers[i])
    return times


def arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="short batches")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    return parser.parse_args()


def values(times: list[float]) -> dict[str, float]:
    """Give the best and the median of times a call."""
    return {"best": min(times), "median": statistics.median(times)}


def tell(figures: list[Figure], setting: str, file: Path | None) -> None:
    """Print the figures, each beside its first peer, and write all of them to the file."""
    for figure in figures:
        peer, unit = figure["peers"][0], figure["unit"]
        print(
            f"{figure['name']:44} {figure['best']:9.4g} {unit} (median {figure['median']:.4g}); "
            f"{peer['name']} {peer['best']:.4g} ({peer['median']:.4g})"
        )
    if file is not None:
        text = json.dumps({"setting": setting, "figures": figures}, indent=1)
        file.write_text(text + "\n", encoding="utf-8")
