"""A matrix of 200 MB to a file and back: Atoll, h5py, zarr, and plain write and read.

One process, nothing forced to the device, what was written before is overwritten; h5py and zarr
also read Atoll's file. Atoll has checksums and chunks of 2 MiB. The others have no checksums and
such chunks, which is zarr's best (larger ones are slower); h5py is also there with a cache that
holds all chunks, and at its best: without chunks, so that only whole rows are read as fast. In
/dev/shm and in the folder named on the command line. Medians of five, 10^9 bytes a second.
"""

import sys
import tempfile
import time
from pathlib import Path

import atoll
import h5py
import numpy as np
import zarr

N, TILE, ROUNDS = 5120, 512, 5
CACHE = 1 << 30


def rate_of(work):
    """Median over some rounds; the first, which finds new pages, does not count."""
    seconds = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return 8e-9 * N * N / float(np.median(seconds[1:]))


def measure(folder: Path) -> None:
    """Print a table for a folder."""
    values = np.random.default_rng(1).normal(size=(N, N))
    target = np.zeros_like(values)
    array = atoll.from_numpy(values)
    disk = atoll.disk.create(folder / "a.zarr", (N, N), tile=(TILE, TILE), durability="scratch")
    hdf5 = h5py.File(folder / "h.h5", "w", libver="latest")
    chunked = hdf5.create_dataset("array", (N, N), "f8", chunks=(TILE, TILE))
    contiguous = hdf5.create_dataset("rows", (N, N), "f8")
    cached_file = h5py.File(folder / "c.h5", "w", libver="latest", rdcc_nbytes=CACHE, rdcc_w0=1.0)
    cached = cached_file.create_dataset("array", (N, N), "f8", chunks=(TILE, TILE))
    store = zarr.create_array(
        str(folder / "z.zarr"), shape=(N, N), dtype="f8", chunks=(TILE, TILE), compressors=None
    )

    def write_cached():
        cached.write_direct(values)
        cached_file.flush()  # else nothing has left the process

    plain = (folder / "plain").open("w+b", buffering=0)

    def plain_write():
        plain.seek(0)
        view = memoryview(values).cast("B")
        for at in range(0, len(view), TILE * TILE * 8):
            plain.write(view[at : at + TILE * TILE * 8])

    def plain_read():
        plain.seek(0)
        view = memoryview(target).cast("B")
        for at in range(0, len(view), TILE * TILE * 8):
            plain.readinto(view[at : at + TILE * TILE * 8])

    writes = {
        "plain": rate_of(plain_write),
        "atoll": rate_of(lambda: disk.write(array)),
        "h5py": rate_of(lambda: chunked.write_direct(values)),
        "h5py, cache": rate_of(write_cached),
        "h5py, no chunks": rate_of(lambda: contiguous.write_direct(values)),
        "zarr": rate_of(lambda: store.__setitem__(slice(None), values)),
    }
    ours = h5py.File(folder / "a.zarr/c/0/0", "r")["array"]
    ours_by_zarr = zarr.open_array(str(folder / "a.zarr"), mode="r")
    reads = {
        "plain": rate_of(plain_read),
        "atoll": rate_of(lambda: disk.read(array)),
        "h5py": rate_of(lambda: chunked.read_direct(target)),
        "h5py, no chunks": rate_of(lambda: contiguous.read_direct(target)),
        "zarr": rate_of(lambda: store[...]),
        "h5py of Atoll's": rate_of(lambda: ours.read_direct(target)),
        "zarr of Atoll's": rate_of(lambda: ours_by_zarr[...]),
    }
    for what, rates in ("write", writes), ("read", reads):
        text = ", ".join(f"{name} {r:.2f} ({r / rates['plain']:.2f})" for name, r in rates.items())
        print(f"{folder.parent} {what}: {text}")
    disk.close()


for parent in ("/dev/shm", sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir()):
    with tempfile.TemporaryDirectory(dir=parent) as name:
        measure(Path(name))
