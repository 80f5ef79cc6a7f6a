"""k-means: data stay where they are, centres travel.

Each process assigns its own points; sums and counts are accumulated into two small mirrored
arrays, which a merge adds over the nodes. Nothing of the data is ever sent.

Builds on: 05-mirrored. Next: 13-conjugate-gradient.
"""

import atoll
import numpy as np

n, k = 3000, 3
points = atoll.zeros((n, 2), distribution=atoll.blocked((0, 2)))
for (rows, _), block in points.blocks():
    index = np.arange(rows.start, rows.stop)
    angle = 2.4 * index
    block[:, 0] = 5 * (index % k) + 0.002 * (index % 500) * np.cos(angle)
    block[:, 1] = 3 * (index % k) ** 2 + 0.002 * (index % 500) * np.sin(angle)
atoll.sync()

centres = np.array(points[0:k])
for _ in range(10):
    sums, counts = atoll.zeros((k, 2), mirrored=True), atoll.zeros(k, mirrored=True)
    for _, block in points.blocks():
        nearest = ((block[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        for c in range(k):
            sums.at[c] += block[nearest == c].sum(axis=0)
        counts.at[:] += np.bincount(nearest, minlength=k)
    sums.merge()
    counts.merge()
    centres = sums[...] / counts[...][:, None]
if atoll.rank() == 0:
    print(centres.round(2) + 0.0)
    print("points of each:", counts[...].astype(int))
