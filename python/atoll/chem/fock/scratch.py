"""A disk array of scratch: named by nobody, removed when it is closed."""

from __future__ import annotations

import math
import os
import tempfile
import uuid
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
            part in a folder of its own. None: so in that of temporary files (TMPDIR).
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
        self._size = f"{what}, {8 * math.prod(shape) / 1e9:.3g} GB"
        number = str(group.broadcast(uuid.uuid4().hex))
        private = folder is None and group.nodes > 1
        name = f"atoll-{number}-{NODE}.zarr" if private else f"atoll-{number}.zarr"
        place = tempfile.gettempdir() if folder is None else os.fspath(folder)
        self._path = os.path.join(str(group.broadcast(place)), name)
        try:
            self.array = atoll.disk.create(
                self._path, shape, tile=tile, durability="scratch", group=group
            )
        except OSError as error:
            raise self.explained(error) from None

    def explained(self, error: OSError) -> OSError:
        """Give an error of the disk, raised on all ranks, with what it is that was not written."""
        error.strerror = (
            f"{error.strerror or error} ({self._size}, go to a disk for want of memory)"
        )
        return error

    def close(self) -> None:
        """Remove it."""
        failure: Exception | None = None
        try:
            self.array.close()  # tells of writes that have failed, too
        except OSError as error:
            failure = error
        try:
            group = self._group
            if group.rank == (min(group.node_ranks) if NODE in self._path else 0):
                atoll.disk.remove(self._path.replace(NODE, str(group.node)))
        except OSError as error:
            failure = failure or error
        leave(self._group, failure)
