"""Ufuncs of an array and one number, and of an array alone, which the core computes in one pass.

Only what is NumPy's to the last bit: the number converts to the array's type without loss of its
kind, and the result has that type. For all else NumPy's own rules are asked (`ufuncs.apply`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll import _core
from atoll._core import ArrayBase

if TYPE_CHECKING:
    from collections.abc import Callable

    Computes = Callable[[Any, Any, Any], int]

# Of each ufunc the kinds of types, what computes `array op number`, and `number op array`.
_TABLE: dict[np.ufunc, tuple[str, Computes, Computes]] = {
    np.add: ("iuf", _core.plus_number, _core.plus_number),
    np.subtract: ("iuf", _core.minus_number, _core.number_minus),
    np.multiply: ("iuf", _core.times_number, _core.times_number),
    np.true_divide: ("f", _core.over_number, _core.number_over),
}
_LARGEST = float(np.finfo(np.float32).max)
_EXACT = 1 << 24  # integers up to here are numbers of all types of floating point


class WithNumber(NamedTuple):
    """The array of an array and a number, and what takes it and an output."""

    array: Any
    compute: Callable[..., int]


def with_number(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> WithNumber | None:
    """Give how the core computes a ufunc of an array and a number.

    None where the core does not know it as NumPy does.
    """
    if ufunc not in _TABLE:
        return None
    kinds, behind, before = _TABLE[ufunc]
    first, second = inputs
    if isinstance(first, ArrayBase):
        a, number, compute = first, second, behind
    else:
        a, number, compute = second, first, before
    if not isinstance(a, ArrayBase):
        return None
    dtype = a.dtype
    if dtype.kind not in kinds or not _fits(number, dtype):
        return None
    return WithNumber(a, lambda x, out: compute(x, number, out))


def _fits(number: Any, dtype: np.dtype[Any]) -> bool:
    """Tell whether a number becomes an element of this type by NumPy's rules, as it is."""
    if isinstance(number, np.generic):
        return number.dtype == dtype
    kind = type(number)
    if dtype.kind != "f":
        if kind is not int:
            return False
        bits = 8 * dtype.itemsize
        low, high = (0, 1 << bits) if dtype.kind == "u" else (-1 << bits - 1, 1 << bits - 1)
        return bool(low <= number < high)
    if dtype.itemsize == 8:
        return kind is float or (kind is int and -_EXACT <= number <= _EXACT)
    if kind is int:
        return bool(-_EXACT <= number <= _EXACT)
    return dtype.itemsize == 4 and kind is float and abs(number) <= _LARGEST
