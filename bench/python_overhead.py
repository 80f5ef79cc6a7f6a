"""What a call costs from Python: 8 B operations to a neighbour's block, beside NumPy itself.

    mpiexec -n 2 python bench/python_overhead.py [--quick] [--json FILE]

Rank 0 measures while rank 1, which owns the elements, waits in a barrier. The statements are timed
in turn, batch by batch. `bench/run.py` sets the cost of the same call from C++ beside each.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import timeit
from pathlib import Path
from typing import Any

import atoll
import numpy as np

# Name of the figure, the statement, and the peer it is compared with.
STATEMENTS = (
    ("python get 8 B, a[i, j]", "a[i, j]", "NumPy x[i, j]"),
    ("python get 8 B, a[i:k, j]", "a[i:k, j]", "NumPy x[i:k, j].copy()"),
    ("python put 8 B, a[i, j] = 1.0", "a[i, j] = 1.0", "NumPy x[i, j] = 1.0"),
    ("python accumulate 8 B, a.at[i, j] += 1.0", "a.at[i, j] += 1.0", "NumPy x[i, j] += 1.0"),
    ("python counter.next()", "counter.next()", "a.ndim"),
)
PEERS = {
    "NumPy x[i, j]": "x[i, j]",
    "NumPy x[i:k, j].copy()": "x[i:k, j].copy()",
    "NumPy x[i, j] = 1.0": "x[i, j] = 1.0",
    "NumPy x[i, j] += 1.0": "x[i, j] += 1.0",
    "a.ndim": "a.ndim",
}


def race(statements: list[str], names: dict[str, Any], quick: bool) -> dict[str, list[float]]:
    """Time the statements in turn; microseconds per execution, one value a batch."""
    timers = {text: timeit.Timer(text, globals=names) for text in statements}
    batch, repeats = (0.005, 5) if quick else (0.05, 11)
    numbers = {}
    for text, timer in timers.items():
        number, seconds = timer.autorange(None) if not quick else (1000, timer.timeit(1000))
        numbers[text] = max(1, round(number * batch / seconds))
    times: dict[str, list[float]] = {text: [] for text in statements}
    for repeat in range(repeats):
        order = statements if repeat % 2 == 0 else statements[::-1]
        for text in order:
            number = numbers[text]
            times[text].append(timers[text].timeit(number) / number * 1e6)
    return times


def measure(quick: bool) -> list[dict[str, Any]]:
    """Collective; the figures on rank 0, nothing elsewhere."""
    a = atoll.zeros((1024, 1024))
    counter = atoll.Counter()
    figures: list[dict[str, Any]] = []
    if atoll.rank() == 0:
        rows, columns = a.patches(atoll.size() - 1)[0]
        names = {
            "a": a,
            "x": np.zeros((1024, 1024)),
            "i": rows.start + 5,
            "k": rows.start + 6,
            "j": columns.start + 7,
            "counter": counter,
        }
        texts = [text for _, text, _ in STATEMENTS] + list(PEERS.values())
        times = race(texts, names, quick)

        def values(text: str) -> dict[str, float]:
            return {"best": min(times[text]), "median": statistics.median(times[text])}

        for name, text, peer in STATEMENTS:
            peers = [{"name": peer, **values(PEERS[peer])}]
            figures.append({"name": name, "unit": "us", **values(text), "peers": peers})
    atoll.barrier()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="What an 8 B call costs from Python.")
    parser.add_argument("--quick", action="store_true", help="short batches")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    figures = measure(options.quick)
    if atoll.rank() != 0:
        return
    for figure in figures:
        peer = figure["peers"][0]
        print(
            f"{figure['name']:44} {figure['best']:9.4g} us (median {figure['median']:.4g}); "
            f"{peer['name']} {peer['best']:.4g} ({peer['median']:.4g})"
        )
    if options.json is not None:
        setting = f"Python {sys.version.split()[0]}, NumPy {np.__version__}"
        text = json.dumps({"setting": setting, "figures": figures}, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
