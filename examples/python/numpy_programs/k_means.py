"""Clusters of points, by Lloyd's algorithm."""

import atoll
import numpy as np

points, dimensions, clusters, steps = 20_000, 8, 8, 10


def by_numpy():
    X = np.random.default_rng(0).random((points, dimensions))
    C = X[:clusters].copy()
    for _ in range(steps):
        d = ((X[:, None] - C) ** 2).sum(axis=2)
        label = d.argmin(axis=1)
        for k in range(clusters):
            C[k] = X[label == k].mean(axis=0)
    return C


def by_atoll():
    X = atoll.from_numpy(np.random.default_rng(0).random((points, dimensions)))
    C = X[:clusters]
    for _ in range(steps):
        # |x - c|^2 without |x|^2, which is the same for all clusters
        label = ((C**2).sum(axis=1) - 2 * (X @ C.T)).argmin(axis=1)
        sums = atoll.zeros((clusters, dimensions))
        np.add.at(sums, label, X)
        C = (sums / atoll.reshape(atoll.bincount(label, minlength=clusters), (clusters, 1)))[...]
    return C
