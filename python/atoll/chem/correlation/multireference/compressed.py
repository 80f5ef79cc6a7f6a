"""Vectors whose segments are compressed records, in memory while it lasts and in a shared file.

A directory says of each segment where its record is. To add to a segment, a rank locks it, reads
the record, decompresses, adds, compresses, and writes it back: in its place if it fits there, else
elsewhere (as COLUMBUS did with ChemIO's shared files).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll import _core
from atoll.chem.correlation.multireference.compression import compress, decompress
from atoll.chem.correlation.multireference.extents import Extents
from atoll.chem.correlation.multireference.vectors import Reading, owners

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.extents import BytesReading
    from atoll.chem.correlation.multireference.space import Segment, Space

_LOCKS_A_RANK = 64


class _Entry(NamedTuple):
    """Of the directory: a record's place, what room it has there, its length; 0: all zeros."""

    address: int
    room: int
    length: int


class CompressedStore:
    """Makes such vectors; see `Store`.

    Args:
        space: The segments.
        group: The ranks.
        memory: Bytes of each rank that are used before the file is.
        scratch: As of `Extents`.
        exact: Whether numbers are kept as they are, eight bytes each, but for segments of zeros.

    """

    def __init__(
        self,
        space: Space,
        group: atoll.Group,
        memory: int,
        scratch: str | os.PathLike[str] | None,
        exact: bool,
    ) -> None:
        self.space, self.group, self.exact = space, group, exact
        self.mine = [space.segments[number] for number in owners(space, group.size)[group.rank]]
        self.extents = Extents(group, memory, scratch)
        self._locks = _core.Mutexes(group, _LOCKS_A_RANK)

    def new(self) -> CompressedVector:
        """Make a vector of zeros. Collective."""
        shape = (len(self.space.segments), len(_Entry._fields))
        directory = atoll.zeros(shape, np.int64, group=self.group, name="CI directory")
        return CompressedVector(self, directory)

    def lock(self, segment: Segment) -> None:
        """Wait until nobody else changes the segment, of any vector."""
        self._locks.lock(*self._lock_of(segment))

    def unlock(self, segment: Segment) -> None:
        """Let others change it."""
        self._locks.unlock(*self._lock_of(segment))

    def _lock_of(self, segment: Segment) -> tuple[int, int]:
        number, rank = divmod(segment.number, self.group.size)
        return number % _LOCKS_A_RANK, rank

    def close(self) -> None:
        """Give everything back. Collective."""
        self.group.sync()
        self.extents.close()
        self._locks.destroy()


class CompressedVector:
    """A vector of compressed segments; see `Vector`.

    It is first filled, and read when the group has met after that: who reads of it reads the whole
    directory, once.
    """

    def __init__(self, store: CompressedStore, directory: atoll.Array) -> None:
        self._store, self._directory = store, directory
        self._known: list[list[int]] | None = None

    def read(self, segment: Segment) -> Reading:
        """Begin to read a segment; it is decompressed when it is waited for."""
        if self._known is None:
            self._known = self._directory[...].tolist()
        address, _, length = self._known[segment.number]
        if length == 0:
            return _Decompressing(None, segment)
        return _Decompressing(self._store.extents.read(address, length), segment)

    def write(self, segment: Segment, values: NDArray[np.float64]) -> None:
        """Replace a segment; nobody else may do at the time."""
        self._replace(segment, self._entry(segment), values)

    def add(self, segment: Segment, values: NDArray[np.float64]) -> None:
        """Add to a segment, under its lock."""
        self._store.lock(segment)
        try:
            entry = self._entry(segment)
            if entry.length > 0:
                reading = self._store.extents.read(entry.address, entry.length)
                values = values + _Decompressing(reading, segment).wait()
            self._replace(segment, entry, values)
        finally:
            self._store.unlock(segment)

    def destroy(self) -> None:
        """Give the room back. Collective."""
        self._store.group.sync()
        entries = self._directory[...]
        for segment in self._store.mine:
            address, room, _ = (int(number) for number in entries[segment.number])
            if room > 0:
                self._store.extents.give_back(address, room)
        self._directory.destroy()

    def _entry(self, segment: Segment) -> _Entry:
        return _Entry(*(int(number) for number in self._directory[segment.number]))

    def _replace(self, segment: Segment, entry: _Entry, values: NDArray[np.float64]) -> None:
        record = compress(values, self._store.exact)
        address, room = entry.address, entry.room
        extents = self._store.extents
        if len(record) > room:
            if room > 0:
                extents.give_back(address, room)
            address, room = extents.take(len(record))
        if len(record) > 0:
            extents.write(address, record)
        self._known = None
        self._directory[segment.number] = np.array([address, room, len(record)])
        atoll.fence()


class _Decompressing:
    """A segment whose record is on its way; none: one of zeros."""

    def __init__(self, reading: BytesReading | None, segment: Segment) -> None:
        self._reading, self._segment = reading, segment

    def wait(self) -> NDArray[np.float64]:
        if self._reading is None:
            return np.zeros(self._segment.shape)
        values = decompress(self._reading.wait(), self._segment.size)
        return values.reshape(self._segment.shape)
