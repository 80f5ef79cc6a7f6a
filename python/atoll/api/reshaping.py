"""The same elements in another shape: each is moved once, read by the rank that keeps it.

New arrays, where NumPy gives views. Collective.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll.api.arguments import agree, flag, some_axes, whole_array
from atoll.api.cuts import layout_of_axes, set_patches, whole_along
from atoll.array.copies import copy, like
from atoll.array.layouts import extents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll._core import ArrayBase
    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Key
    from atoll.array.layouts import Extents

A = TypeVar("A", bound=_core.ArrayBase)

_SHORT_RUN = 32  # elements that are better moved one by one


@collective_over_copies
def reshape(a: Operand, /, shape: Extents, order: str = "C", *, copy: bool | None = None) -> Any:
    """Give the elements, in row-major order, in another shape. Collective. A new array.

    It is cut along its first axis that is as long as there are ranks, else along its longest.

    Args:
        a: Array or view.
        shape: Extents; one may be -1, which stands for what is left.
        order: "C": row-major.
        copy: Arrays are copied, so that False is refused.

    Raises:
        ValueError: another number of elements.

    >>> import atoll
    >>> atoll.arange(6).reshape(2, -1)[...]
    array([[0, 1, 2],
           [3, 4, 5]])

    """
    if order not in ("C", "A"):
        raise ValueError(f"order is {order!r}, expected 'C'")
    if copy is not None and not flag(copy, "copy"):
        raise ValueError("copy is False, but a reshaped array is a copy")
    wanted = full_shape(shape, math.prod(a.shape))
    agree(a, "reshape", wanted)
    source = whole_array(a)
    result = like(source, wanted, source.dtype, cut_along_one(wanted, source.whole_group.size))
    set_patches(result, lambda key: _reshaped_patch(source, wanted, key))
    return result


@collective_over_copies
def reshape_method(a: ArrayBase, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """Give the elements, in row-major order, in another shape: `atoll.reshape`. Collective.

    >>> import atoll
    >>> atoll.arange(6).reshape(3, 2).shape
    (3, 2)
    """
    wanted = shape[0] if len(shape) == 1 else shape
    return reshape(a, wanted, order, copy=copy)


@collective_over_copies
def ravel(a: Operand, order: str = "C") -> Any:
    """Give the elements, in row-major order, as a vector: `reshape(a, -1)`. Collective.

    >>> import atoll
    >>> atoll.eye(2).ravel()[...]
    array([1., 0., 0., 1.])
    """
    return reshape(a, -1, order)


def full_shape(shape: Any, size: int) -> tuple[int, ...]:
    """Give a shape with the extent that -1 stands for.

    Raises:
        ValueError: it is of another number of elements.

    """
    numbers = extents(shape)
    unknown = [d for d, n in enumerate(numbers) if n < 0]
    known = math.prod(n for n in numbers if n >= 0)
    if len(unknown) == 1 and numbers[unknown[0]] == -1 and known > 0 and size % known == 0:
        return tuple(size // known if n < 0 else n for n in numbers)
    if unknown or known != size:
        raise ValueError(f"shape is {shape!r}, which does not take {size} elements")
    return numbers


def cut_along_one(shape: tuple[int, ...], ranks: int) -> _core.Layout | None:
    """Give the layout that cuts along one axis: the first that all ranks have a part of."""
    if not shape:
        return None
    long = [d for d, n in enumerate(shape) if n >= ranks]
    axis = long[0] if long else int(np.argmax(shape))
    return whole_along(shape, tuple(d for d in range(len(shape)) if d != axis))


def flat_patches(shape: tuple[int, ...], begin: int, end: int) -> Iterator[Key]:
    """Give the patches that hold the elements of a range in row-major order, in this order."""
    if len(shape) < 2:
        yield (slice(begin, end),) * len(shape)
        return
    inner = math.prod(shape[1:])
    first, before = divmod(begin, inner)
    last, behind = divmod(end, inner)
    if first == last:
        for part in flat_patches(shape[1:], before, behind):
            yield (slice(first, first + 1), *part)
        return
    if before:
        for part in flat_patches(shape[1:], before, inner):
            yield (slice(first, first + 1), *part)
        first += 1
    if last > first:
        yield (slice(first, last), *(slice(0, n) for n in shape[1:]))
    if behind:
        for part in flat_patches(shape[1:], 0, behind):
            yield (slice(last, last + 1), *part)


def _read_flat(a: ArrayBase, begin: int, target: NDArray[Any]) -> None:
    """Fill a vector with elements in row-major order, from a place on. Not collective."""
    done = 0
    for key in flat_patches(a.shape, begin, begin + len(target)) if len(target) else ():
        extents = [k.stop - k.start for k in key]
        count = math.prod(extents)
        a.get_into(key, target[done : done + count].reshape(extents))
        done += count


def _reshaped_patch(a: ArrayBase, shape: tuple[int, ...], key: Key) -> NDArray[Any]:
    """Read what a patch of the other shape holds."""
    counts = [k.stop - k.start for k in key]
    runs_along = len(shape) - 1  # from this axis on, a patch holds one run of elements
    while runs_along > 0 and counts[runs_along] == shape[runs_along]:
        runs_along -= 1
    strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    length = math.prod(counts[runs_along:])
    begins = np.asarray(sum(k.start * s for k, s in zip(key, strides, strict=True)))
    for count, stride in zip(counts[:runs_along], strides[:runs_along], strict=True):
        begins = begins[..., np.newaxis] + np.arange(count) * stride
    if begins.size > 1 and length < _SHORT_RUN:
        flat = (begins[..., np.newaxis] + np.arange(length)).reshape(-1)
        return np.asarray(a[np.unravel_index(flat, a.shape)]).reshape(counts)
    values = np.empty((begins.size, length), a.dtype)
    for row, begin in zip(values, begins.reshape(-1), strict=True):
        _read_flat(a, int(begin), row)
    return values.reshape(counts)


@collective_over_copies
def squeeze(a: Operand, axis: int | tuple[int, ...] | None = None) -> Any:
    """Leave out axes with an extent of one; all of them by default. Collective. A new array.

    Raises:
        ValueError: another extent.

    >>> import atoll
    >>> atoll.squeeze(atoll.ones((1, 3, 1)), axis=0).shape
    (3, 1)

    """
    shape = tuple(a.shape)
    if axis is None:
        axes = tuple(d for d, n in enumerate(shape) if n == 1)
    else:
        axes = some_axes(axis, len(shape))
    if any(shape[d] != 1 for d in axes):
        raise ValueError(
            f"axis is {axis}, where an array of shape {shape} has not an extent of one"
        )
    return _with_axes(a, "squeeze", [d for d in range(len(shape)) if d not in axes])


@collective_over_copies
def expand_dims(a: Operand, /, axis: int | tuple[int, ...] = 0) -> Any:
    """Put in axes with an extent of one. Collective. A new array.

    >>> import atoll
    >>> atoll.expand_dims(atoll.ones(3), axis=1).shape
    (3, 1)
    """
    if axis is None:
        raise TypeError("axis is None, expected an integer")
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    new = some_axes(axis, len(a.shape) + len(given))
    old = iter(range(len(a.shape)))
    axes = [None if d in new else next(old) for d in range(len(a.shape) + len(new))]
    return _with_axes(a, "expand_dims", axes)


def _with_axes(a: Operand, call: str, axes: list[int | None]) -> Any:
    """Give an array with these axes of `a` and new ones, None, cut alike where that can be."""
    agree(a, call, axes)
    source = whole_array(a)
    if axes == list(range(source.ndim)):
        return copy(source)
    shape = tuple(1 if d is None else source.shape[d] for d in axes)
    layout = layout_of_axes(source, axes) if axes else None  # without dimensions nothing is cut
    result = like(source, shape, source.dtype, layout)
    kept = [(i, d) for i, d in enumerate(axes) if d is not None]

    def values(key: Key) -> NDArray[Any]:
        from_key = [slice(0, 1)] * source.ndim
        for i, d in kept:
            from_key[d] = key[i]
        part: NDArray[Any] = source[tuple(from_key)]
        return part.reshape([k.stop - k.start for k in key])

    set_patches(result, values)
    return result


@collective_over_copies
def broadcast_to(a: Operand, /, shape: Extents) -> Any:
    """Repeat an array along new axes and those of one element. Collective. A new array.

    NumPy gives a view that cannot be written.

    Raises:
        ValueError: the shapes do not go together.

    >>> import atoll
    >>> atoll.broadcast_to(atoll.arange(2), (2, 2))[...]
    array([[0, 1],
           [0, 1]])

    """
    wanted = extents(shape)
    own = tuple(a.shape)
    try:
        fits = np.broadcast_shapes(own, wanted) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"shape is {shape!r}, to which {own} does not broadcast")
    agree(a, "broadcast_to", wanted)
    source = whole_array(a)
    result = like(source, wanted, source.dtype)
    set_patches(result, lambda key: broadcast_patch(source, key))
    return result


def broadcast_patch(a: ArrayBase, key: Key) -> NDArray[Any]:
    """Give what a patch of a larger shape takes of an array."""
    tail = key[len(key) - a.ndim :]
    part = a[tuple(slice(0, 1) if n == 1 else k for k, n in zip(tail, a.shape, strict=True))]
    return np.broadcast_to(part, [k.stop - k.start for k in key])
