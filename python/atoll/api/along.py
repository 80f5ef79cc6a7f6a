"""Reductions along axes: a part from every block, put together by who owns the result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from atoll import _core
from atoll.api.arguments import require_output, without
from atoll.api.cuts import complete, layout_of_axes, set_patches, slot, starts, whole_along
from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from atoll._core import ArrayBase
    from atoll.api.arguments import Axes, Key

A = TypeVar("A", bound=_core.ArrayBase)


@dataclass(frozen=True)
class Reduction:
    """What is done along axes.

    Attributes:
        dtype: Of the result.
        parts: Types of what `partial` gives.
        partial: Reduces a block, whose first element is at `key`, along axes, which stay with an
            extent of one; gives an array for each of `parts`.
        combine: Makes a result of parts, stacked along a new first axis in the order of blocks.

    """

    dtype: np.dtype[Any]
    parts: tuple[np.dtype[Any], ...]
    partial: Callable[[NDArray[Any], Key, Axes], tuple[Any, ...]]
    combine: Callable[..., NDArray[Any]]


def reduce_along(
    a: A, axes: Axes, reduction: Reduction, *, keepdims: bool = False, out: Any = None
) -> Any:
    """Reduce an array along axes: an array, or a number where no axis is left. Collective.

    The array is cut as `a` along the axes that stay where no rank shares a line of the others, else
    blocked; with `out` it is that.
    """
    shape = tuple(1 if d in axes else n for d, n in enumerate(a.shape))
    shape = shape if keepdims else without(shape, axes)
    if out is not None:
        require_output(out, a, shape, reduction.dtype)
    if a.size == 0:
        values = _of_nothing(a, axes, reduction)
        if shape == ():
            return values.reshape(())[()]
        return _filled(a, shape, values.reshape(-1)[:1], reduction, out)
    first = {d: starts(a, d) for d in axes}
    if len(axes) == a.ndim:
        value = _number(a, axes, first, reduction)
        return value if shape == () else _filled(a, shape, value, reduction, out)
    if a.mirrored:
        return _of_mirrored(a, axes, shape, reduction, out)
    if math.prod(map(len, first.values())) == 1:
        return _at_once(a, axes, shape, reduction, out)
    return _by_parts(a, axes, first, shape, reduction, out)


def my_blocks(a: ArrayBase) -> Iterator[tuple[Key, NDArray[Any]]]:
    """Give the blocks of this rank, to read."""
    if a.mirrored:  # views of a block would have each merge look for changes in it
        return ((key, a[key]) for key in a.patches())
    return iter(a.blocks())


def _of_nothing(a: ArrayBase, axes: Axes, reduction: Reduction) -> NDArray[Any]:
    """Reduce no elements; what cannot be raises on all ranks."""
    shape = [0 if d in axes and n == 0 else 1 for d, n in enumerate(a.shape)]
    if 0 not in shape:  # none of the results exists
        return np.empty(1, reduction.dtype)
    key = tuple(slice(0, n) for n in shape)
    parts = reduction.partial(np.empty(shape, a.dtype), key, axes)
    return reduction.combine(*(np.asarray(part)[np.newaxis] for part in parts))


def _filled(a: A, shape: tuple[int, ...], value: Any, reduction: Reduction, out: Any) -> Any:
    result = like(a, shape, reduction.dtype) if out is None else out
    set_patches(result, lambda key: np.broadcast_to(value, [k.stop - k.start for k in key]))
    return result


def _number(a: ArrayBase, axes: Axes, first: dict[int, list[int]], reduction: Reduction) -> Any:
    """Reduce along all axes: every rank gets all parts."""
    count = math.prod(map(len, first.values()))
    kinds = reduction.parts
    parts = [np.zeros(count, kind) for kind in kinds]
    for key, block in my_blocks(a):
        for part, value in zip(parts, reduction.partial(block, key, axes), strict=True):
            part[slot(first, key)] = np.asarray(value).reshape(())
    if a.group.size > 1:  # each byte comes from one rank, so that their sum is exact
        mine = np.concatenate([part.view(np.uint8) for part in parts])
        told = np.asarray(a.group.reduce(mine)).astype(np.uint8)
        ends = np.cumsum([count * kind.itemsize for kind in kinds])[:-1]
        told_parts = np.split(told, ends)
        parts = [p.view(kind) for p, kind in zip(told_parts, kinds, strict=True)]
    return np.asarray(reduction.combine(*parts)).reshape(())[()]


def _of_mirrored(a: A, axes: Axes, shape: tuple[int, ...], reduction: Reduction, out: Any) -> Any:
    """Reduce where all is in the node's memory, which nodes cut differently."""
    result = like(a, shape, reduction.dtype) if out is None else out

    def values(key: Key) -> NDArray[Any]:
        lines = iter(without(key, axes) if len(shape) == a.ndim else key)
        whole = tuple(slice(0, n) if d in axes else next(lines) for d, n in enumerate(a.shape))
        parts = reduction.partial(a[whole], whole, axes)
        combined = reduction.combine(*(part[np.newaxis] for part in parts))
        return combined.reshape([k.stop - k.start for k in key])

    set_patches(result, values)
    return result


def _at_once(a: A, axes: Axes, shape: tuple[int, ...], reduction: Reduction, out: Any) -> Any:
    """Reduce where every block has the axes whole."""
    result = out
    kept = [None if d in axes else d for d in range(a.ndim)]
    if out is None:
        axes_kept = kept if len(shape) == a.ndim else [d for d in kept if d is not None]
        result = like(a, shape, reduction.dtype, layout_of_axes(a, axes_kept))
    for key, block in my_blocks(a):
        parts = reduction.partial(block, key, axes)
        values = reduction.combine(*(part[np.newaxis] for part in parts))
        place = tuple(slice(0, 1) if d in axes else k for d, k in enumerate(key))
        place = place if len(shape) == a.ndim else without(key, axes)
        given = values.reshape([k.stop - k.start for k in place])
        result[place] = given.astype(result.dtype, copy=False)
    complete(result)
    return result


def _by_parts(
    a: A,
    axes: Axes,
    first: dict[int, list[int]],
    shape: tuple[int, ...],
    reduction: Reduction,
    out: Any,
) -> Any:
    """Reduce where blocks share lines: each leaves a part, in an array cut like the result."""
    count = math.prod(map(len, first.values()))
    kept = without(a.shape, axes)
    layout = whole_along((count, *kept), (0,))
    left = [like(a, (count, *kept), kind, layout) for kind in reduction.parts]
    for key, block in my_blocks(a):
        lines = without(key, axes)
        extents = [k.stop - k.start for k in lines]
        place = (slot(first, key), *lines)
        for array, part in zip(left, reduction.partial(block, key, axes), strict=True):
            array[place] = part.reshape(extents)
    a.group.sync()
    result = like(a, shape, reduction.dtype) if out is None else out

    def values(key: Key) -> NDArray[Any]:
        lines = without(key, axes) if len(shape) == a.ndim else key
        place = (slice(None), *lines)
        stacks = (array[place] for array in left)
        return cast(
            "NDArray[Any]",
            reduction.combine(*stacks).reshape([k.stop - k.start for k in key]),
        )

    set_patches(result, values)
    return result
