"""Monte Carlo: the same numbers on any number of processes.

Random numbers of Atoll belong to the elements, not to processes: with one seed a run on three
processes draws what a run on one draws. So a bug that shows on a cluster shows on a laptop.

Builds on: 11-numpy. Next: 16-contraction.
"""

import atoll

n = 200_000
x = atoll.random.uniform(0.0, 1.0, n, seed=1)
y = atoll.random.uniform(0.0, 1.0, n, seed=2)
distance = x * x + y * y
inside = n - int(atoll.floor(distance).sum())  # 1 where it lies outside the circle
if atoll.rank() == 0:
    print(f"pi is about {4 * inside / n:.5f}")
