"""Multiply matrices with mirrored arrays, as Palmer, Nieplocha and Apra (2003, section 4) do.

Both factors are mirrored, so that reading blocks of them costs no network traffic. Each rank takes
tasks, pairs of a block of rows and a block of the inner dimension, multiplies, and adds to its own
node's copy of the product; one merge at the end adds up the copies.

Run with `mpiexec -n 4 python mirrored_multiply.py`, or plain `python mirrored_multiply.py`.
"""

import atoll
import numpy as np

n, block = 300, 64

a = atoll.random((n, n), seed=1)  # distributed over all ranks
b = atoll.random((n, n), seed=2)
left, right = a.mirror(), b.mirror()  # every node fetches what it lacks
product = atoll.zeros((n, n), mirrored=True)

starts = range(0, n, block)
tasks = [(i, k) for i in starts for k in starts]
for number in atoll.Counter().below(len(tasks)):
    i, k = tasks[number]
    rows, inner = slice(i, min(i + block, n)), slice(k, min(k + block, n))
    product.at[rows, :] += left[rows, inner] @ right[inner, :]
product.merge()  # only rows that a node has added to travel

c = atoll.zeros((n, n))
c.copy_from(product)  # each rank from its own node's copy: no network traffic

error = float(np.abs(c[...] - a[...] @ b[...]).max())
atoll.sync()
if atoll.rank() == 0:
    print(f"{atoll.size()} ranks on {atoll.nodes()} nodes: largest error {error:.0e}")
assert error < 1e-10
