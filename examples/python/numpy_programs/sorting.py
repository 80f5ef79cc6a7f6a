"""Numbers in order, and how many lie where."""

import atoll
import numpy as np

count = 200_000


def by_numpy():
    x = np.random.default_rng(5).random(count)
    return np.sort(x), np.histogram(x, bins=20, range=(0, 1))[0]


def by_atoll():
    x = atoll.from_numpy(np.random.default_rng(5).random(count))
    return np.sort(x)[...], np.histogram(x, bins=20, range=(0, 1))[0]
