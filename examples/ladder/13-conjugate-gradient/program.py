"""Conjugate gradients.

A linear system that never is a matrix: the operator is a stencil on an array with a halo, the
rest are vectors, inner products and updates of distributed arrays.

Builds on: 04-stencil. Next: 14-pagerank.
"""

import atoll

n = 64


def laplacian(vector):
    """Apply 2 v_i - v_(i-1) - v_(i+1), with zeros beyond the ends."""
    vector.update_halo()
    result = atoll.zeros(n, distribution=atoll.blocked(halo=1))
    around = vector.local_with_halo()
    if vector.local().size:
        result.local()[...] = 2 * around[1:-1] - around[:-2] - around[2:]
    atoll.sync()
    return result


x = atoll.zeros(n, distribution=atoll.blocked(halo=1))
residual = atoll.ones(n, distribution=atoll.blocked(halo=1))
direction = residual.copy()
square = float(residual.dot(residual))
steps = 0
while square > 1e-20:
    applied = laplacian(direction)
    step = square / float(direction.dot(applied))
    x += step * direction
    residual -= step * applied
    last, square = square, float(residual.dot(residual))
    direction = residual + (square / last) * direction
    steps += 1
if atoll.rank() == 0:
    print("converged:", square < 1e-20, "in", steps, "steps")
    print(f"in the middle {x[n // 2]:.6f}, exactly {(n // 2 + 1) * (n - n // 2) / 2}")
