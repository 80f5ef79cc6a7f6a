"""C = A B with matrices on disk that are four times as large as the memory they may take.

A block of C is in memory, and strips of A and B: while two strips are multiplied the next two are
read (paper of ChemIO, section 5.2). Run with `mpiexec -n 2 python out_of_core.py [N [FOLDER]]`;
prints the rate beside that of the same product in memory, and how long it waited for the disk.
"""

import contextlib
import sys
import tempfile
import time

import atoll
import numpy as np

n = int(sys.argv[1]) if len(sys.argv) > 1 else 512
# In memory: a block of C, a quarter of it, and four strips of half a quarter each. That is three
# quarters of a matrix, of three on disk.
block, strip = n // 2, n // 4


def rows(i, size):
    return slice(i * size, (i + 1) * size)


def multiply(a, b, c):
    """Give the seconds waited for the disk."""
    waited = 0.0
    part = atoll.zeros((block, block))
    strips = [(atoll.zeros((block, strip)), atoll.zeros((strip, block))) for _ in range(2)]
    steps = [(i, j, k) for i in range(2) for j in range(2) for k in range(n // strip)]

    def read(step):
        i, j, k = steps[step]
        left, right = strips[step % 2]
        return (
            a.read_async(left, at=np.s_[rows(i, block), rows(k, strip)]),
            b.read_async(right, at=np.s_[rows(k, strip), rows(j, block)]),
        )

    requests = read(0)
    for step, (i, j, k) in enumerate(steps):
        start = time.perf_counter()
        for request in requests:
            request.wait()
        waited += time.perf_counter() - start
        if step + 1 < len(steps):
            requests = read(step + 1)
        left, right = strips[step % 2]
        atoll.matmul(left, right, out=part, beta=0.0 if k == 0 else 1.0)
        if k == n // strip - 1:
            start = time.perf_counter()
            c.write(part, at=np.s_[rows(i, block), rows(j, block)])
            waited += time.perf_counter() - start
    return waited


def in_memory(a, b):
    """Give the product, and the seconds that it took."""
    left, right, product = a.load(), b.load(), atoll.zeros((n, n))
    seconds = []
    for _ in range(2):  # the first time finds new memory
        start = time.perf_counter()
        atoll.matmul(left, right, out=product)
        seconds.append(time.perf_counter() - start)
    return product, seconds[-1]


with contextlib.ExitStack() as stack:
    above = sys.argv[2] if len(sys.argv) > 2 else None
    made = stack.enter_context(tempfile.TemporaryDirectory(dir=above)) if atoll.rank() == 0 else ""
    name = np.frombuffer(made.encode(), np.uint8) if made else None
    folder = bytes(atoll.world().broadcast(name)).decode()
    a, b, c = (
        stack.enter_context(
            atoll.disk.create(
                f"{folder}/{x}.zarr", (n, n), request=(strip, strip), durability="scratch"
            )
        )
        for x in "abc"
    )
    for matrix in (a, b):
        for k in range(n // strip):
            matrix.write(atoll.random((strip, n), seed=k), at=np.s_[rows(k, strip), :])
    multiply(a, b, c)  # once to warm up, as below
    atoll.barrier()
    start = time.perf_counter()
    waited = multiply(a, b, c)
    seconds = time.perf_counter() - start
    product, seconds_in_memory = in_memory(a, b)
    there = c.load()
    mine = np.abs(there.local() - product.local()).max(initial=0)
    difference = float(atoll.world().reduce(mine, "max"))
    if atoll.rank() == 0:
        print(f"largest difference: {difference:.1e}")
        rate, rate_in_memory = (2e-9 * n**3 / t for t in (seconds, seconds_in_memory))
        print(
            f"{n} x {n}: {rate:.1f} Gflop/s, in memory {rate_in_memory:.1f}: "
            f"{rate / rate_in_memory:.2f}; waited {waited:.3f} of {seconds:.3f} s for the disk"
        )
    atoll.barrier()
