"""Cholesky's factor by blocks."""

import atoll
import numpy as np

n, block = 384, 64


def matrix():
    m = np.random.default_rng(9).random((n, n))
    return m @ m.T + n * np.eye(n)


def by_numpy():
    a = matrix()
    for k in range(0, n, block):
        e = k + block
        a[k:e, k:e] = np.linalg.cholesky(a[k:e, k:e])
        a[e:, k:e] = np.linalg.solve(a[k:e, k:e], a[e:, k:e].T).T
        a[e:, e:] -= a[e:, k:e] @ a[e:, k:e].T
    return np.tril(a)


def by_atoll():
    a = atoll.from_numpy(matrix())
    for k in range(0, n, block):
        e = k + block
        corner = np.linalg.cholesky(a[k:e, k:e])
        a.at[k:e, k:e].copy_from(atoll.from_numpy(corner))
        if e < n:
            panel = a.at[e:, k:e] @ np.linalg.inv(corner).T
            a.at[e:, k:e].copy_from(panel)
            atoll.matmul(panel, panel.at[...].T, a.at[e:, e:], alpha=-1, beta=1)
    return np.tril(a[...])
