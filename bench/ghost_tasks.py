"""Get, compute, update in plain MPI: computational efficiency, equation 1 of the paper on NWChem.

E(N) = T_comp / (T_N N): T_comp is the processor time of the products alone, the least that any way
needed on the fewest hosts; T_N the time of the whole run; N the processors that the run may have:
one for each process, ghosts among them, as far as the machine has so many.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghost_runs import Places, Way, table_of

if TYPE_CHECKING:
    from ghost_runs import Bench, Figures


@dataclass(frozen=True)
class Row:
    """A run: what it was, and its figures in seconds, of each rank (but elapsed) the mean."""

    way: str
    hosts: int
    ranks: int  # on all hosts, without ghosts
    milliseconds: float  # of a task
    elapsed: float
    computing: float
    communicating: float
    efficiency: float


def multiplication_seconds(bench: Bench) -> float:
    """Measure how long one product of blocks takes here where all processors compute."""
    alone = Places(len(os.sched_getaffinity(0)), 1, virtual=True)
    words = [bench.program("tasks"), "calibrate"]
    return bench.launch(Way("plain", library=False), alone, words)["multiplication"][0]


def processors_of(way: Way, places: Places) -> int:
    processes = (places.ranks + way.ghosts) * places.hosts
    return min(processes, len(os.sched_getaffinity(0)))


def row_of(way: Way, places: Places, milliseconds: float, figures: Figures, base: float) -> Row:
    """Apply equation 1 to a run; `base` is T_comp."""
    seconds = {name: numbers[0] for name, numbers in figures.items()}
    ranks = places.ranks * places.hosts
    return Row(
        way.name,
        places.hosts,
        ranks,
        milliseconds,
        seconds["elapsed"],
        seconds["computing"] / ranks,
        (seconds["getting"] + seconds["adding"] + seconds["counting"]) / ranks,
        base / (seconds["elapsed"] * processors_of(way, places)),
    )


def measure_shape(
    bench: Bench,
    places: Places,
    milliseconds: float,
    multiplications: int,
    tasks: int,
    base: float | None = None,
) -> tuple[list[Row], float]:
    """Measure all ways; their rows, and T_comp: the least of all if none is given."""
    words = [bench.program("tasks"), str(tasks), str(multiplications)]
    what = f"{tasks} tasks of {milliseconds:g} ms, {places.hosts} x {places.ranks}"
    results = bench.every_way(places, words, what)
    if base is None:
        base = min((figures["computing"][0] for figures in results.values()), default=0.0)
    rows = [
        row_of(way, places, milliseconds, results[way.name], base)
        for way in bench.ways
        if way.name in results
    ]
    return rows, base


def measure_tasks(bench: Bench, ranks: int, *, quick: bool) -> list[Row]:
    """Measure tasks of several lengths on two hosts, and one length on four."""
    one = multiplication_seconds(bench)
    rows: list[Row] = []
    for milliseconds in (3.0, 30.0) if quick else (1.0, 3.0, 10.0, 30.0):
        multiplications = max(1, round(1e-3 * milliseconds / one))
        tasks = round((500 if quick else 1500) / milliseconds)
        found, base = measure_shape(bench, Places(ranks), milliseconds, multiplications, tasks)
        rows += found
        if milliseconds == 30.0 and not quick:
            places = Places(ranks, 4)
            rows += measure_shape(bench, places, milliseconds, multiplications, tasks, base)[0]
    return rows


def tasks_text(rows: list[Row]) -> str:
    """Print the runs of each shape below one another."""
    columns = ["way", "whole, s", "computing, s", "in MPI, s", "efficiency", "beside plain"]
    lines = []
    for row in rows:
        shape = (row.hosts, row.ranks, row.milliseconds)
        plain = [
            r for r in rows if (r.hosts, r.ranks, r.milliseconds) == shape and r.way == "plain"
        ]
        beside = f"{plain[0].elapsed / row.elapsed:.2f} x as fast" if plain else "-"
        lines.append(
            [
                f"{row.hosts} hosts, {row.ranks} ranks, tasks of {row.milliseconds:g} ms",
                row.way,
                f"{row.elapsed:.2f}",
                f"{row.computing:.2f}",
                f"{row.communicating:.2f}",
                f"{100 * row.efficiency:.0f} %",
                beside,
            ]
        )
    return table_of("get, compute, update", columns, lines)
