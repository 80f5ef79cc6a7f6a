"""Sorting; collective.

Lines that are many are sorted whole, each by the rank that keeps it; few long ones, vectors above
all, by all ranks together (`sample_sort`). All sorts are stable. Results are blocked, with whole
lines in the first case.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll.api.arguments import agree, flag, one_axis, whole_array
from atoll.api.cuts import complete, whole_along
from atoll.api.permuting import flip
from atoll.api.reductions import require_order
from atoll.api.reshaping import ravel
from atoll.api.sample_sort import sort_line
from atoll.array.copies import like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll._core import ArrayBase
    from atoll.algebra.elementwise import Operand

_KINDS = (None, "quicksort", "heapsort", "mergesort", "stable")


@collective_over_copies
def sort(
    a: Operand,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool = True,
) -> Any:
    """Give the elements in order, along an axis. Collective. A new array; NaN comes last.

    Args:
        a: Array or view.
        axis: None for all elements, as a vector.
        kind: NumPy's names; all sorts here are stable.
        descending: The largest first (and NaN).
        stable: As `kind`.

    >>> import atoll
    >>> atoll.sort(atoll.from_numpy([3, 1, 2]))[...]
    array([1, 2, 3])

    """
    return _sorted(a, axis, kind, descending, stable)[0]


@collective_over_copies
def argsort(
    a: Operand,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool = True,
) -> Any:
    """Give the places of the elements in order, along an axis; arguments as `sort`. Collective.

    >>> import atoll
    >>> atoll.argsort(atoll.from_numpy([3, 1, 2]))[...]
    array([1, 2, 0])
    """
    return _sorted(a, axis, kind, descending, stable, places=True)[1]


@collective_over_copies
def sort_in_place(a: ArrayBase, axis: int = -1, kind: str | None = None) -> None:
    """Bring the elements into order, along an axis, in place; see `atoll.sort`. Collective.

    >>> import atoll
    >>> a = atoll.from_numpy([3, 1, 2])
    >>> a.sort()
    >>> a[...]
    array([1, 2, 3])
    """
    if axis is None:
        raise TypeError("axis is None, expected an integer: a sort in place keeps the shape")
    _core.copy(sort(a, axis, kind), a)


@collective_over_copies
def partition(a: Operand, /, kth: Any, axis: int | None = -1) -> Any:
    """Give the elements with those at `kth` in their places; all are sorted here. Collective."""
    require_places(a, kth, axis)
    return sort(a, axis)


@collective_over_copies
def argpartition(a: Operand, /, kth: Any, axis: int | None = -1) -> Any:
    """Give the places of what `partition` gives. Collective."""
    require_places(a, kth, axis)
    return argsort(a, axis)


def require_places(a: Any, kth: Any, axis: Any) -> None:
    """See that `kth` are places along the axis.

    Raises:
        TypeError: no integers.
        ValueError: out of bounds.

    """
    shape = tuple(a.shape)
    extent = math.prod(shape) if axis is None else shape[one_axis(axis, len(shape))]
    numbers = np.asarray(kth)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"kth is {kth!r}, expected integers")
    if numbers.size and not (-extent <= numbers.min() and numbers.max() < extent):
        raise ValueError(f"kth is {kth!r}, out of bounds for {extent} elements")


def _sorted(
    a: Any, axis: Any, kind: Any, descending: Any, stable: Any, *, places: bool = False
) -> tuple[Any, Any]:
    """Sort; gives values and, if wanted, places."""
    if kind not in _KINDS:
        raise ValueError(f"kind is {kind!r}, expected one of {_KINDS}")
    flag(stable, "stable")
    down = flag(descending, "descending")
    require_order(a)
    if axis is None:
        a, axis = ravel(a), 0
    source = whole_array(a)
    along = one_axis(axis, source.ndim)
    agree(source, "sort", along, down, places)
    source = flip(source, along) if down else source
    lines = source.size // max(1, source.shape[along])
    by_line = source.ndim > 1 and (source.mirrored or lines >= source.group.size)
    layout = whole_along(source.shape, (along,)) if by_line else None
    values = like(source, source.shape, source.dtype, layout)
    stood = like(source, source.shape, np.int64, layout) if places else None
    if by_line or source.mirrored:
        _sort_lines(source, values, stood, along)
    elif source.size:
        _sort_together(source, values, stood, along)
    if not down:
        return values, stood
    if stood is not None:  # they were counted from behind
        for key in stood.patches():
            stood[key] = source.shape[along] - 1 - stood[key]
        complete(stood)
    return flip(values, along), None if stood is None else flip(stood, along)


def _sort_lines(source: Any, values: Any, stood: Any, axis: int) -> None:
    """Sort lines that are whole in the blocks of the result."""
    whole = tuple(slice(None) if d == axis else None for d in range(source.ndim))
    for key in values.patches():
        lines = tuple(slice(0, source.shape[d]) if whole[d] else k for d, k in enumerate(key))
        part = source[lines]
        mine = tuple(k if whole[d] else slice(None) for d, k in enumerate(key))
        if stood is None:
            values[key] = np.sort(part, axis=axis)[mine]
            continue
        order = np.argsort(part, axis=axis, kind="stable")
        values[key] = np.take_along_axis(part, order, axis)[mine]
        stood[key] = order[mine]
    complete(values)
    if stood is not None:
        complete(stood)


def _sort_together(source: Any, values: Any, stood: Any, axis: int) -> None:
    """Sort few long lines, each by all ranks."""
    others = [1 if d == axis else n for d, n in enumerate(source.shape)]
    for place in np.ndindex(*others):

        def on_line(part: slice, place: tuple[int, ...] = place) -> tuple[Any, ...]:
            return tuple(part if d == axis else i for d, i in enumerate(place))

        def write(part: slice, line: NDArray[Any], where: NDArray[Any], on: Any = on_line) -> None:
            if part.stop > part.start:
                values[on(part)] = line
                if stood is not None:
                    stood[on(part)] = where

        sort_line(
            source,
            source.shape[axis],
            lambda part, on=on_line: source[on(part)],  # type: ignore[misc]
            write,
            places=stood is not None,
        )
    source.group.sync()
