"""Put, get, accumulate, and why there is a sync.

A put or an accumulate writes into memory of another process, which does not take part; a get
reads it. What was written may be read by others after a sync: it completes all writes and lets
nobody go on before all have come. Here each process writes the row of its neighbour, reads it
back from a third one's, and adds to one cell, all at once, which accumulates may.

Builds on: 01-first-array. Next: 03-counter.
"""

import atoll

rows = 4
a = atoll.zeros((rows, 3), dtype="int64")
me, size = atoll.rank(), atoll.size()
for row in range(me, rows, size):
    a[(row + 1) % rows, 0:2] = [row, row * row]  # put: of a row that may be anybody's
atoll.sync()  # without it the next line could read zeros

wrong = 0
for row in range(me, rows, size):
    before = (row - 1) % rows
    wrong += list(a[row, 0:2]) != [before, before * before]  # get
a.at[0, 2] += 1  # accumulate: by every process to one cell, atomic
atoll.sync()
if me == 0:
    print("wrong rows:", wrong)
    print("every process has added once:", a[0, 2] == size)
