"""A disk array of scratch: its owner's alone, and gone when it is closed or the run has ended.

Where the ranks that share a file are of one machine, its names go as soon as all have opened it, so
that nothing is left however the run ends. Several machines need the names on the file system that
they share: there a run that is killed leaves a folder, which other users cannot enter.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import atoll
from atoll._agreement import leave

if TYPE_CHECKING:
    from collections.abc import Sequence

NODE = "{node}"


class ScratchArray:
    """A disk array in a file of its own, on the ranks of a group. Collective.

    Args:
        group: Its ranks.
        shape: Extents.
        tile: What is moved as a whole.
        folder: Where; with "{node}" in it, which stands for a node's number, every node keeps a
            part in a folder of its own. None: so in the first one of `ATOLL_SCRATCH`.
        what: What it holds, for messages.

    Attributes:
        array: The disk array.

    Raises:
        OSError: On all ranks: there is no such folder, or no room.

    """

    def __init__(
        self,
        group: atoll.Group,
        shape: Sequence[int],
        tile: Sequence[int],
        folder: str | os.PathLike[str] | None,
        what: str,
    ) -> None:
        self._group = group
        size = 8 * math.prod(shape)
        readable = f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.2g} MB"
        self._what = f"{what}, {readable}"
        number = str(group.broadcast(uuid.uuid4().hex))
        private = folder is None and group.nodes > 1
        place = default_folder() if folder is None else os.fspath(folder)
        name = f"atoll-{number}" + (f"-{NODE}" if private else "")
        path = os.path.join(str(group.broadcast(place)), name)
        on_each_node = NODE in path
        self._here = Path(path.replace(NODE, str(group.node)))
        self._is_maker = group.rank == (min(group.node_ranks) if on_each_node else 0)
        try:
            self._make_folder()
            self.array = atoll.disk.create(
                os.path.join(path, "array.zarr"),
                shape,
                tile=tile,
                durability="scratch",
                group=group,
            )
        except OSError as error:
            self._remove_names()
            raise self.explained(error) from None
        if on_each_node or group.nodes == 1:
            self._remove_names()  # all have opened it

    def _make_folder(self) -> None:
        """Make the folder, which other users may not enter. Collective."""
        failure: Exception | None = None
        try:
            if self._is_maker:
                self._here.mkdir(mode=0o700)
        except OSError as error:
            failure = error
        leave(self._group, failure)

    def _remove_names(self) -> None:
        if self._is_maker:
            shutil.rmtree(self._here, ignore_errors=True)

    def explained(self, error: OSError) -> OSError:
        """Give an error of the disk, raised on all ranks, with what it is that was not written."""
        error.strerror = (
            f"{error.strerror or error} ({self._what}, go to a disk for want of memory)"
        )
        return error

    def discard(self) -> None:
        """Remove it after an error that all ranks know of, whatever else fails."""
        with contextlib.suppress(OSError):
            self.close()

    def close(self) -> None:
        """Remove it."""
        failure: Exception | None = None
        try:
            self.array.close()  # tells of writes that have failed, too
        except OSError as error:
            failure = error
        self._remove_names()
        leave(self._group, failure)


def default_folder() -> str:
    """Give the first folder of scratch files that the environment names, else /tmp."""
    folders = os.environ.get("ATOLL_SCRATCH") or os.environ.get("TMPDIR") or "/tmp"
    return folders.split(":")[0]


def free_space(group: atoll.Group, folder: str | os.PathLike[str] | None) -> float:
    """Give the free bytes for disk arrays of all ranks in a folder, as `ScratchArray` takes it.

    Collective. Of a folder that is not there: infinite, as whoever writes to it says more.
    """
    name = default_folder() if folder is None else os.fspath(folder)
    private = folder is None or NODE in name
    try:
        space = os.statvfs(name.replace(NODE, str(group.node)))
        free = float(space.f_bavail) * space.f_frsize
    except OSError:
        free = math.inf
    if not private:
        return float(group.broadcast(free))
    return -float(group.reduce(-free, "max")) * group.nodes
