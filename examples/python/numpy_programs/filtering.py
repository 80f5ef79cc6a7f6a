"""The elements above a limit."""

import atoll
import numpy as np

count, limit = 400_000, 0.75


def by_numpy():
    x = np.random.default_rng(4).random(count)
    return x[x > limit] * 2


def by_atoll():
    x = atoll.from_numpy(np.random.default_rng(4).random(count))
    (kept,) = atoll.nonzero(np.maximum(x - limit, 0))
    return (atoll.take(x, kept) * 2)[...]
