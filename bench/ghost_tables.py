"""Tables of how long single operations take, and of how long it takes to make windows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ghost_runs import Places, table_of

if TYPE_CHECKING:
    from ghost_runs import Bench, Figures


def in_words(numbers: list[float] | None, plain: list[float] | None) -> str:
    """Give median / 99th percentile, or megabytes a second, and the ratio to plain MPI."""
    if numbers is None:
        return "-"
    if len(numbers) == 1:
        text, mine, theirs = f"{numbers[0]:.0f} MB/s", numbers[0], plain[0] if plain else 0.0
    else:
        text, mine, theirs = f"{numbers[1]:.3g} / {numbers[2]:.3g}", numbers[1], 0.0
        theirs = plain[1] if plain else 0.0
    return text if plain is numbers or theirs == 0.0 else f"{text} ({mine / theirs:.2g} x)"


def operations_table(title: str, results: dict[str, Figures]) -> str:
    """Print operations down and ways across."""
    names = list(dict.fromkeys(name for figures in results.values() for name in figures))
    plain = results.get("plain", {})
    rows = [
        [
            name.replace("_", " "),
            *(in_words(figures.get(name), plain.get(name)) for figures in results.values()),
        ]
        for name in names
    ]
    return table_of(title, list(results), rows)


def measure_operations(bench: Bench, places: Places, kind: str, samples: int) -> str:
    """Measure operations whose target computes ("busy") or waits in MPI ("idle")."""
    words = [bench.program("operations"), kind, str(samples)]
    results = bench.every_way(places, words, kind, unfinished=True)
    return operations_table(f"{kind} target", results)


def measure_creation(bench: Bench, wanted: range, samples: int) -> str:
    """Measure MPI_Win_allocate by ranks, on one node and on two virtual ones."""
    runs = replace(bench, ways=tuple(way for way in bench.ways if way.name != "async"))
    program = bench.program("operations")
    rows = []
    for nodes in (1, 2):
        for ranks in (2**power for power in range(nodes - 1, 10) if 2**power in wanted):
            what = f"{ranks} {'rank' if ranks == 1 else 'ranks'}, {nodes} node{'s' * (nodes > 1)}"
            places = Places(ranks // nodes, nodes, virtual=True)
            # Plain MPI's windows take long where so many ranks spin.
            words = [program, "creation", str(samples if ranks <= 16 else min(samples, 5))]
            results = runs.every_way(places, words, f"creation, {what}", unfinished=True)
            plain = results.get("plain", {}).get("win_allocate")
            cells = [
                f"not in {bench.limit:.0f} s"
                if results.get(way.name) == {}
                else in_words(results.get(way.name, {}).get("win_allocate"), plain)
                for way in runs.ways
            ]
            rows.append([what, *cells])
    return table_of("MPI_Win_allocate", [way.name for way in runs.ways], rows)
