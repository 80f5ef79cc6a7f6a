"""Laplace's equation in two and three dimensions, by Jacobi's method on arrays with halos.

Every point becomes the mean of its neighbours, over and over, until nothing changes any more. The
arrays hold the inner points. The halo of a block holds the points next to it: a neighbour's, which
each sweep fetches anew, or those on the boundary, which are set once and which no update touches.

Run with `mpiexec -n 4 python laplace.py`, or plain `python laplace.py`.
"""

import math

import atoll
import numpy as np


def exact(x):
    """Give a solution at coordinates in the unit square or cube; zero on all sides but one."""
    steep = math.pi * math.sqrt(len(x) - 1)
    value = np.sinh(steep * x[0]) / math.sinh(steep)
    for coordinate in x[1:]:
        value = value * np.sin(math.pi * coordinate)
    return value


def coordinates(key, points, width):
    """Give the coordinates of a patch and so many points around it, ready to be broadcast."""
    positions = [np.arange(s.start - width, s.stop + width) for s in key]
    return np.meshgrid(*[(p + 1) / (points + 1) for p in positions], indexing="ij", sparse=True)


def solve(dimensions, points, tolerance=1e-10):
    """Give the array, and the number of sweeps that it took."""
    layout = atoll.blocked(halo=1)
    now, then = (atoll.zeros((points,) * dimensions, distribution=layout) for _ in range(2))
    for a in (now, then):
        for key, block in a.blocks():
            a.local_with_halo()[...] = exact(coordinates(key, points, 1))  # for the boundary
            block[...] = 0

    low, middle, high = slice(0, -2), slice(1, -1), slice(2, None)
    neighbours = [
        tuple(side if d == axis else middle for d in range(dimensions))
        for axis in range(dimensions)
        for side in (low, high)
    ]
    sweeps, change = 0, math.inf
    while change > tolerance:
        for _ in range(20):
            now.update_halo(corners=False)
            around = now.local_with_halo()
            then.local()[...] = sum(around[key] for key in neighbours) / len(neighbours)
            now, then = then, now
            sweeps += 1
        change = float(
            atoll.world().reduce(np.abs(now.local() - then.local()).max(initial=0), "max")
        )
    return now, sweeps


for dimensions, points in (2, 24), (3, 12):
    solution, sweeps = solve(dimensions, points)
    error = 0.0
    for key, block in solution.blocks():
        error = np.abs(block - exact(coordinates(key, points, 0))).max()
    error = float(atoll.world().reduce(error, "max"))
    if atoll.rank() == 0:
        print(f"{dimensions}-D, {points} points a side: {sweeps} sweeps, largest error {error:.3e}")
