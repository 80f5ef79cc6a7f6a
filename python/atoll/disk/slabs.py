"""Copying disk arrays slab by slab, to disk arrays and to Zarr stores with compression.

A slab is so many rows of whole tiles that it fits in memory: no rank ever holds more.
"""

from __future__ import annotations

import errno
import functools
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import leave
from atoll._creation import zeros
from atoll.disk.arrays import DiskArray, create

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from atoll._array import Array

_BYTES_PER_RANK = 256 << 20
_Section = tuple[slice, ...]


def copy(
    source: DiskArray, target: str, group: _core.Group, advance: Callable[[int], object]
) -> None:
    """Write all of a disk array to a new one, which takes its place when all is there. Collective.

    Args:
        source: Open.
        target: A folder: not there, or a disk array that is replaced.
        group: All ranks.
        advance: Told how many bytes have been written, again and again.

    """
    disk = _new_like(source, target, group)
    for slab, rows in _slabs(source, source.tile[0], group):
        disk.write(slab, at=rows, progress=False)
        advance(slab.nbytes)
    disk.close()


def open_damaged(path: str, group: _core.Group) -> DiskArray:
    """Open an array for reading what is whole, whatever became of its metadata. Collective."""
    return DiskArray(_core.DiskArrayBase.open_damaged(group, path), group)


def salvage(
    source: DiskArray, target: str, group: _core.Group, advance: Callable[[int], object]
) -> list[str]:
    """Copy what is whole of a damaged array; zeros stand for the rest. Collective.

    Where Zarr has put a shard of its own in the place of the tiles, by that shard's index.

    Returns:
        The sections that are lost, tile by tile.

    """
    lost: list[str] = []
    shard = _shard_of_others(source, group)
    disk = _new_like(source, target, group)
    for rows in _rows(source, source.tile[0], group):
        slab = zeros((rows.stop - rows.start, *source.shape[1:]), source.dtype, group=group)
        for there, here in _tiles(source, rows):
            try:
                if shard is None:
                    source.read(slab, at=there, target=here, progress=False)
                else:
                    _together(group, functools.partial(shard.read, slab, there, here))
                    group.sync()
            except OSError as error:
                if error.errno not in (errno.EBADMSG, errno.EIO):
                    raise
                # A read that failed may have left anything.
                slab[here] = 0
                group.sync()
                lost.append("[" + ", ".join(f"{one.start}:{one.stop}" for one in there) + "]")
        disk.write(slab, at=rows, progress=False)
        advance(slab.nbytes)
        slab.destroy()
    disk.close()
    return lost


class _Shard:
    """A file of chunks that Zarr has written where the tiles were, all of one shape."""

    def __init__(self, path: Path, tile: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._path, self._tile, self._dtype = path, tile, dtype
        self._index: NDArray[np.uint64] = np.empty((0, 2), np.uint64)
        self._grid: tuple[int, ...] = ()

    def is_there(self, shape: tuple[int, ...]) -> bool:
        """Tell whether the file begins with an index that is in order and no tile's of Atoll's."""
        self._grid = tuple(-(-n // t) for n, t in zip(shape, self._tile, strict=True))
        tiles = int(np.prod(self._grid))
        with open(self._path, "rb") as file:
            table, checksum = file.read(16 * tiles), file.read(4)
        if len(checksum) < 4 or _core.crc32c(table) != int.from_bytes(checksum, "little"):
            return False
        self._index = np.frombuffer(table, "<u8").reshape(tiles, 2)
        return int(self._index[0, 0]) != _tile_offset(tiles)

    def read(self, slab: Array, there: _Section, here: _Section) -> None:
        """Read one chunk into a section of an array, on the rank that owns its first element."""
        if slab.owner(*(one.start for one in here)) != slab.group.rank:
            return
        place = [one.start // t for one, t in zip(there, self._tile, strict=True)]
        offset, length = map(int, self._index[int(np.ravel_multi_index(place, self._grid))])
        if offset == length == 2**64 - 1:
            return  # zeros, as the rows are already
        bytes_ = self._dtype.itemsize * int(np.prod(self._tile))
        with open(self._path, "rb") as file:
            file.seek(offset)
            found = file.read(bytes_) if length == bytes_ else b""
        if len(found) < bytes_:
            raise OSError(errno.EBADMSG, "a chunk is not there", str(self._path))
        tile = np.frombuffer(found, self._dtype).reshape(self._tile)
        slab[here] = tile[tuple(slice(one.stop - one.start) for one in here)]


def _tile_offset(tiles: int) -> int:
    """Give where Atoll's first tile lies: behind HDF5's page, behind Zarr's index."""
    block = 4096
    while block < 16 * tiles + 4:
        block *= 2
    return block + 4096


def _shard_of_others(source: DiskArray, group: _core.Group) -> _Shard | None:
    """Give the shard that Zarr has put in the place of the tiles, if it has. Collective."""
    path = Path(source.path).joinpath("c", *["0"] * len(source.shape))
    shard = _Shard(path, source.tile, source.dtype)
    found = np.zeros(1, np.int32)

    def look() -> None:
        if 0 not in source.shape and "{node}" not in source.path:
            found[0] = shard.is_there(source.shape)

    _together(group, look)
    return shard if int(group.reduce(int(found[0]), "min")) else None


def export(
    source: DiskArray,
    target: str,
    group: _core.Group,
    advance: Callable[[int], object],
    *,
    shard_bytes: int,
    level: int,
) -> None:
    """Write all of a disk array to a Zarr v3 store with zstd and checksums. Collective.

    The chunks are the tiles, several in a shard. The folder has its name when all is there.

    Raises:
        OSError: On all ranks, also if one of them could not write.

    """
    if os.path.lexists(target):
        raise FileExistsError(17, "expected a path that is not there", target)
    temporary = target.rstrip("/") + ".atoll-new"
    shards = _shards(source, shard_bytes)

    def make() -> None:
        import zarr
        from zarr.codecs import Crc32cCodec, ZstdCodec

        shutil.rmtree(temporary, ignore_errors=True)
        zarr.create_array(
            temporary,
            shape=source.shape,
            dtype=source.dtype,
            chunks=source.tile,
            shards=shards,
            compressors=(ZstdCodec(level=level), Crc32cCodec()),
            fill_value=0,
        )

    def publish() -> None:
        for file in [*Path(temporary).rglob("*"), Path(temporary)]:
            _sync(file)
        os.rename(temporary, target)
        _sync(Path(target).parent)

    _on_first_rank(group, make)
    for slab, rows in _slabs(source, shards[0], group):
        write = functools.partial(_write_shards, temporary, slab, rows, shards, group)
        _together(group, write)
        advance(slab.nbytes)
    _on_first_rank(group, publish)


def _new_like(source: DiskArray, target: str, group: _core.Group) -> DiskArray:
    """Make an array that takes the place of `target` when it is closed."""
    return create(
        target,
        source.shape,
        source.dtype,
        tile=source.tile,
        durability="checkpoint",
        name=source.name,
        group=group,
    )


def _rows(source: DiskArray, unit: int, group: _core.Group) -> Iterator[slice]:
    """Give the rows of a disk array, a multiple of `unit` at a time, that fit in memory."""
    shape = source.shape
    if 0 in shape:
        return
    row_bytes = source.dtype.itemsize * int(np.prod(shape[1:], dtype=object))
    units = max(1, _BYTES_PER_RANK * group.size // max(1, row_bytes * unit))
    for first in range(0, shape[0], units * unit):
        yield slice(first, min(first + units * unit, shape[0]))


def _slabs(source: DiskArray, unit: int, group: _core.Group) -> Iterator[tuple[Array, slice]]:
    """Give those rows as distributed arrays."""
    for rows in _rows(source, unit, group):
        slab = source.load(rows)
        yield slab, rows
        slab.destroy()


def _tiles(source: DiskArray, rows: slice) -> Iterator[tuple[_Section, _Section]]:
    """Give the tiles that rows consist of: sections of the disk array, and of the rows."""
    extents = (rows.stop - rows.start, *source.shape[1:])
    counts = [-(-extent // tile) for extent, tile in zip(extents, source.tile, strict=True)]
    for place in np.ndindex(*counts):
        here = tuple(
            slice(i * tile, min((i + 1) * tile, extent))
            for i, tile, extent in zip(place, source.tile, extents, strict=True)
        )
        yield (slice(here[0].start + rows.start, here[0].stop + rows.start), *here[1:]), here


def _shards(source: DiskArray, shard_bytes: int) -> tuple[int, ...]:
    """Give the shape of shards: whole tiles, more of them from the last dimension on."""
    shards = list(source.tile)
    bytes_ = source.dtype.itemsize * int(np.prod(shards))
    for d in reversed(range(len(shards))):
        needed = -(-source.shape[d] // source.tile[d])
        times = max(1, min(needed, shard_bytes // max(1, bytes_)))
        shards[d] *= times
        bytes_ *= times
    return tuple(shards)


def _write_shards(
    store: str, slab: Array, rows: slice, shards: tuple[int, ...], group: _core.Group
) -> None:
    """Write this rank's share of the shards that a slab consists of."""
    import zarr

    array = zarr.open_array(store, mode="r+")
    counts = [-(-extent // shard) for extent, shard in zip(slab.shape, shards, strict=True)]
    for number, place in enumerate(np.ndindex(*counts)):
        if number % group.size != group.rank:
            continue
        here = tuple(
            slice(i * shard, min((i + 1) * shard, extent))
            for i, shard, extent in zip(place, shards, slab.shape, strict=True)
        )
        there = (slice(here[0].start + rows.start, here[0].stop + rows.start), *here[1:])
        array[there] = slab[here]


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _together(group: _core.Group, work: Callable[[], None]) -> None:
    """Run what is no collective call; raise on all ranks what failed on one."""
    failure: Exception | None = None
    try:
        work()
    except Exception as error:  # the others must learn of any
        failure = error
    leave(group, failure)


def _on_first_rank(group: _core.Group, work: Callable[[], None]) -> None:
    _together(group, work if group.rank == 0 else lambda: None)
