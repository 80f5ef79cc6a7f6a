"""Sums, products, extrema and their places, of all elements or along axes; all collective.

They give a number where no axis is left, else an array: cut as the given one along the axes that
stay where no rank shares a line of the others (the sums of whole rows), blocked where ranks do. A
view is copied first where an axis is given.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np

from atoll import _core
from atoll._agreement import collective_among, group_of, whole_group_of
from atoll.api.along import Reduction, reduce_along
from atoll.api.arguments import agree, flag, held, one_axis, some_axes, whole_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from atoll._core import ArrayBase
    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Axes, Key

    Axis = int | tuple[int, ...] | None


P = ParamSpec("P")


@functools.lru_cache(maxsize=64)
def summed_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Give the type of a sum, as NumPy has it."""
    return np.add.reduce(np.empty(0, dtype)).dtype  # type: ignore[no-any-return]


def ranks_of_reduction(values: Iterable[Any]) -> _core.Group | None:
    """Give the ranks that make a call with these arguments: of a number, my node's will do."""
    *args, options = values
    others = [*args[1:], *(options.get(name) for name in ("axis", "keepdims", "out"))]
    number = not [x for x in others if x is not None and x is not False]
    return (group_of if number else whole_group_of)((*args[:1], options))


def reduced(
    a: Operand,
    name: str,
    axis: Any,
    keepdims: Any,
    out: Any,
    make: Callable[[np.dtype[Any]], Reduction],
) -> Any:
    """Reduce along axes, with what all ranks have given. Collective."""
    axes = some_axes(axis, len(a.shape))
    keep = flag(keepdims, "keepdims")
    reduction = make(a.dtype)
    number = axis is None and out is None and not keep
    agree(a, name, axis, keep, out, reduction.dtype.str, whole=not number)
    return reduce_along(whole_array(a), axes, reduction, keepdims=keep, out=out)


def or_of_number(theirs: Callable[..., Any]) -> Callable[[Callable[P, Any]], Callable[P, Any]]:
    """Make a reduction take NumPy's numbers and arrays, too, which others give: by NumPy's own."""

    def decorate(function: Callable[P, Any]) -> Callable[P, Any]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            if args and isinstance(args[0], (np.generic, np.ndarray)):
                return theirs(*args, **kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


def by_ufunc(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Reduction:
    """Give the reduction by a ufunc, with results of this type."""

    def partial(block: NDArray[Any], _: Key, axes: Axes) -> tuple[Any]:
        return (ufunc.reduce(block, axis=axes, dtype=dtype, keepdims=True),)

    def combine(parts: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(ufunc.reduce(parts, axis=0, dtype=dtype))

    return Reduction(dtype, (dtype,), partial, combine)


@or_of_number(np.sum)
@collective_among(ranks_of_reduction)
def sum(  # noqa: A001
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
) -> Any:
    """Add up elements, all of them or along axes. Collective.

    Integers and bool give an int64 or uint64 (modulo 2^64). All elements of float16, float32 and
    complex64 are added up in double precision, along axes in their own type, as NumPy does, or in
    `dtype`.

    Args:
        a: Array or view.
        axis: One axis or several; all by default, which gives a number.
        dtype: Type of the sum.
        out: Array for the result; it converts by "same_kind".
        keepdims: Whether the axes stay, with an extent of one.

    >>> import atoll
    >>> a = atoll.arange(5)
    >>> int(a.sum()), int(a.at[::2].sum())
    (10, 6)
    >>> atoll.ones((2, 3)).sum(axis=1)[...]
    array([3., 3.])

    """
    if axis is None and dtype is None and out is None and keepdims is False:
        return summed_type(a.dtype).type(_core.sum(a))
    kind = None if dtype is None else held(dtype)
    return reduced(
        a, "sum", axis, keepdims, out, lambda own: by_ufunc(np.add, kind or summed_type(own))
    )


@or_of_number(np.prod)
@collective_among(ranks_of_reduction)
def prod(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
) -> Any:
    """Multiply elements, all of them or along axes; arguments are those of `sum`. Collective.

    >>> import atoll
    >>> int(atoll.arange(1, 5).prod())
    24
    """
    kind = None if dtype is None else held(dtype)
    return reduced(
        a, "prod", axis, keepdims, out, lambda own: by_ufunc(np.multiply, kind or summed_type(own))
    )


@or_of_number(np.min)
@collective_among(ranks_of_reduction)
def min(  # noqa: A001
    a: Operand, axis: Axis = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Give the smallest element, of all or along axes; see `sum`. Collective. NaN is smaller.

    >>> import atoll
    >>> int(atoll.arange(5).min())
    0
    """
    return _extremum(a, np.minimum, axis, out, keepdims)


@or_of_number(np.max)
@collective_among(ranks_of_reduction)
def max(  # noqa: A001
    a: Operand, axis: Axis = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Give the largest element, of all or along axes; see `sum`. Collective. NaN is larger.

    >>> import atoll
    >>> atoll.eye(3).max(axis=0, keepdims=True)[...]
    array([[1., 1., 1.]])
    """
    return _extremum(a, np.maximum, axis, out, keepdims)


def _extremum(a: Operand, ufunc: np.ufunc, axis: Any, out: Any, keepdims: Any) -> Any:
    smallest = ufunc is np.minimum
    if axis is None and out is None and keepdims is False:
        found = (_core.minimum_element if smallest else _core.maximum_element)(a)[0]
        return a.dtype.type(found)
    require_order(a)
    name = "min" if smallest else "max"
    return reduced(a, name, axis, keepdims, out, lambda own: by_ufunc(ufunc, own))


def require_order(a: Operand) -> None:
    """Refuse complex numbers.

    Raises:
        TypeError: they have no order.

    """
    if a.dtype.kind == "c":
        raise TypeError(f"complex numbers have no order; a is of {a.dtype}")


@collective_among(ranks_of_reduction)
def argmin(
    a: ArrayBase, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Any:
    """Give the place of the smallest element, of all or along one axis. Collective.

    Of all it is counted in row-major order: `numpy.unravel_index(a.argmin(), a.shape)` is its
    position. The first where several are equal.

    >>> import numpy as np
    >>> import atoll
    >>> a = atoll.from_numpy(np.array([[3, 1], [2, 1]]))
    >>> a.argmin(), a.argmax()
    (1, 0)
    >>> a.argmin(axis=0)[...]
    array([1, 0])
    """
    return _place(a, np.argmin, axis, out, keepdims)


@collective_among(ranks_of_reduction)
def argmax(
    a: ArrayBase, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Any:
    """Give the place of the largest element, as `argmin` does. Collective."""
    return _place(a, np.argmax, axis, out, keepdims)


def _place(a: ArrayBase, find: Callable[..., Any], axis: Any, out: Any, keepdims: Any) -> Any:
    if axis is None and out is None and keepdims is False:
        a = whole_array(a)  # of a part the core tells the place in the array
        smallest = find is np.argmin
        found = (_core.minimum_element if smallest else _core.maximum_element)(a)[1]
        return int(np.ravel_multi_index(found, a.shape)) if a.shape else 0
    require_order(a)
    if axis is not None:
        axis = one_axis(axis, a.ndim)
    elif a.ndim > 1:
        raise ValueError(
            f"axis is None: with keepdims or out an axis is wanted of an array of shape {a.shape}"
        )
    return reduced(a, find.__name__, axis, keepdims, out, lambda own: _places(find, own))


def _places(find: Callable[..., Any], own: np.dtype[Any]) -> Reduction:
    index = np.dtype(np.intp)

    def partial(block: NDArray[Any], key: Key, axes: Axes) -> tuple[Any, ...]:
        (axis,) = axes
        places = find(block, axis=axis, keepdims=True)
        return np.take_along_axis(block, places, axis), places + key[axis].start

    def combine(values: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
        first = np.expand_dims(find(values, axis=0), 0)
        return np.asarray(np.take_along_axis(places, first, 0)[0])

    return Reduction(index, (own, index), partial, combine)


def _truths(ufunc: np.ufunc) -> Callable[[np.dtype[Any]], Reduction]:
    kind = np.dtype(np.bool_)
    byte = np.dtype(np.uint8)

    def partial(block: NDArray[Any], _: Key, axes: Axes) -> tuple[Any]:
        return (np.asarray(ufunc.reduce(block, axis=axes, keepdims=True)).astype(byte),)

    def combine(parts: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(ufunc.reduce(parts, axis=0))

    return lambda _: Reduction(kind, (byte,), partial, combine)


@or_of_number(np.all)
@collective_among(ranks_of_reduction)
def all(  # noqa: A001
    a: Operand, axis: Axis = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Tell whether elements are true (not zero): all of them, or those along axes. Collective.

    >>> import atoll
    >>> bool(atoll.ones(3).all()), bool(atoll.arange(3).all())
    (True, False)
    """
    return reduced(a, "all", axis, keepdims, out, _truths(np.logical_and))


@or_of_number(np.any)
@collective_among(ranks_of_reduction)
def any(  # noqa: A001
    a: Operand, axis: Axis = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Tell whether an element is true (not zero), of all or along axes. Collective.

    >>> import atoll
    >>> bool(atoll.zeros(3).any())
    False
    """
    return reduced(a, "any", axis, keepdims, out, _truths(np.logical_or))


@or_of_number(np.count_nonzero)
@collective_among(ranks_of_reduction)
def count_nonzero(a: Operand, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Count the elements that are not zero, of all or along axes. Collective.

    >>> import atoll
    >>> int(atoll.count_nonzero(atoll.eye(3)))
    3
    """
    index = np.dtype(np.intp)

    def partial(block: NDArray[Any], _: Key, axes: Axes) -> tuple[Any]:
        return (np.count_nonzero(block, axis=axes, keepdims=True),)

    def combine(parts: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(parts.sum(axis=0))

    counts = Reduction(index, (index,), partial, combine)
    return reduced(a, "count_nonzero", axis, keepdims, None, lambda _: counts)
