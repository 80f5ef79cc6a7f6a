"""Private and shared files.

A private file is scratch memory of one process: bytes at offsets, gone afterwards, also after a
crash. A shared file is one file of all. Both are written without waiting where asked: the program
computes on while the device works.

Builds on: 08-disk. Next: 10-checkpoint.
"""

import atoll
import numpy as np

with atoll.disk.private() as scratch:
    request = scratch.write_async(np.arange(100_000.0))
    total = sum(k * k for k in range(1000))  # meanwhile
    request.wait()
    middle = scratch.read(3, offset=8 * 50_000, dtype="float64")

with atoll.disk.shared() as file:  # collective
    me, size = atoll.rank(), atoll.size()
    file.write(np.full(4, me, dtype="int64"), offset=32 * me)
    atoll.barrier()  # all have written
    theirs = file.read(4, offset=32 * ((me + 1) % size), dtype="int64")
right = int(atoll.world().reduce(int((theirs == (me + 1) % size).all())))
if me == 0:
    print(middle, total)
    print("every process has read its neighbour's record:", right == size)
