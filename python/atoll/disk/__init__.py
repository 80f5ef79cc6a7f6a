"""Arrays in files, private files of each process, and files that all share.

What ChemIO calls DRA, EAF and SF. Arrays in files are moved by all ranks together, and are HDF5 and
Zarr at once; files are of bytes at offsets, each rank reads and writes them on its own.

>>> import numpy as np
>>> import atoll
>>> with atoll.disk.private() as scratch:  # gone afterwards, also after a crash
...     scratch.write(np.arange(1000.0), offset=8000)
...     numbers = scratch.read(3, offset=8080, dtype="float64")
>>> numbers
array([10., 11., 12.])
"""

from atoll._core import DiskRequest, FileRequest
from atoll.disk.arrays import DiskArray, create, open, remove, repair  # noqa: A004
from atoll.disk.files import (
    FileStatistics,
    FileSystem,
    PrivateFile,
    SharedFile,
    file_system,
    private,
    shared,
)

__all__ = [
    "DiskArray",
    "DiskRequest",
    "FileRequest",
    "FileStatistics",
    "FileSystem",
    "PrivateFile",
    "SharedFile",
    "create",
    "file_system",
    "open",
    "private",
    "remove",
    "repair",
    "shared",
]
