"""Pi, by points in a square, rounded: the points differ."""

import atoll
import numpy as np

count = 400_000


def by_numpy():
    p = np.random.default_rng(6).random((count, 2))
    return np.round(4 * ((p**2).sum(axis=1) < 1).mean())


def by_atoll():
    p = atoll.random((count, 2), seed=6)
    return np.round(4 - 4 * np.floor(np.minimum((p**2).sum(axis=1), 1)).mean())
