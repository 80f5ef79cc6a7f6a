"""Ranks of pages by the links between them."""

import atoll
import numpy as np

pages, links, steps = 20_000, 100_000, 10


def by_numpy():
    random = np.random.default_rng(8)
    s, d = random.integers(pages, size=links), random.integers(pages, size=links)
    degree = np.maximum(np.bincount(s, minlength=pages), 1)
    r = np.full(pages, 1 / pages)
    for _ in range(steps):
        new = np.zeros(pages)
        np.add.at(new, d, (r / degree)[s])
        r = 0.15 / pages + 0.85 * new
    return r


def by_atoll():
    random = np.random.default_rng(8)
    s, d = (atoll.from_numpy(random.integers(pages, size=links)) for _ in range(2))
    degree = np.maximum(np.bincount(s, minlength=pages), 1)
    r = atoll.full(pages, 1 / pages)
    for _ in range(steps):
        new = np.bincount(d, atoll.take(r / degree, s), pages)
        r = 0.15 / pages + 0.85 * new
    return r[...]
