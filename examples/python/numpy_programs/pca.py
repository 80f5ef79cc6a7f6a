"""Principal components by singular values."""

import atoll
import numpy as np

samples, features = 8_000, 48


def by_numpy():
    X = np.random.default_rng(1).random((samples, features))
    X = X - X.mean(axis=0)
    _, s, Vh = np.linalg.svd(X, full_matrices=False)
    return np.abs(X @ Vh[:2].T).sum(), s


def by_atoll():
    X = atoll.from_numpy(np.random.default_rng(1).random((samples, features)))
    X = X - X.mean(axis=0)
    _, s, Vh = atoll.linalg.svd(X, full_matrices=False)
    return float(np.abs(X @ Vh[:2].T).sum()), s
