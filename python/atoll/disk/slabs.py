"""Copying disk arrays slab by slab, to disk arrays and to Zarr stores with compression.

A slab is so many rows of whole tiles that it fits in memory: no rank ever holds more.
"""

from __future__ import annotations

import errno
import functools
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from atoll import _core
from atoll._agreement import leave
from atoll._creation import zeros
from atoll.disk.arrays import DiskArray, create

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atoll._array import Array

_BYTES_PER_RANK = 256 << 20


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


def salvage(
    source: DiskArray, target: str, group: _core.Group, advance: Callable[[int], object]
) -> list[str]:
    """Copy what is whole of a damaged array; zeros stand for the rest. Collective.

    Returns:
        The sections that are lost, tile by tile.

    """
    lost: list[str] = []
    disk = _new_like(source, target, group)
    for rows in _rows(source, source.tile[0], group):
        slab = zeros((rows.stop - rows.start, *source.shape[1:]), source.dtype, group=group)
        for there, here in _tiles(source, rows):
            try:
                source.read(slab, at=there, target=here, progress=False)
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


_Section = tuple[slice, ...]


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
