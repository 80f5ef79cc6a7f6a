"""Array: what users hold; its creation, copies and end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll import _core
from atoll._closing import leave
from atoll._layouts import extents
from atoll._mirrored import Mirrored

if TYPE_CHECKING:
    from typing_extensions import Self

    from atoll._layouts import Extents


class Array(Mirrored):
    """A dense N-dimensional array spread over the memories of a group's ranks.

    Any rank reads, writes and adds to any section of it at any time, and its owner does nothing.
    Indexing moves data between the array and NumPy arrays and is never collective: it takes
    NumPy's keys (integers, slices with any step, `...`, `None`, index arrays and masks).
    Writes are complete at their owners after `atoll.fence()` (mine) or `atoll.sync()` (all).
    Operators, ufuncs, reductions and all that is named collective are called by every rank of the
    group in the same order.

    Usually made by `atoll.zeros` and its relatives.

    >>> import atoll
    >>> a = atoll.zeros((4, 6))
    >>> if atoll.rank() == 0:
    ...     a[1:3, ::2] = [[1, 2, 3], [4, 5, 6]]
    >>> atoll.sync()
    >>> a[2, ::-1]
    array([0., 6., 0., 5., 0., 4.])
    >>> a[[1, 2], [0, 4]]
    array([1., 6.])
    >>> float((2 * a + 1).sum())
    66.0

    Args:
        shape: One to eight extents.
        dtype: One of `atoll.dtypes`; float64 when left out.
        group: The ranks that share it; the default group when left out.
        distribution: How to cut it: `atoll.blocked`, `irregular`, `block_cyclic`, `tiled`.
        name: Shown in messages.
        zero: False leaves the contents undefined at first.
        mirrored: Every node has a copy of its own, which its ranks share; see `mirror`.

    Raises:
        ValueError: a bad shape or distribution. On all ranks, like those below.
        TypeError: a dtype that arrays cannot hold.
        MemoryError: too large for the nodes.
        RuntimeError: the ranks asked for different arrays.

    """

    def __init__(
        self,
        shape: Extents,
        dtype: Any = None,
        *,
        group: _core.Group | None = None,
        distribution: _core.Layout | None = None,
        name: str = "",
        zero: bool = True,
        mirrored: bool = False,
    ) -> None:
        super().__init__(
            _core.default_group() if group is None else group,
            extents(shape),
            dtype,
            _core.Layout.blocked(()) if distribution is None else distribution,
            name,
            zero,
            mirrored,
        )

    def _new(self, shape: tuple[int, ...], dtype: Any, layout: _core.Layout | None) -> Self:
        return type(self)(
            shape,
            dtype,
            group=self.whole_group,
            distribution=layout,
            zero=False,
            mirrored=self.mirrored,
        )

    @classmethod
    def _wrap(cls, base: _core.ArrayBase) -> Self:
        array = cls.__new__(cls)
        _core.ArrayBase.__init__(array, base)
        return array

    def duplicate(self, name: str = "", *, zero: bool = True) -> Self:
        """Make another array of the same shape, dtype, group and distribution. Collective.

        Its elements are zero, or undefined with `zero=False`. For the contents too, see `copy`.
        """
        return self._wrap(self.duplicate_base(name, zero))

    def copy(self, name: str = "") -> Self:
        """Make a copy with the same distribution. Collective.

        >>> import atoll
        >>> a = atoll.ones(3)
        >>> b = a.copy()
        >>> a.fill(5.0)
        >>> b[...]
        array([1., 1., 1.])
        """
        result = self._wrap(self.duplicate_base(name, False))
        _core.copy(self, result)
        return result

    def copy_from(
        self, source: Array, *, patch: Any = None, source_patch: Any = None, transpose: bool = False
    ) -> None:
        """Copy from another array, or between patches of equal shape. Collective.

        Args:
            source: Any distribution; its type must convert by NumPy's "same_kind".
            patch: Where to, in this array: slices of step one. All of it when left out.
            source_patch: Where from. All of it when left out.
            transpose: Take the source's dimensions in reverse order.

        >>> import numpy as np
        >>> import atoll
        >>> a = atoll.zeros((2, 3))
        >>> a.copy_from(atoll.ones((3, 2)), transpose=True)
        >>> a.copy_from(atoll.full((1, 2), 5.0), patch=np.s_[1:, :2])
        >>> a[...]
        array([[1., 1., 1.],
               [5., 5., 1.]])

        """
        _core.copy(source, self, source_patch, patch, transpose)

    def astype(self, dtype: Any) -> Self:
        """Make a copy with another element type, cut alike. Collective. Converts as NumPy does."""
        result = self._new(self.shape, dtype, self.layout)
        self.group.sync()
        if self.mirrored:  # views of a block would have each merge look for changes in it
            for key in self.patches():
                result[key] = self[key].astype(result.dtype)
        else:
            for (_, mine), (_, theirs) in zip(self.blocks(), result.blocks(), strict=True):
                theirs[...] = mine
        self.group.sync()
        return result

    @property
    def T(self) -> Self:  # noqa: N802
        """A new array with the dimensions in reverse order. Collective, unlike NumPy's.

        >>> import numpy as np
        >>> import atoll
        >>> a = atoll.from_numpy(np.array([[1, 2, 3], [4, 5, 6]]))
        >>> a.T[...]
        array([[1, 4],
               [2, 5],
               [3, 6]])
        """
        result = self._new(self.shape[::-1], self.dtype, None)
        _core.copy(self, result, transpose=True)
        return result

    def show(self, edge_items: int = 3) -> None:
        """Print the array on rank 0 of its group, long dimensions shortened. Collective."""
        text = _core.to_text(self, edge_items)
        if self.group.rank == 0:
            print(text, end="" if text.endswith("\n") else "\n", flush=True)

    close = _core.ArrayBase.destroy

    def __enter__(self) -> Self:
        return self

    __exit__ = leave

    def __repr__(self) -> str:
        """Describe the array by what this rank knows; never communicates."""
        if not self.alive:
            return "<atoll.Array: destroyed>"
        mine = self.patches()
        part = "nothing"
        if mine:
            part = "[" + ", ".join(f"{s.start}:{s.stop}" for s in mine[0]) + "]"
            part += f" and {len(mine) - 1} more" if len(mine) > 1 else ""
        name = f" {self.name!r}" if self.name else ""
        group = self.group
        kind = "mirrored, " if self.mirrored else ""
        return (
            f"<atoll.Array{name} {self.shape} {self.dtype}, {kind}{self.distribution}; "
            f"rank {group.rank} of {group.size} owns {part}>"
        )
