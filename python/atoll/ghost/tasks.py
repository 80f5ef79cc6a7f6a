"""Get, compute, update in plain MPI: the program by which `atoll ghost --measure` compares ways.

    python tasks.py SECONDS

Ranks draw numbers from a counter; each then fetches two blocks from anywhere, multiplies them, and
adds the product to a third. Rank 0 prints a line of JSON. It must not import Atoll: the library
steps aside where a program runs Atoll itself.
"""

import json
import sys

import numpy as np
from mpi4py import MPI

ORDER = 64
PRODUCTS = 100  # of a task: some milliseconds
BLOCKS = 4  # of a rank, of each kind


def run(seconds: float) -> tuple[int, float]:
    """Do tasks for so long; how many this rank did, and how long it took until all had ended."""
    world = MPI.COMM_WORLD
    size, extent = world.size, ORDER * ORDER * 8
    sources = MPI.Win.Allocate(BLOCKS * extent, 8, comm=world)
    sums = MPI.Win.Allocate(BLOCKS * extent, 8, comm=world)
    counter = MPI.Win.Allocate(8, 8, comm=world)
    windows = (sources, sums, counter)
    for window in windows:
        memory = window.tomemory()
        memory[:] = bytes(memory.nbytes)
    left, right = np.zeros((ORDER, ORDER)), np.zeros((ORDER, ORDER))
    one, number = np.array([1], np.int64), np.array([0], np.int64)
    world.Barrier()
    for window in windows:
        window.Lock_all()
    start, done = MPI.Wtime(), 0
    while MPI.Wtime() < start + seconds:
        counter.Fetch_and_op(one, number, 0)
        counter.Flush(0)
        places = [(7 * int(number[0]) + 3 * which) % (BLOCKS * size) for which in range(3)]
        for block, place in zip((left, right), places[:2], strict=True):
            sources.Get(block, place % size, place // size * ORDER * ORDER)
            sources.Flush(place % size)
        for _ in range(PRODUCTS):
            product = left @ right
        sums.Accumulate(product, places[2] % size, places[2] // size * ORDER * ORDER)
        sums.Flush_local(places[2] % size)
        done += 1
    for window in windows:
        window.Unlock_all()
    world.Barrier()
    took = MPI.Wtime() - start
    for window in windows:
        window.Free()
    return done, took


def main() -> None:
    """Do tasks for the seconds that are asked for, and tell."""
    world = MPI.COMM_WORLD
    node = world.Split_type(MPI.COMM_TYPE_SHARED)
    hosts = world.allreduce(int(node.rank == 0))
    node.Free()
    done, took = run(float(sys.argv[1]))
    tasks = world.allreduce(done)
    if world.rank == 0:
        said = {
            "hosts": hosts,
            "ranks": world.size,
            "threads": MPI.Query_thread() == MPI.THREAD_MULTIPLE,
            "tasks_per_second": tasks / took,
            "library": " ".join(MPI.Get_library_version().split(",")[0].split("\n")[0].split()),
        }
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
