"""How arrays are cut along their axes, and results like them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from atoll import _core
from atoll.array.copies import store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from atoll._core import ArrayBase
    from atoll.api.arguments import Axes, Key

A = TypeVar("A", bound=_core.ArrayBase)

_CYCLIC = ("block_cyclic", "tiled")
_BATCH_BYTES = 1 << 20


def starts(a: ArrayBase, axis: int) -> list[int]:
    """Give the first index of every block along an axis. Not collective."""
    if a.size == 0:
        return [0]
    cut = a.distribution
    if cut.kind in _CYCLIC:
        return list(range(0, a.shape[axis], cut.block[axis]))
    line = tuple(slice(None) if d == axis else slice(0, 1) for d in range(a.ndim))
    return sorted({key[axis].start for _, key in a.locate(line)})


def layout_of_axes(a: ArrayBase, axes: Sequence[int | None]) -> _core.Layout | None:
    """Give a layout that cuts some axes as an array is cut there; None stands for a new axis of 1.

    None where the layout would not keep a rank's part on it: where another axis is cut, too, or
    nodes cut their copies each for itself.
    """
    if a.mirrored:
        return None
    cut = a.distribution
    left_out = [d for d in range(a.ndim) if d not in axes]
    kept = [d for d in axes if d is not None]
    if a.size == 0 or kept != sorted(kept) or any(cut.grid[d] > 1 for d in left_out):
        return None
    if cut.kind in _CYCLIC:
        blocks = [1 if d is None else cut.block[d] for d in axes]
        grid = [1 if d is None else cut.grid[d] for d in axes]
        make = _core.Layout.tiled if cut.kind == "tiled" else _core.Layout.block_cyclic
        return make(blocks, grid) if math.prod(grid) == a.group.size else None
    return _core.Layout.irregular([[0] if d is None else starts(a, d) for d in axes])


def whole_along(shape: Sequence[int], axes: Axes) -> _core.Layout:
    """Give the layout of blocks that keeps these axes in one piece."""
    return _core.Layout.blocked([n if d in axes else 0 for d, n in enumerate(shape)])


def is_whole_along(a: ArrayBase, axes: Axes) -> bool:
    """Tell whether every block has all of these axes."""
    return all(len(starts(a, d)) == 1 for d in axes)


def slot(first: dict[int, list[int]], key: Key) -> int:
    """Give the number of a block, in row-major order, among those along some axes."""
    number = 0
    for axis, begins in first.items():
        number = number * len(begins) + int(np.searchsorted(begins, key[axis].start))
    return number


def batches(key: Key, most: int) -> Iterator[Key]:
    """Cut a patch into parts of so many elements at most, whole rows where possible."""
    if math.prod(part.stop - part.start for part in key) <= most:
        yield key
        return
    first, *rest = key
    inner = math.prod(part.stop - part.start for part in rest)
    step = max(1, most // max(1, inner))
    for start in range(first.start, first.stop, step):
        rows = slice(start, min(start + step, first.stop))
        for part in [key[1:]] if inner <= most else batches(key[1:], most):
            yield (rows, *part)


def inside(key: Key, outer: Key) -> Key:
    """Give a patch by its place in another."""
    return tuple(
        slice(k.start - o.start, k.stop - o.start) for k, o in zip(key, outer, strict=True)
    )


def set_patches(a: ArrayBase, values: Callable[[Key], NDArray[Any]]) -> None:
    """Set every patch to `values(key)`, a batch at a time. Collective; ends with a meeting.

    `values` may read arrays. On every node alike where the array is mirrored.
    """
    most = max(1, _BATCH_BYTES // max(1, a.dtype.itemsize))
    if a.mirrored:
        store(a, values)
        return
    for key, block in a.blocks():
        for part in batches(key, most):
            np.copyto(block[inside(part, key) or ...], values(part), casting="unsafe")
    a.group.sync()


def complete(a: ArrayBase) -> None:
    """End what every rank has written of an array, on every node alike. Collective."""
    if a.mirrored:
        _core.declare_equal(a)
    else:
        a.group.sync()
