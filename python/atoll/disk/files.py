"""Private files of each process, and files that all share: bytes at offsets; not collective."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from atoll import _core
from atoll._agreement import collective
from atoll._closing import leave
from atoll._signatures import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray
    from typing_extensions import Self

    from atoll._core import FileRequest

_MODES = {
    "x": _core.FileOpening.create,
    "a": _core.FileOpening.open_or_create,
    "r+": _core.FileOpening.existing,
    "r": _core.FileOpening.read_only,
}


class FileStatistics(NamedTuple):
    """What a file was used for by this rank."""

    reads: int
    """Requests."""
    writes: int
    bytes_read: int
    bytes_written: int
    seconds_waited: float
    """Inside `read` and `write`, and until requests were begun; not in `FileRequest.wait`."""


class FileSystem(NamedTuple):
    """What is known of a file system."""

    type: str
    """"ext4", "tmpfs", "nfs", ...; a number in hexadecimal if it is unknown."""
    available: int
    """Bytes that this user may still write."""
    total: int
    in_memory: bool
    """What is written there takes memory."""
    shared: bool
    """Other hosts see the same files."""


class _Base(Protocol):
    def write(self, data: Any, offset: int) -> None: ...
    def write_async(self, data: Any, offset: int) -> FileRequest: ...
    def read(self, out: Any, offset: int) -> int: ...
    def read_async(self, out: Any, offset: int) -> FileRequest: ...
    def length(self) -> int: ...
    def sync(self) -> None: ...
    def close(self) -> None: ...
    def statistics(self) -> dict[str, Any]: ...


_BaseType = TypeVar("_BaseType", bound=_Base)


class _File(Generic[_BaseType]):
    def __init__(self, base: _BaseType) -> None:
        self._base = base

    def write(self, data: ArrayLike, offset: int = 0) -> None:
        """Write the bytes of an array, in C order, at an offset in bytes. Not collective.

        The offset may lie beyond the end: what is between reads as zero.

        Raises:
            OSError: The system refused.

        """
        self._base.write(_contiguous(data), offset)

    def write_async(self, data: ArrayLike, offset: int = 0) -> FileRequest:
        """Begin to write; do not change the array before the request's `wait` has returned."""
        return self._base.write_async(_contiguous(data), offset)

    @plain
    def read(
        self, shape: int | Sequence[int], offset: int = 0, dtype: DTypeLike = np.uint8
    ) -> NDArray[Any]:
        """Read an array of this shape and type from an offset in bytes. Not collective.

        Raises:
            EOFError: A private file ends before.
            IndexError: A shared file ends before.
            OSError: The system refused.

        """
        out = np.empty(shape, dtype)
        got = self.read_into(out, offset)
        if got < out.nbytes:
            raise EOFError(f"{out.nbytes} bytes at {offset} asked for, the file has {self.length}")
        return out

    def read_into(self, out: NDArray[Any], offset: int = 0) -> int:
        """Read into a contiguous array; how many bytes: fewer where a private file ends."""
        return self._base.read(out, offset)

    def read_async(self, out: NDArray[Any], offset: int = 0) -> FileRequest:
        """Begin to read into a contiguous array, which is the request's until it is done."""
        return self._base.read_async(out, offset)

    @property
    def length(self) -> int:
        """In bytes: the end of the farthest write."""
        return self._base.length()

    def sync(self) -> None:
        """Bring what this rank has written and waited for to the device. Not collective."""
        self._base.sync()

    @property
    def statistics(self) -> FileStatistics:
        """How often and how much this rank has read and written."""
        return FileStatistics(**self._base.statistics())

    def close(self) -> None:
        """Close the file, which stays or goes as was said when it was opened.

        Of a shared file collective, when all requests of all ranks have been waited for. OSError
        (of a shared file on all ranks) if it stays and the file system has no room for what was
        written: network file systems may tell only now. It is closed in any case.
        """
        self._base.close()

    def __enter__(self) -> Self:
        return self

    __exit__ = leave


class PrivateFile(_File["_core.PrivateFileBase"]):
    """A file of this process alone: see `private`."""

    def resize(self, length: int) -> None:
        """Cut the file, or lengthen it by zeros; no request is under way."""
        self._base.resize(length)

    def remove(self) -> None:
        """Close the file; one with a name goes."""
        self._base.remove()

    def __exit__(self, *_: object) -> None:
        """Close it, also after an error: nobody else is asked."""
        self.close()

    def __repr__(self) -> str:
        """Say where it is."""
        try:
            return f"PrivateFile({self._base.describe()}, {self.length} bytes)"
        except RuntimeError:
            return "PrivateFile(closed)"


class SharedFile(_File["_core.SharedFileBase"]):
    """A file of all ranks of a group: see `shared`."""

    def __init__(self, base: _core.SharedFileBase, group: _core.Group) -> None:
        super().__init__(base)
        self._group = group

    @collective
    def close(self) -> None:
        """Close the file; it goes unless it is kept. Collective."""
        super().close()

    @property
    def path(self) -> str:
        """Where it is, or was before it lost its name."""
        return self._base.path()

    def __repr__(self) -> str:
        """Say where it is."""
        try:
            return f"SharedFile({self.path!r}, {self.length} bytes)"
        except RuntimeError:
            return "SharedFile(closed)"


@plain
def private(
    name: str = "",
    mode: str = "a",
    *,
    directories: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    stripe: int = 1 << 20,
) -> PrivateFile:
    """Open a file of this process alone. Not collective.

    Args:
        name: Empty for scratch that nobody else can open and that is gone when it is closed, at
            exit and after a crash. Else a file's name, which stays; ranks need different ones.
        mode: Of a file with a name: "x" must not be there, "a" may be, "r+" must be, "r" must be
            and is not changed.
        directories: Where; several share the file out. Empty: `ATOLL_SCRATCH`.
        stripe: Bytes that lie in one directory before the next one's turn.

    Raises:
        OSError: The system refused. Links are not followed.
        ValueError: A bad argument.

    """
    _core.world()  # Atoll starts at its first use, whatever that is
    folders = [directories] if isinstance(directories, (str, os.PathLike)) else directories
    return PrivateFile(
        _core.PrivateFileBase.open([os.fspath(d) for d in folders], stripe, name, _opening(mode))
    )


@collective
def shared(
    path: str | os.PathLike[str] = "",
    mode: str = "x",
    *,
    keep: bool | None = None,
    hard_limit: int = 0,
    soft_limit: int = 0,
    request_size: int = 0,
    read_ahead: bool = False,
    write_behind: bool = False,
    group: _core.Group | None = None,
) -> SharedFile:
    """Open one file on all ranks. Collective.

    What a rank has written and waited for, every rank reads that learns of it, by `atoll.barrier`
    say. What nobody wrote reads as zero; reading beyond the end is an IndexError.

    Args:
        path: On a file system that all ranks see. Empty: scratch in `ATOLL_SCRATCH`.
        mode: "x" must not be there, "a" may be, "r+" must be, "r" must be and is not changed.
        keep: Whether the file stays. None: a new one ("x") goes when it is closed and after a
            crash, others stay.
        hard_limit: Bytes that it never exceeds: OSError (EFBIG). 0: no limit.
        soft_limit: Bytes that it will have, more or less: the space is taken now.
        request_size: Bytes of a typical request.
        read_ahead: Read early what comes next in a row of reads.
        write_behind: Bring writes to the device at once, not when memory is needed.
        group: Whose file it is; None: the default group.

    Raises:
        OSError: On all ranks, if the system refused one.
        ValueError: A bad argument.

    """
    members = _core.default_group() if group is None else group
    opening = _opening(mode)
    return SharedFile(
        _core.SharedFileBase.open(
            members,
            os.fspath(path),
            hard_limit,
            soft_limit,
            request_size,
            read_ahead,
            write_behind,
            mode != "x" if keep is None else keep,
            opening,
        ),
        members,
    )


@plain
def file_system(path: str | os.PathLike[str] = ".") -> FileSystem:
    """Tell the type and the space of the file system that a path lies on. Not collective.

    >>> import atoll
    >>> atoll.disk.file_system("/dev/shm").type
    'tmpfs'
    """
    return FileSystem(*_core.file_system(os.fspath(path)))


def _opening(mode: str) -> _core.FileOpening:
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}, expected one of {', '.join(map(repr, _MODES))}")
    return _MODES[mode]


def _contiguous(data: ArrayLike) -> Any:
    """Give the data as an object with a contiguous buffer."""
    if isinstance(data, bytes | bytearray | memoryview):
        return data
    return np.ascontiguousarray(data)
