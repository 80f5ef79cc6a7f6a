"""Where a rank keeps its records of integrals: in memory first, then on a file of its own.

Records are bytes that the C++ kernel has packed; it knows by their checksum whether they are still
what it wrote. The file is scratch: it has no name and goes with the process.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.integrals.scratch import default_folder
from atoll.chem.molecules import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from atoll._core import FileRequest

CHUNK = 8 << 20
"""Bytes of a read or write; there are two of these buffers."""
GAP = 256 << 10
"""Bytes that are rather read along than sought past."""


@dataclass(slots=True)
class Entry:
    """A record: some rows of a task."""

    task: int
    begin: int
    end: int
    nbytes: int
    largest_bound: float
    """Of its integrals."""
    seconds: float
    """That it took to compute them."""
    offset: int = -1
    """In the file; -1: in memory."""
    data: NDArray[np.uint8] | None = None


class RecordStore:
    """The records of one rank, up to a limit of memory and one of disk. Not collective.

    Attributes:
        entries: In the order in which they were added; only `add` and `drop` change it.
        failure: What the system said when the file could not be written or read.
        full: Whether a record had to be refused; then no more should be made.
        bandwidth: Bytes a second at which the first chunk of the last pass was read; 0: none was.
        waited: Seconds that passes have waited for reads, all together.

    """

    def __init__(self, memory: int, disk: int, scratch: Sequence[str] = ()) -> None:
        """Open the file if `disk` allows one; OSError as `atoll.disk.private`."""
        self.entries: list[Entry] = []
        self.failure: OSError | None = None
        self.full = False
        self.bandwidth = self.waited = self.seconds_writing = 0.0
        self._memory, self._disk = memory, disk
        self._memory_used = self._file_end = 0
        self._file = atoll.disk.private(directories=scratch) if disk > 0 else None
        self._pending: list[Entry] = []  # of the buffer that is being filled
        self._filled: list[NDArray[np.uint8]] = []
        self._writing: tuple[FileRequest, list[Entry], NDArray[np.uint8]] | None = None

    @property
    def memory_used(self) -> int:
        """Bytes of records in memory."""
        return self._memory_used

    @property
    def disk_used(self) -> int:
        """Bytes of records on the file, those no longer used included."""
        return self._file_end

    @property
    def memory(self) -> int:
        """Bytes of records that can be kept in memory."""
        return self._memory

    @property
    def capacity(self) -> int:
        """Bytes of records that can be kept in all."""
        return self._memory + self._disk

    def add(self, entry: Entry, data: NDArray[np.uint8]) -> None:
        """Keep a record if there is room. Never raises for a disk that is full."""
        if self._memory_used + entry.nbytes <= self._memory:
            entry.data = data
            self._memory_used += entry.nbytes
        elif self._file is not None and self._file_end + entry.nbytes <= self._disk:
            entry.offset = self._file_end
            self._file_end += entry.nbytes
            self._pending.append(entry)
            self._filled.append(data)
        else:
            self.full = True
            return
        self.entries.append(entry)
        if sum(part.nbytes for part in self._filled) >= CHUNK:
            self._write_pending()

    def flush(self) -> None:
        """Wait until all records are written; those that could not be are dropped."""
        self._write_pending()
        self._finish_write()

    def stop_writing(self) -> None:
        """Keep no further records on the file."""
        self._disk = 0

    def drop(self, unwanted: Sequence[Entry]) -> None:
        """Forget records."""
        gone = set(map(id, unwanted))
        self._memory_used -= sum(e.nbytes for e in self.entries if id(e) in gone and e.offset < 0)
        self.entries = [entry for entry in self.entries if id(entry) not in gone]

    def read(
        self, wanted: Sequence[Entry], meanwhile: Callable[[], bool]
    ) -> Iterator[tuple[Entry, NDArray[np.uint8] | None]]:
        """Give records with their bytes, those on the file while the next ones are read.

        None for bytes that could not be read. An array is good until the next one is asked for.
        `meanwhile` is called while a read is under way: it does a little and tells whether there
        was anything to do.
        """
        on_file = sorted((e for e in wanted if e.data is None), key=lambda entry: entry.offset)
        chunks = list(_chunks(on_file))
        buffers = [np.empty(max(map(_extent, chunks), default=0), np.uint8) for _ in range(2)]
        request = self._begin_read(chunks[0], buffers[0]) if chunks else None
        # What lies in memory is digested while the first chunk is on its way.
        for entry in wanted:
            if entry.data is not None:
                yield entry, entry.data
        for number, chunk in enumerate(chunks):
            buffer = buffers[number % 2]
            while request is not None and not request.test() and meanwhile():
                pass
            intact = self._finish_read(request, _extent(chunk))
            if number + 1 < len(chunks):
                request = self._begin_read(chunks[number + 1], buffers[(number + 1) % 2])
            start = chunk[0].offset
            for entry in chunk:
                place = entry.offset - start
                yield entry, buffer[place : place + entry.nbytes] if intact else None

    def measure_bandwidth(self) -> None:
        """Read a chunk of the file and wait for it: what `bandwidth` says."""
        on_file = [entry for entry in self.entries if entry.offset >= 0]
        if not on_file:
            return
        chunk = next(_chunks(on_file))
        buffer = np.empty(_extent(chunk), np.uint8)
        started = time.perf_counter()
        if self._finish_read(self._begin_read(chunk, buffer), buffer.nbytes):
            self.bandwidth = buffer.nbytes / max(time.perf_counter() - started, 1e-9)

    def close(self) -> None:
        """Free everything."""
        self.entries = []
        if self._writing is not None:
            self._finish_write()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write_pending(self) -> None:
        """Begin to write the buffer that was filled, when the one before is written."""
        self._finish_write()
        if not self._pending or self._file is None:
            return
        entries, data = self._pending, np.concatenate(self._filled)
        self._pending, self._filled = [], []
        started = time.perf_counter()
        try:
            request = self._file.write_async(data, entries[0].offset)
            self._writing = request, entries, data
        except OSError as error:
            self._lose(entries, error)
        self.seconds_writing += time.perf_counter() - started

    def _finish_write(self) -> None:
        if self._writing is None:
            return
        request, entries, _ = self._writing
        self._writing = None
        started = time.perf_counter()
        try:
            request.wait()
        except OSError as error:
            self._lose(entries, error)
        self.seconds_writing += time.perf_counter() - started

    def _lose(self, entries: list[Entry], error: OSError) -> None:
        """Give up records that were not written, and the file for further ones."""
        self.failure = error
        self.stop_writing()
        unwritten = [*entries, *self._pending]
        self._pending, self._filled = [], []
        self.drop(unwritten)

    def _begin_read(self, chunk: Sequence[Entry], buffer: NDArray[np.uint8]) -> FileRequest | None:
        if self._file is None:
            return None
        try:
            return self._file.read_async(buffer[: _extent(chunk)], chunk[0].offset)
        except OSError as error:
            self.failure = error
            return None

    def _finish_read(self, request: FileRequest | None, nbytes: int) -> bool:
        """Wait for a read; whether it gave all bytes."""
        if request is None:
            return False
        started = time.perf_counter()
        try:
            got = request.wait()
        except OSError as error:
            self.failure = error
            return False
        finally:
            self.waited += time.perf_counter() - started
        return got == nbytes


def _extent(chunk: Sequence[Entry]) -> int:
    return chunk[-1].offset + chunk[-1].nbytes - chunk[0].offset


def _chunks(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Put entries that lie one behind the other into chunks, of about CHUNK bytes."""
    chunk: list[Entry] = []
    for entry in entries:
        if chunk:
            end = chunk[-1].offset + chunk[-1].nbytes
            too_long = entry.offset + entry.nbytes - chunk[0].offset > CHUNK
            if too_long or entry.offset - end > GAP:
                yield chunk
                chunk = []
        chunk.append(entry)
    if chunk:
        yield chunk


def open_stores(
    group: atoll.Group, memory: int, disk: int | None, scratch: str | os.PathLike[str] | None
) -> RecordStore:
    """Open a store on each rank. Collective.

    `disk`: bytes of a rank; None: its share of what the file system has. `scratch`: None: the
    default folder. Raises InputError on all ranks if one of them cannot.
    """
    store, trouble = None, ""
    folder = default_folder() if scratch is None else os.fspath(scratch)
    folders = [] if scratch is None else [folder]
    try:
        if disk is None:
            disk = _share_of_disk(folder, group.size)
        store = RecordStore(memory, disk, folders)
    except (OSError, ValueError) as error:
        trouble = f": {error}"
    if float(group.reduce(0.0 if store else 1.0, "max")) > 0.0 or store is None:
        if store is not None:
            store.close()
        raise InputError(
            f"scratch is {folder!r}, expected a folder that every rank can write to{trouble}"
        )
    return store


def _share_of_disk(folder: str, ranks: int) -> int:
    """Give the bytes that a rank may take of the file system where all have their files."""
    return int(0.9 * atoll.disk.file_system(folder).available) // ranks
