"""An array in a file.

`atoll.disk.create` makes an array that lies in a folder, in tiles; each process writes and reads
the tiles that it has to do with. h5py and zarr open the same folder. What is read back may be cut
in another way, or be read by another number of processes: the file does not know.

Builds on: 01-first-array. Next: 09-files.
"""

import tempfile
from pathlib import Path

import atoll

folder = tempfile.mkdtemp() if atoll.rank() == 0 else None
folder = Path(atoll.world().mpi4py().bcast(folder))
a = atoll.arange(24.0).reshape((4, 6))
with atoll.disk.create(folder / "numbers.zarr", (4, 6), tile=(2, 3)) as disk:
    disk.write(a)  # collective

with atoll.disk.open(folder / "numbers.zarr") as disk:
    part = disk.load((slice(1, 3), slice(2, 5)))  # a part, as a distributed array
    if atoll.rank() == 0:
        print(disk.shape, disk.dtype)
        print(part[...])
    atoll.sync()
if atoll.rank() == 0:
    atoll.disk.remove(folder / "numbers.zarr")
