"""Dynamic load balancing: ranks take tasks from a shared counter and add up one result.

Run with `mpiexec -n 4 python tasks.py`, or plain `python tasks.py`.
"""

import atoll
import numpy as np

n, tasks = 200, 64
histogram = atoll.zeros(n, name="histogram")
done = 0
for task in atoll.Counter().below(tasks):
    rng = np.random.default_rng(task)  # a task gives the same whoever does it
    samples = rng.binomial(n - 1, 0.5, size=1000 * (1 + task % 7))  # of unequal cost
    histogram.at[:] += np.bincount(samples, minlength=n)
    done += 1
atoll.sync()

total = histogram.sum()
counts = atoll.world().reduce(done)
if atoll.rank() == 0:
    peak = int(histogram[...].argmax())
    print(f"{int(counts)} tasks on {atoll.size()} ranks, {int(total)} samples, most at {peak}")
