"""NumPy's functions on distributed arrays.

Standardise the columns of a table and look at it, as one would with NumPy: change the import.
Operators, functions and reductions are collective; what is printed is small and gathered.

Builds on: 01-first-array. Next: 12-kmeans.
"""

import atoll

rows = atoll.arange(600.0).reshape((200, 3))
table = atoll.sin(rows) + 0.001 * rows
mean, deviation = table.mean(axis=0), table.std(axis=0)
scaled = (table - atoll.broadcast_to(mean, table.shape)) / atoll.broadcast_to(
    deviation, table.shape
)
correlation = scaled.T @ scaled / 200
first = int(atoll.argmin(scaled, axis=0)[0])
largest = float(atoll.absolute(scaled).max())
if atoll.rank() == 0:
    print(correlation[...].round(3))
    print(f"column 0 is smallest in row {first}, the largest magnitude {largest:.3f}")
