"""Logistic regression by gradient descent."""

import atoll
import numpy as np

samples, features, steps = 40_000, 16, 30


def by_numpy():
    X = np.random.default_rng(2).normal(size=(samples, features))
    y = (X.sum(axis=1) > 0).astype(float)
    w = np.zeros(features)
    for _ in range(steps):
        p = 1 / (1 + np.exp(-(X @ w)))
        w -= 1e-5 * (X.T @ (p - y))
    return w


def by_atoll():
    X = atoll.from_numpy(np.random.default_rng(2).normal(size=(samples, features)))
    y = (np.sign(X.sum(axis=1)) + 1) / 2
    w = atoll.zeros(features)
    for _ in range(steps):
        p = 1 / (1 + np.exp(-(X @ w)))
        w -= 1e-5 * (X.at[...].T @ (p - y))
    return w[...]
