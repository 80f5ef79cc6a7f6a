"""A first array.

One array over all processes, filled by whoever owns each part. `blocks()` gives this process its
blocks as NumPy arrays: loops over them touch no other memory, and the same program serves any
number of processes.

Next: 02-put-get-sync.
"""

import atoll
import numpy as np

a = atoll.zeros((4, 6))  # collective: every process makes the call
for (rows, columns), block in a.blocks():  # my blocks, by the indices that they have in the whole
    block[...] = 10 * np.arange(rows.start, rows.stop)[:, None] + np.arange(
        columns.start, columns.stop
    )
atoll.sync()  # everybody has filled
if atoll.rank() == 0:
    print(a[...])
    print("row 2:", a[2])
