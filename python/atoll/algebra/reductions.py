"""Sums, extrema, products and norms of arrays and views; all collective."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from atoll import _core
from atoll._agreement import collective, collective_over_copies, warn
from atoll.array.copies import like

if TYPE_CHECKING:
    from atoll.algebra.elementwise import Operand

A = TypeVar("A", bound=_core.ArrayBase)


@collective
def sum(a: Operand, axis: None = None, dtype: None = None, out: None = None) -> Any:  # noqa: A001
    """Add up all elements. Collective.

    Integers give an int64 (modulo 2^64); other types their own, added up in double precision.

    >>> import atoll
    >>> a = atoll.arange(5)
    >>> int(a.sum()), int(a.at[::2].sum())
    (10, 6)
    """
    _whole_only(axis, dtype, out)
    return as_total(a, _core.sum(a))


@collective_over_copies
def cumsum(a: A, axis: int | None = None, dtype: None = None, out: None = None) -> A:
    """Give a new vector with the sums of a vector's elements so far. Collective.

    Integers give an int64, as in NumPy; float32 and complex64 are added up in double.

    >>> import atoll
    >>> atoll.arange(5).cumsum()[...]
    array([ 0,  1,  3,  6, 10])
    """
    if a.ndim != 1 or axis not in (None, 0, -1) or dtype is not None or out is not None:
        raise ValueError(
            f"cumsum is of vectors, without dtype and out; this array has shape {a.shape}"
            + (f", axis is {axis}" if axis is not None else "")
        )
    kind = np.dtype(np.int64) if a.dtype.kind in "iu" else a.dtype
    sums = like(a, a.shape, kind, a.layout)
    if kind == a.dtype:
        _core.scan_add(a, sums)
    else:
        _core.copy(a, sums)
        _core.scan_add(sums, sums)
    return sums


@collective
def mean(a: Operand, axis: None = None, dtype: None = None, out: None = None) -> Any:
    """Give the mean of all elements; of integers as float64. Collective.

    Of none it is NaN, with a RuntimeWarning.
    """
    _whole_only(axis, dtype, out)
    if math.prod(a.shape) == 0:
        warn("mean of no elements")
    integers = a.dtype.kind in "iu"
    total = _core.sum_in_double(a) if integers else _core.sum(a)
    with np.errstate(all="ignore"):
        return (np.float64 if integers else a.dtype.type)(np.divide(total, math.prod(a.shape)))


@collective
def min(a: Operand, axis: None = None, out: None = None) -> Any:  # noqa: A001
    """Give the smallest element. Collective. NaN counts as smaller.

    >>> import atoll
    >>> int(atoll.arange(5).min())
    0
    """
    _whole_only(axis, None, out)
    return a.dtype.type(_core.minimum_element(a)[0])


@collective
def max(a: Operand, axis: None = None, out: None = None) -> Any:  # noqa: A001
    """Give the largest element. Collective. NaN counts as larger."""
    _whole_only(axis, None, out)
    return a.dtype.type(_core.maximum_element(a)[0])


@collective
def argmin(a: _core.ArrayBase, axis: None = None, out: None = None) -> int:
    """Give the place of the smallest element, counted in row-major order. Collective.

    `numpy.unravel_index(a.argmin(), a.shape)` is its position. The first where several are
    equal.

    >>> import numpy as np
    >>> import atoll
    >>> a = atoll.from_numpy(np.array([[3, 1], [2, 1]]))
    >>> a.argmin(), a.argmax()
    (1, 0)
    """
    _whole_only(axis, None, out)
    return int(np.ravel_multi_index(_core.minimum_element(a)[1], a.shape))


@collective
def argmax(a: _core.ArrayBase, axis: None = None, out: None = None) -> int:
    """Give the place of the largest element, as `argmin` does. Collective."""
    _whole_only(axis, None, out)
    return int(np.ravel_multi_index(_core.maximum_element(a)[1], a.shape))


@collective
def sum_of_products(a: Operand, b: Operand) -> Any:
    """Give the sum of `a_i * b_i` over all elements (no conjugation).

    Both have the same shape and type; any distributions.

    >>> import atoll
    >>> a = atoll.full((2, 3), 3.0)
    >>> float(sum_of_products(a, a)), float(sum_of_products(a.at[:, :2], a.at[:, :2].T))
    (54.0, 36.0)
    """
    return as_total(a, _core.dot(a, b))


@collective
def norm(a: Operand, kind: str = "two") -> float:
    """Give a norm of all elements, seen as one vector. Collective.

    Args:
        a: The array or view.
        kind: "two" (root of the sum of squares), "one" (sum of magnitudes) or "infinity"
            (largest magnitude).

    """
    return _core.norm(a, kind)


def as_total(a: Operand, total: Any) -> Any:
    """Give a sum over this array as NumPy types it: of integers an int64."""
    return np.int64(total) if a.dtype.kind in "iu" else a.dtype.type(total)


def _whole_only(axis: Any, dtype: Any, out: Any) -> None:
    if axis is dtype is out is None:
        return
    for name, value in (("axis", axis), ("dtype", dtype), ("out", out)):
        if value is not None:
            raise TypeError(
                f"{name} is {value!r}, expected None: reductions of Atoll arrays are over all "
                "elements, without dtype and out"
            )
