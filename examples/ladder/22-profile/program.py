"""Where the time goes.

`ATOLL_PROFILE=run.json` before any program writes what every array was used for: calls, bytes,
seconds, who touched whose memory; `atoll profile run.json` prints it. From inside, the same
question is answered by counting. Here: the slow way, element by element, and one call.

Builds on: 02-put-get-sync. Next: 23-disagreement.
"""

import sys
import time

import atoll
import numpy as np

n = 20_000
a = atoll.zeros(n, name="slow")
b = atoll.zeros(n, name="fast")
atoll.sync()
start = time.perf_counter()
if atoll.rank() == 0:
    for i in range(n):
        a[i] = i  # a call each
slow = time.perf_counter() - start
start = time.perf_counter()
if atoll.rank() == 0:
    b[:] = np.arange(n)  # one call
fast = time.perf_counter() - start
atoll.sync()
same = bool(atoll.array_equal(a, b))
if atoll.rank() == 0:
    print("the same:", same)
    print(f"{n} calls {1e3 * slow:.1f} ms, one call {1e3 * fast:.1f} ms", file=sys.stderr)
