"""Heat spreads over a plate: each rank steps its own block and reads its neighbours' edges.

Run with `mpiexec -n 4 python heat.py`, or plain `python heat.py`.
"""

import atoll
import numpy as np

n, steps = 128, 200
now, then = atoll.zeros((n, n), name="now"), atoll.zeros((n, n), name="then")
now.at[n // 4 : n // 2, n // 4 : n // 2].fill(100.0)

for _ in range(steps):
    for (rows, columns), target in then.blocks():
        # My block and one line around it, wherever that lives; the plate's rim stays as it is.
        low, high = max(rows.start - 1, 0), min(rows.stop + 1, n)
        left, right = max(columns.start - 1, 0), min(columns.stop + 1, n)
        around = np.pad(
            now[low:high, left:right],
            (
                (low - rows.start + 1, rows.stop + 1 - high),
                (left - columns.start + 1, columns.stop + 1 - right),
            ),
            mode="edge",
        )
        middle = around[1:-1, 1:-1]
        target[...] = middle + 0.2 * (
            around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:] - 4 * middle
        )
    atoll.sync()  # everybody's block is stored and nobody still reads the old one
    now, then = then, now

total, hottest = float(now.sum()), float(now.max())
if atoll.rank() == 0:
    print(f"after {steps} steps: total {total:.6f}, hottest {hottest:.6f}")
