"""Reads that complete while their target computes.

The last process is busy for a second and calls nothing. The first one reads from it meanwhile.
With plain MPI between hosts it waits until the second is over; here an agent serves the read.
Run it with ATOLL_NODES=2 on two processes to see it between nodes.

Builds on: 02-put-get-sync. Next: 08-disk.
"""

import time

import atoll
import numpy as np

a = atoll.full(1000, 7.0)
last = atoll.size() - 1
mine = np.flatnonzero([a.owner(i) == last for i in range(0, 1000, 100)]) * 100
atoll.barrier()
took = 0.0
if atoll.rank() == last and last > 0:
    end = time.perf_counter() + 1.0
    while time.perf_counter() < end:  # computes, and never calls Atoll
        np.sqrt(np.arange(1000.0)).sum()
elif atoll.rank() == 0:
    time.sleep(0.2)  # the other one is in the midst of it
    start = time.perf_counter()
    value = a[int(mine[0])]
    took = time.perf_counter() - start
    print("read", value, "in less than half a second:", took < 0.5)
atoll.sync()
