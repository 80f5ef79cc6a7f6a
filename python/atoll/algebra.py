"""Element-wise operations between patches, steps along a direction, bins.

What operators do for whole arrays, these functions do into an array given as `out`, and for
patches of arrays of any shapes: `a_patch`, `b_patch` and `patch` (of `out`) are slices with steps
above zero, all of one shape. Without one, all of the array takes part. `out` may be one of the
inputs when its patches are the same or have nothing in common. Every function is collective; arrays
have one type and any distributions.

>>> import numpy as np
>>> import atoll
>>> a = atoll.arange(6.0)
>>> atoll.algebra.multiply(a, a, a, a_patch=np.s_[:3], b_patch=np.s_[3:], patch=np.s_[:3])
>>> a[...]
array([ 0.,  4., 10.,  3.,  4.,  5.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from atoll._array import Array

__all__ = [
    "StepBounds",
    "absolute",
    "bin_index",
    "bin_sort",
    "divide",
    "maximum",
    "median",
    "minimum",
    "multiply",
    "reciprocal",
    "step_bound_info",
    "step_max",
]


def multiply(
    a: Array,
    b: Array,
    out: Array,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out` to `a * b`."""
    _core.multiply(a, b, out, a_patch, b_patch, patch)


def divide(
    a: Array,
    b: Array,
    out: Array,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out` to `a / b`; of integers to the quotient without its fraction.

    Raises:
        ValueError: Integers with a zero in `b`; nothing is written then.

    """
    _core.divide(a, b, out, a_patch, b_patch, patch)


def minimum(
    a: Array,
    b: Array,
    out: Array,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out` to the smaller of `a` and `b`; NaN where one is NaN. Not for complex numbers."""
    _core.minimum(a, b, out, a_patch, b_patch, patch)


def maximum(
    a: Array,
    b: Array,
    out: Array,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out` to the larger of `a` and `b`; NaN where one is NaN. Not for complex numbers."""
    _core.maximum(a, b, out, a_patch, b_patch, patch)


def median(
    a: Array,
    b: Array,
    c: Array,
    out: Array,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    c_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out`, element by element, to the one of `a`, `b` and `c` that lies between the others.

    So `c` is clipped to lie from `a` to `b`. (Not `numpy.median`, which is of one array.)

    >>> import atoll
    >>> x = atoll.arange(5)
    >>> median(atoll.full(5, 1), atoll.full(5, 3), x, x)
    >>> x[...]
    array([1, 1, 2, 3, 3])
    """
    _core.median(a, b, c, out, a_patch, b_patch, c_patch, patch)


def absolute(a: Array, out: Array, *, a_patch: Any = None, patch: Any = None) -> None:
    """Set `out` to the magnitudes of `a`; of complex numbers with imaginary parts of zero."""
    _core.absolute(a, out, a_patch, patch)


def reciprocal(a: Array, out: Array, *, a_patch: Any = None, patch: Any = None) -> None:
    """Set `out` to `1 / a`. Not for integers."""
    _core.reciprocal(a, out, a_patch, patch)


def step_max(x: Array, v: Array, *, x_patch: Any = None, v_patch: Any = None) -> float:
    """Give the largest step with `x + step * v >= 0` everywhere, infinity if there is no limit.

    Raises:
        ValueError: A number in `x` is negative.

    >>> import atoll
    >>> step_max(atoll.full(3, 2.0), atoll.full(3, -4.0))
    0.5

    """
    return _core.step_max(x, v, x_patch, v_patch)


class StepBounds(NamedTuple):
    """Steps at which the elements of `x + step * v` meet their bounds.

    Element `i` meets `upper[i]` if `v[i] > 0`, `lower[i]` if `v[i] < 0`, and nothing otherwise.
    """

    bound_min: float
    """The least of them; infinity without any."""
    wolfe_min: float
    """The least above zero; infinity without any."""
    bound_max: float
    """The largest, at least zero: from there on no element is inside."""


def step_bound_info(
    x: Array,
    v: Array,
    lower: Array,
    upper: Array,
    *,
    x_patch: Any = None,
    v_patch: Any = None,
    lower_patch: Any = None,
    upper_patch: Any = None,
) -> StepBounds:
    """Tell how far `x` may go along `v` between its bounds; see `StepBounds`."""
    return StepBounds(
        *_core.step_bound_info(x, v, lower, upper, x_patch, v_patch, lower_patch, upper_patch)
    )


def bin_index(
    contents: Array,
    counts: Array,
    offsets: Array,
    values: Any,
    bins: Any,
    *,
    sort: bool = False,
) -> int:
    """Put integers into numbered bins, and give how many there are of all ranks.

    Afterwards bin `b` is `contents[offsets[b] : offsets[b] + counts[b]]`, bin after bin.

    Args:
        contents: Vector of integers with room for the values of all ranks.
        counts: Vector of integers, one a bin.
        offsets: The same.
        values: The integers that this rank brings.
        bins: Where each goes, counted from 0.
        sort: Sort each bin; else the order inside a bin is left to chance.

    >>> import atoll
    >>> contents, counts, offsets = (atoll.zeros(4, dtype=int) for _ in range(3))
    >>> mine = [7, 5, 6] if atoll.rank() == 0 else []
    >>> bin_index(contents, counts, offsets, mine, [3, 0, 0][: len(mine)], sort=True)
    3
    >>> contents[...], counts[...], offsets[...]
    (array([5, 6, 7, 0]), array([2, 0, 0, 1]), array([0, 2, 2, 2]))

    """
    return _core.bin_index(contents, counts, offsets, _integers(values), _integers(bins), sort)


def bin_sort(contents: Array, counts: Array, offsets: Array) -> None:
    """Sort the contents of each bin in ascending order.

    Raises:
        ValueError: The bins overlap or are not in the order of their offsets.

    """
    _core.bin_sort(contents, counts, offsets)


def _integers(values: Any) -> Any:
    array = np.asarray(values)
    return array if array.size else array.astype(np.int64)  # NumPy takes [] for floats
