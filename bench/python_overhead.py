"""What a call costs from Python: 8 B operations to a neighbour's block, beside NumPy itself.

    mpiexec -n 2 python bench/python_overhead.py [--quick] [--json FILE]

Rank 0 measures while rank 1, which owns the elements, waits in a barrier. The statements are timed
in turn, batch by batch. `bench/run.py` sets the cost of the same call from C++ beside each.
"""

from __future__ import annotations

import sys
import timeit
from typing import Any

import atoll
import numpy as np
from calls import Figure, arguments, race, tell, values

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


def measure(quick: bool) -> list[Figure]:
    """Collective; the figures on rank 0, nothing elsewhere."""
    a = atoll.zeros((1024, 1024))
    counter = atoll.Counter()
    figures: list[Figure] = []
    if atoll.rank() == 0:
        rows, columns = a.patches(atoll.size() - 1)[0]
        names: dict[str, Any] = {
            "a": a,
            "x": np.zeros((1024, 1024)),
            "i": rows.start + 5,
            "k": rows.start + 6,
            "j": columns.start + 7,
            "counter": counter,
        }
        texts = [text for _, text, _ in STATEMENTS] + list(PEERS.values())
        times = race([timeit.Timer(text, globals=names) for text in texts], quick)
        of = {text: values([t * 1e6 for t in row]) for text, row in zip(texts, times, strict=True)}
        for name, text, peer in STATEMENTS:
            peers = [{"name": peer, **of[PEERS[peer]]}]
            figures.append({"name": name, "unit": "us", **of[text], "peers": peers})
    atoll.barrier()
    return figures


def main() -> None:
    options = arguments("What an 8 B call costs from Python.")
    figures = measure(options.quick)
    if atoll.rank() == 0:
        setting = f"Python {sys.version.split()[0]}, NumPy {np.__version__}"
        tell(figures, setting, options.json)


if __name__ == "__main__":
    main()
