"""Conjugate gradients with the Laplacian on a square, without a matrix."""

import atoll
import numpy as np

n, steps = 150, 60


def by_numpy():
    def laplacian(u):
        p = np.pad(u, 1)
        return 4 * u - p[2:, 1:-1] - p[:-2, 1:-1] - p[1:-1, 2:] - p[1:-1, :-2]

    b, x = np.ones((n, n)), np.zeros((n, n))
    r = b - laplacian(x)
    p, rr = r.copy(), (r * r).sum()
    for _ in range(steps):
        Lp = laplacian(p)
        a = rr / (p * Lp).sum()
        x += a * p
        r -= a * Lp
        before, rr = rr, (r * r).sum()
        p = r + rr / before * p
    return x


def by_atoll():
    def laplacian(u):
        p = atoll.pad(u, 1).at
        return 4 * u - p[2:, 1:-1] - p[:-2, 1:-1] - p[1:-1, 2:] - p[1:-1, :-2]

    b, x = atoll.ones((n, n)), atoll.zeros((n, n))
    r = b - laplacian(x)
    p, rr = r.copy(), np.vdot(r, r)
    for _ in range(steps):
        Lp = laplacian(p)
        a = rr / np.vdot(p, Lp)
        x.add_scaled(1, x, a, p)
        r.add_scaled(1, r, -a, Lp)
        before, rr = rr, np.vdot(r, r)
        p.add_scaled(1, r, rr / before, p)
    return x[...]
