"""A matrix product by hand, and by `@`.

SRUMMA in a dozen lines: each process computes its own block of the result, fetches the panels of
A and B that it needs one-sidedly, and asks for the next ones before it multiplies. No process
waits for another one. `a @ b` is that with the order of panels, shared memory and tuning.

Builds on: 02-put-get-sync. Next: 07-progress.
"""

import atoll
import numpy as np

n, panel = 240, 60
a, b = atoll.zeros((n, n)), atoll.zeros((n, n))
for array, factor in (a, 1.0), (b, -0.5):
    for (rows, columns), block in array.blocks():
        i, j = np.ogrid[rows, columns]
        block[...] = np.sin(factor * i) + np.cos(j)
atoll.sync()

c = atoll.zeros((n, n))
for (rows, columns), block in c.blocks():
    parts = [slice(k, k + panel) for k in range(0, n, panel)]
    ask = [(a.get_async((rows, k)), b.get_async((k, columns))) for k in parts[:1]]
    for at, _ in enumerate(parts):
        left, right = ask[at]
        if at + 1 < len(parts):  # the next panels travel while these are multiplied
            k = parts[at + 1]
            ask.append((a.get_async((rows, k)), b.get_async((k, columns))))
        block += left.wait() @ right.wait()
atoll.sync()
error = float(atoll.absolute(c - a @ b).max())
if atoll.rank() == 0:
    print("differs from a @ b by less than 1e-9:", error < 1e-9)
