"""Axes in another order, elements in another order along axes; new arrays, collective.

Each rank reads what it keeps: every element moves once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll.api.arguments import agree, integer, one_axis, some_axes, whole_array
from atoll.api.cuts import set_patches
from atoll.api.reshaping import ravel, reshape
from atoll.array.copies import copy, like, transposed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Axes, Key

A = TypeVar("A", bound=_core.ArrayBase)


@collective_over_copies
def permute_dims(a: Operand, /, axes: Sequence[int] | None = None) -> Any:
    """Give an array with its axes in another order; in reverse order by default. Collective.

    A new array, blocked, where NumPy gives a view.

    Args:
        a: Array or view.
        axes: Axis `i` of the result is axis `axes[i]` of `a`.

    >>> import atoll
    >>> atoll.permute_dims(atoll.ones((2, 3, 4)), (1, 2, 0)).shape
    (3, 4, 2)

    """
    ndim = len(a.shape)
    if axes is None:
        order = tuple(range(ndim))[::-1]
    else:
        try:
            order = tuple(one_axis(axis, ndim, "axes") for axis in axes)
        except TypeError:
            raise TypeError(f"axes is {axes!r}, expected {ndim} integers") from None
    if sorted(order) != list(range(ndim)):
        raise ValueError(f"axes is {axes!r}, expected each axis of {ndim} once")
    agree(a, "permute_dims", order)
    source = whole_array(a)
    if order == tuple(range(ndim)):
        return copy(source)
    if order == tuple(range(ndim))[::-1]:
        return transposed(source)
    result = like(source, tuple(source.shape[d] for d in order), source.dtype)

    def values(key: Key) -> NDArray[Any]:
        part: NDArray[Any] = source[tuple(key[order.index(d)] for d in range(ndim))]
        return np.transpose(part, order)

    set_patches(result, values)
    return result


@collective_over_copies
def matrix_transpose(x: Operand, /) -> Any:
    """Exchange the last two axes. Collective. A new array.

    >>> import atoll
    >>> atoll.matrix_transpose(atoll.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    if len(x.shape) < 2:
        raise ValueError(f"x has shape {tuple(x.shape)}, expected two dimensions or more")
    return swapaxes(x, -2, -1)


@collective_over_copies
def transpose(a: Operand, axes: Sequence[int] | None = None) -> Any:
    """Give an array with its axes in another order: `permute_dims`. Collective."""
    return permute_dims(a, axes)


@collective_over_copies
def transpose_method(a: A, *axes: Any) -> A:
    """Give an array with its axes in another order: `atoll.permute_dims`. Collective.

    >>> import atoll
    >>> atoll.ones((2, 3)).transpose(1, 0).shape
    (3, 2)
    """
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
    return permute_dims(a, given)  # type: ignore[no-any-return]


@collective_over_copies
def swapaxes(a: Operand, axis1: int, axis2: int) -> Any:
    """Exchange two axes. Collective. A new array.

    >>> import atoll
    >>> atoll.swapaxes(atoll.ones((2, 3)), 0, 1).shape
    (3, 2)
    """
    ndim = len(a.shape)
    order = list(range(ndim))
    one, other = one_axis(axis1, ndim, "axis1"), one_axis(axis2, ndim, "axis2")
    order[one], order[other] = other, one
    return permute_dims(a, order)


@collective_over_copies
def moveaxis(a: Operand, source: int | Sequence[int], destination: int | Sequence[int], /) -> Any:
    """Move axes to other places; the others stay in order. Collective. A new array.

    >>> import atoll
    >>> atoll.moveaxis(atoll.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    ndim = len(a.shape)
    from_axes = _listed(source, ndim, "source")
    to_axes = _listed(destination, ndim, "destination")
    if len(from_axes) != len(to_axes):
        raise ValueError(f"source is {source} and destination {destination}: as many are wanted")
    order = [d for d in range(ndim) if d not in from_axes]
    for place, axis in sorted(zip(to_axes, from_axes, strict=True)):
        order.insert(place, axis)
    return permute_dims(a, order)


def _listed(axes: Any, ndim: int, name: str) -> list[int]:
    given = axes if isinstance(axes, (tuple, list)) else [axes]
    some_axes(axes if axes is not None else "None", ndim, name)
    return [one_axis(axis, ndim, name) for axis in given]


@collective_over_copies
def flip(a: Operand, /, axis: int | Axes | None = None) -> Any:
    """Reverse the order of elements along axes, all by default. Collective. A new array, cut alike.

    >>> import atoll
    >>> atoll.flip(atoll.arange(4))[...]
    array([3, 2, 1, 0])
    """
    axes = some_axes(axis, len(a.shape))
    agree(a, "flip", axes)
    source = whole_array(a)
    result = like(source, source.shape, source.dtype, source.layout)

    def values(key: Key) -> NDArray[Any]:
        mirrored = tuple(
            slice(n - k.stop, n - k.start) if d in axes else k
            for d, (k, n) in enumerate(zip(key, source.shape, strict=True))
        )
        return np.flip(source[mirrored], axes)

    set_patches(result, values)
    return result


@collective_over_copies
def roll(a: Operand, /, shift: int | Axes, axis: int | Axes | None = None) -> Any:
    """Move elements along axes; what leaves at an end comes in at the other. Collective.

    A new array, cut as `a`.

    Args:
        a: Array or view.
        shift: By how much, for all axes or for each.
        axis: Axes; None for all elements in row-major order.

    >>> import atoll
    >>> atoll.roll(atoll.arange(4), 1)[...]
    array([3, 0, 1, 2])

    """
    ndim = len(a.shape)
    if axis is None:
        by = integer(shift, "shift")
        if ndim > 1:
            return reshape(_rolled(ravel(a), {0: by}), a.shape)
        return _rolled(a, {0: by})
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    if len(shifts) not in (1, len(axes)) and len(axes) != 1:
        raise ValueError(f"shift is {shift} and axis is {axis}: as many are wanted")
    total: dict[int, int] = {}
    for one, by in np.broadcast(np.asarray(axes, object), np.asarray(shifts, object)):
        d = one_axis(one, ndim)
        total[d] = total.get(d, 0) + integer(by, "shift")
    return _rolled(a, total)


def _rolled(a: Operand, shifts: dict[int, int]) -> Any:
    agree(a, "roll", sorted(shifts.items()))
    source = whole_array(a)
    result = like(source, source.shape, source.dtype, source.layout)
    by = [shifts.get(d, 0) % max(1, n) for d, n in enumerate(source.shape)]

    def values(key: Key) -> NDArray[Any]:
        moved = tuple(slice(k.start - s, k.stop - s) for k, s in zip(key, by, strict=True))
        part: NDArray[Any] = _core.get_periodic(source, moved)
        return part

    set_patches(result, values)
    return result
