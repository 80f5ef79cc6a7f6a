"""LazyMirror: a cache of a distributed array on every node, filled by what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from atoll import _core
from atoll._agreement import collective
from atoll._closing import leave
from atoll.array import elements, fancy

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self


class LazyMirror(_core.LazyMirrorBase):
    """A read cache of a distributed array that the ranks of a node share.

    What `Array.mirror(lazy=True)` gives. Reading fetches the tiles (about 8 KiB) that it touches
    and that no rank of the node has read yet, and keeps as many as the budget allows; the least
    recently read go first. Reads take NumPy's keys and are never collective.

    What was written to the array before the mirror was made or last refreshed is seen; what is
    written later may be seen or not, until `refresh`.

    >>> import atoll
    >>> a = atoll.arange(1000.0)
    >>> table = a.mirror(lazy=True, budget=1 << 20)
    >>> table[10:13]
    array([10., 11., 12.])
    >>> table[[999, 0, 7]]
    array([999.,   0.,   7.])
    >>> atoll.sync()
    >>> a.fill(5.0)
    >>> table.refresh()
    >>> float(table[3])
    5.0
    >>> table[3] = 1.0
    Traceback (most recent call last):
    ...
    TypeError: a lazy mirror is for reading: write the array, then refresh() the mirror

    Args:
        array: Distributed, not mirrored.
        budget: Bytes of tiles that each node may hold, at least one tile; 64 MiB when left out.

    Raises:
        ValueError: a budget below one tile, a mirrored array. On all ranks, like those below.
        MemoryError: the budget does not fit the node.
        RuntimeError: the ranks gave different budgets.

    """

    @collective
    def __init__(self, array: _core.ArrayBase, budget: int | None = None) -> None:
        super().__init__(array, budget)

    def get(self, key: Any = ...) -> Any:
        """Read a section, all of the array when left out: the same as indexing."""
        return self[key]

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise TypeError("a lazy mirror is for reading: write the array, then refresh() the mirror")

    _fancy_get = fancy.get  # what indexing calls

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    __len__ = elements.length
    __iter__ = elements.rows

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        raise TypeError(
            "a lazy mirror does not turn into a NumPy array by itself, since the array may be far "
            "larger than memory; read what you need: m[...] for all of it, or m[2:5]"
        )

    def __enter__(self) -> Self:
        return self

    __exit__ = leave

    def __repr__(self) -> str:
        """Describe the mirror by what this rank knows; never communicates."""
        if not self.alive:
            return "<atoll.LazyMirror: closed>"
        name = f" {self.name!r}" if self.name else ""
        now = self.statistics
        return (
            f"<atoll.LazyMirror{name} {self.shape} {self.dtype}: "
            f"{now.tiles_held} of {now.tile_capacity} tiles held>"
        )
