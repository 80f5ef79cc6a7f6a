"""PageRank: a sparse product by gather and scatter.

Edges are dealt out, ranks lie in a distributed vector. One step fetches the values at the edges'
sources and adds shares at their targets: two one-sided calls for all edges of a process.

Builds on: 02-put-get-sync. Next: 15-monte-carlo.
"""

import atoll
import numpy as np

n, degree = 1000, 5
pages = np.arange(atoll.rank(), n, atoll.size())  # whose edges are mine
sources = np.repeat(pages, degree)
targets = (sources * sources + 31 * np.tile(np.arange(degree), len(pages)) ** 2 + 7) % n
values = atoll.full(n, 1 / n)
for _ in range(30):
    shares = 0.85 * values[sources] / degree  # gather
    sums = atoll.full(n, 0.15 / n)
    sums.at[targets] += shares  # scatter with addition, atomic
    atoll.sync()
    values = sums
total, best = float(values.sum()), int(values.argmax())
if atoll.rank() == 0:
    print(f"sum {total:.6f}, first page {best} with {values[best] * n:.4f} / n")
