"""DiskArray: an array in a file that all ranks read and write together."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective
from atoll._closing import leave
from atoll._creation import empty
from atoll._signatures import plain
from atoll.array.layouts import extents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from numpy.typing import DTypeLike
    from typing_extensions import Self

    from atoll._array import Array
    from atoll._core import DiskRequest

_DURABILITIES = {
    "scratch": _core.Durability.scratch,
    "checkpoint": _core.Durability.checkpoint,
    "in_place": _core.Durability.in_place,
}
_SECONDS_WITHOUT_BAR = 2.0


class DiskArray:
    """An array in a file: see `create` and `open`. Every method is collective."""

    def __init__(self, base: _core.DiskArrayBase, group: _core.Group) -> None:
        self._base = base
        self._group = group

    @collective
    def write(
        self,
        array: Array,
        at: Any = None,
        *,
        source: Any = None,
        transpose: bool = False,
        progress: bool | None = None,
    ) -> None:
        """Write an array, or a section of one, to a section of this one.

        With the durability "in_place" it is on the device afterwards.

        Args:
            array: On the same ranks, of the same type.
            at: Which section of the disk array, as `np.s_[0:10, :]`; None: all of it.
            source: Which section of the array; None: all of it.
            transpose: Of reversed shape: `disk[i, j] = array[j, i]`.
            progress: Whether the first rank shows a bar; None: in a terminal, if it takes long.

        Raises:
            OSError: On all ranks, if the system refused one; or a tile of which only a part is
                written is damaged.
            ValueError: Shapes that do not fit.

        """
        if not self._shows(progress):
            return self._base.write(array, at, source, transpose)
        request = self._base.write_async(array, at, source, transpose)
        return self._wait_with_bar(request, f"writing {self.path}", progress)

    @collective
    def read(
        self,
        array: Array,
        at: Any = None,
        *,
        target: Any = None,
        transpose: bool = False,
        progress: bool | None = None,
    ) -> None:
        """Read a section of this array into a section of another: the other way of `write`.

        Of a mirrored array every node's copy is read.

        Raises:
            OSError: On all ranks; a tile that is damaged is named. BlockingIOError (EAGAIN) if
                somebody else writes it all the time.

        """
        if not self._shows(progress):
            return self._base.read(array, at, target, transpose)
        request = self._base.read_async(array, at, target, transpose)
        return self._wait_with_bar(request, f"reading {self.path}", progress)

    @collective
    def write_async(
        self, array: Array, at: Any = None, *, source: Any = None, transpose: bool = False
    ) -> DiskRequest:
        """Begin to `write`, while the program goes on; the request's `wait` ends it.

        The section of the array must stay as it is until then. Several may be under way; one that
        touches the same tiles as one before it begins when that one is done.
        """
        return self._base.write_async(array, at, source, transpose)

    @collective
    def read_async(
        self, array: Array, at: Any = None, *, target: Any = None, transpose: bool = False
    ) -> DiskRequest:
        """Begin to `read`; the section of the array is the request's until its `wait`."""
        return self._base.read_async(array, at, target, transpose)

    @collective
    def sync(self) -> None:
        """Bring everything written so far to the device, whatever the durability.

        Raises:
            OSError: The system refused, or a write before has failed; names its tiles.

        """
        self._base.sync()

    def _shows(self, progress: bool | None) -> bool:
        if self._group.rank != 0 or progress is False:
            return False
        return progress is True or sys.stderr.isatty()

    def _wait_with_bar(self, request: DiskRequest, title: str, progress: bool | None) -> None:
        """Wait; what is shown is the first rank's part."""
        from tqdm import tqdm  # takes as long to import as the rest of us

        delay = 0.0 if progress else _SECONDS_WITHOUT_BAR
        layout = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
        with tqdm(total=1.0, desc=title, delay=delay, bar_format=layout) as bar:
            while not request.test():
                bar.update(request.fraction - bar.n)
                time.sleep(0.005)
            bar.update(1.0 - bar.n)
        request.wait()

    @collective
    def load(self, at: Any = None) -> Array:
        """Give all of it, or a section, as a new distributed array."""
        array = empty(self._base.extents(at), self.dtype, group=self._group)
        self._base.read(array, at, None, False)
        return array

    @collective
    def verify(self) -> None:
        """Read everything and compare with the checksums, zarr.json too.

        Raises:
            OSError: Names the first tile that is damaged.

        """
        self._base.verify()

    @collective
    def refresh(self) -> None:
        """Take in what others have written since, if it is open for reading only.

        Reads do so by themselves where they find what they did not expect.
        """
        self._base.refresh()

    @collective
    def close(self) -> None:
        """End what is under way and close it. The files stay.

        Of a new array with the durability "checkpoint": it takes its place now, unless a write has
        failed whose tiles were not written again.

        Raises:
            OSError: Names the tiles that failed writes have left unwritten. It is closed anyway.

        """
        self._base.close()

    @property
    def path(self) -> str:
        """The folder."""
        return self._base.path()

    @property
    def name(self) -> str:
        """HDF5's name of the dataset."""
        return self._base.name()

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return tuple(self._base.shape())

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type."""
        return self._base.dtype()

    @property
    def tile(self) -> tuple[int, ...]:
        """Extents of the tiles, that are moved as a whole."""
        return tuple(self._base.tile())

    @property
    def generation(self) -> int:
        """How often it has been written since it was made."""
        return self._base.generation()

    def __repr__(self) -> str:
        """Say what it is and where."""
        try:
            return f"DiskArray({self.path!r}, shape={self.shape}, dtype={self.dtype})"
        except RuntimeError:
            return "DiskArray(closed)"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it; after an error let go of this rank's part, and nobody waits for it."""
        if kind is not None:
            self._base.abandon()
        leave(self, kind, value, trace)


@collective
def create(
    path: str | os.PathLike[str],
    shape: int | Sequence[int],
    dtype: DTypeLike = np.float64,
    *,
    request: int | Sequence[int] = (),
    tile: int | Sequence[int] = (),
    durability: str = "in_place",
    sparse: bool = False,
    name: str = "array",
    group: _core.Group | None = None,
) -> DiskArray:
    """Make an array of zeros in a file. Collective.

    h5py opens `path/c/0/0` (a zero a dimension), zarr and tensorstore open `path`.

    Args:
        path: A folder that is not there yet (with "checkpoint": or is a disk array), "name.zarr" by
            custom, on a file system that all see. With "{node}" in it, which stands for a node's
            number, every node keeps a part of the array in a folder of its own.
        shape: Extents, one to eight.
        dtype: One of `atoll.dtypes`.
        request: The shape of typical sections, -1 where nobody knows: a hint.
        tile: The shape of the tiles, that are moved as a whole; Atoll chooses if it is left out.
        durability: "in_place": what was written is on the device when `write` returns, and if the
            run ends in the middle of that, tiles that are torn are told. "checkpoint": `close` puts
            the array, as a whole, in place of the one that was there; without it nothing changes.
            "scratch": nothing is forced to the device.
        sparse: Space is taken as tiles are written. Else now, so that no write finds the disk full.
        name: HDF5's name of the dataset.
        group: Whose array it is; None: the default group.

    Raises:
        OSError: On all ranks, if the system refused.
        ValueError: A bad argument.

    >>> import atoll
    >>> with atoll.disk.create(folder + "/numbers.zarr", (4, 3)) as disk:
    ...     disk.write(atoll.full((4, 3), 2.5))
    ...     disk.load(np.s_[1:3, 0:1])[...]
    array([[2.5],
           [2.5]])

    """
    members = _core.default_group() if group is None else group
    base = _core.DiskArrayBase.create(
        members,
        os.fspath(path),
        list(extents(shape)),
        dtype,
        list(extents(request, "request")),
        list(extents(tile, "tile")),
        _durability(durability),
        sparse,
        name,
    )
    return DiskArray(base, members)


@collective
def open(  # noqa: A001 - the name that h5py and zarr have, too
    path: str | os.PathLike[str],
    mode: str = "r+",
    *,
    durability: str = "in_place",
    group: _core.Group | None = None,
) -> DiskArray:
    """Open an array in a file, made by any number of ranks. Collective.

    Args:
        path: The folder.
        mode: "r+", or "r" for reading only.
        durability: "in_place" or "scratch", as for `create`.
        group: Whose array it is; None: the default group.

    Raises:
        OSError: On all ranks; with `errno.EBADMSG` if what describes it is damaged, `errno.EBUSY`
            if it is open for writing already, here or elsewhere.

    """
    if mode not in ("r", "r+"):
        raise ValueError(f"mode is {mode!r}, expected 'r' or 'r+'")
    members = _core.default_group() if group is None else group
    base = _core.DiskArrayBase.open(members, os.fspath(path), mode == "r+", _durability(durability))
    return DiskArray(base, members)


@plain
def remove(path: str | os.PathLike[str]) -> None:
    """Remove an array that nobody has open. Not collective: one rank calls it."""
    _core.remove_disk_array(os.fspath(path))


@collective
def repair(path: str | os.PathLike[str], *, group: _core.Group | None = None) -> None:
    """Bring in order what can be. Collective; nobody has it open for writing.

    What h5py and zarr read of it is written again where it is damaged, and tiles that a run had
    written when it was killed are taken over.

    Raises:
        OSError: On all ranks; with `errno.EBADMSG` if tiles are lost: names the first.

    """
    members = _core.default_group() if group is None else group
    _core.repair_disk_array(members, os.fspath(path))


def _durability(name: str) -> _core.Durability:
    if name not in _DURABILITIES:
        raise ValueError(
            f"durability is {name!r}, expected one of {', '.join(map(repr, _DURABILITIES))}"
        )
    return _DURABILITIES[name]
