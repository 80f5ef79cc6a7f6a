"""Room for records of bytes: in the memory of all ranks while it lasts, then in one shared file.

Addresses go through both: first the memory, one rank's after the other's, then the file. Each rank
finds room by itself: in its own part of the memory, then in pieces of the file that it takes from a
counter. What it gives back it uses again.
"""

from __future__ import annotations

import math
import os
import uuid
from typing import TYPE_CHECKING, Protocol

import numpy as np

import atoll
from atoll.chem.integrals.scratch import default_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

_SMALLEST = 64  # bytes
_PIECE = 4 << 20  # bytes of the file that a rank takes at a time


class BytesReading(Protocol):
    """A record on its way."""

    def wait(self) -> Bytes:
        """Give it."""


class Extents:
    """Room for records. Making and closing it is collective.

    Args:
        group: The ranks.
        memory: Bytes of each rank that are used before the file is.
        scratch: A folder that all ranks see, of the file; none: the first one of `ATOLL_SCRATCH`.

    Raises:
        OSError: On all ranks, if the file cannot be made.

    """

    def __init__(
        self, group: atoll.Group, memory: int, scratch: str | os.PathLike[str] | None
    ) -> None:
        self._memory_end = memory * group.size
        name = f"atoll-{uuid.uuid4().hex}.ci"
        folder = default_folder() if scratch is None else os.fspath(scratch)
        path = str(group.broadcast(os.path.join(folder, name)))
        self._file = atoll.disk.shared(path, group=group)
        # A byte array is cut in even blocks, so that a rank's first byte is that of its block.
        self._memory = atoll.zeros(
            (group.size, max(1, memory)),
            np.uint8,
            distribution=atoll.irregular([list(range(group.size)), [0]]),
            group=group,
            name="CI records",
        )
        self._row = max(1, memory)
        self._next = group.rank * memory
        self._mine_end = self._next + memory
        self._pieces = atoll.Counter(group=group)
        self._file_next = self._file_end = 0
        self._free: dict[tuple[bool, int], list[int]] = {}
        self._group = group

    @property
    def file_bytes(self) -> int:
        """How long the file is."""
        return self._file.length

    def take(self, length: int) -> tuple[int, int]:
        """Give an address and how many bytes there are, at least `length`. Not collective."""
        room = _rounded(length)
        for in_file in (False, True):
            if free := self._free.get((in_file, room)):
                return free.pop(), room
        if self._next + room <= self._mine_end:
            self._next += room
            return self._next - room, room
        if self._file_next + room > self._file_end:
            # The rest of the piece before is smaller than the record: it is left.
            pieces = -(-room // _PIECE)
            first = self._pieces.next(pieces)
            self._file_next = self._memory_end + first * _PIECE
            self._file_end = self._file_next + pieces * _PIECE
        self._file_next += room
        return self._file_next - room, room

    def give_back(self, address: int, room: int) -> None:
        """Let this rank use the room again. Not collective."""
        in_file = address >= self._memory_end
        self._free.setdefault((in_file, room), []).append(address)

    def write(self, address: int, record: Bytes) -> None:
        """Write a record; others see it after a fence and a message. Not collective."""
        if address >= self._memory_end:
            self._file.write(record, address - self._memory_end)
            return
        rank, begin = divmod(address, self._row)
        self._memory[rank, begin : begin + len(record)] = record
        atoll.fence()

    def read(self, address: int, length: int) -> BytesReading:
        """Begin to read a record. Not collective."""
        if address >= self._memory_end:
            room = np.empty(length, dtype=np.uint8)
            return _FromFile(self._file.read_async(room, address - self._memory_end), room)
        rank, begin = divmod(address, self._row)
        if self._group.same_node(rank):
            return _Present(self._memory.block(rank)[0, begin : begin + length])
        return _FromMemory(self._memory.get_async((rank, slice(begin, begin + length))))

    def close(self) -> None:
        """Give everything back; the file goes. Collective."""
        self._memory.destroy()
        self._file.close()


class _Present:
    def __init__(self, record: Bytes) -> None:
        self._record = record

    def wait(self) -> Bytes:
        return self._record


class _FromMemory:
    def __init__(self, request: atoll.Request) -> None:
        self._request = request

    def wait(self) -> Bytes:
        return np.asarray(self._request.wait())


class _FromFile:
    def __init__(self, request: atoll.disk.FileRequest, record: Bytes) -> None:
        self._request, self._record = request, record

    def wait(self) -> Bytes:
        self._request.wait()
        return self._record


def _rounded(length: int) -> int:
    """Round up to one of four sizes for each power of two: room that one left fits another."""
    step = 1 << max(0, math.ceil(math.log2(max(length, _SMALLEST))) - 3)
    return -(-max(length, _SMALLEST) // step) * step
