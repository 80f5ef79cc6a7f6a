"""Heat spreads over a plate whose rim is cold."""

import atoll
import numpy as np

n, steps = 400, 60


def by_numpy():
    u = np.zeros((n, n))
    u[n // 3 : n // 2, n // 3 : n // 2] = 1
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.2 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
    return u


def by_atoll():
    u = atoll.zeros((n, n))
    u.at[n // 3 : n // 2, n // 3 : n // 2].fill(1.0)
    v, inner = u.at, np.s_[1:-1, 1:-1]
    for _ in range(steps):
        change = 0.2 * (v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4 * v[inner])
        v[inner].add_scaled(1, v[inner], 1, change)
    return u[...]
