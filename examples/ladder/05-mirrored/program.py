"""Arrays with a copy on every node.

A table that all read all the time, and a sum that all add to: mirrored, both stay inside the
node. `merge` adds the copies of the nodes and gives every node the sum; before it each node has
its own. Run it with ATOLL_NODES=2 to have two nodes on one machine.

Builds on: 02-put-get-sync. Next: 06-multiply.
"""

import atoll
import numpy as np

table = atoll.arange(1000.0).mirror()  # reading it needs no network
histogram = atoll.zeros(10, mirrored=True)
for task in atoll.Counter().below(100):
    values = table[10 * task : 10 * task + 10]
    histogram.at[:] += np.bincount((values // 100).astype(int), minlength=10)
histogram.merge()  # collective
if atoll.rank() == 0:
    print(histogram[...])
