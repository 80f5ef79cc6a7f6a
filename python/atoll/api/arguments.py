"""What calls are given: axes, element types, and that all ranks have given the same."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll._core import ArrayBase, ViewBase
from atoll._signatures import shortly
from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atoll.algebra.elementwise import Operand

Axes = tuple[int, ...]
Key = tuple[slice, ...]


def whole_array(x: Any, name: str = "a") -> Any:
    """Give an array as it is, a view as a new array. Collective for views.

    Raises:
        TypeError: neither of them.

    """
    if isinstance(x, ArrayBase):
        return x
    if isinstance(x, ViewBase):
        return copy_of_view(x)
    raise TypeError(f"{name} is {shortly(x)}, expected an Atoll array or a view")


@collective_over_copies
def copy_of_view(view: ViewBase) -> Any:
    """Give a new array with the elements of a view. Collective."""
    made = like(view.base, tuple(view.shape), view.dtype)
    if made.size:
        _core.copy(view, made)
    return made


def one_axis(axis: Any, ndim: int, name: str = "axis") -> int:
    """Give an axis as a number from 0.

    Raises:
        TypeError: no integer.
        numpy.exceptions.AxisError: no such axis.

    """
    number = integer(axis, name)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(f"{name} {axis} is out of bounds for {ndim} dimensions")
    return number % ndim


def some_axes(axis: Any, ndim: int, name: str = "axis") -> Axes:
    """Give axes, ascending; None stands for all of them, a number for itself.

    Raises:
        TypeError: neither integers nor None.
        numpy.exceptions.AxisError: no such axis.
        ValueError: one of them twice.

    """
    if axis is None:
        return tuple(range(ndim))
    numbers = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = sorted(one_axis(number, ndim, name) for number in numbers)
    if len(set(found)) != len(found):
        raise ValueError(f"{name} is {axis!r}: an axis stands there twice")
    return tuple(found)


def flag(value: Any, name: str) -> bool:
    """Give a yes or no.

    Raises:
        TypeError: something else.

    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"{name} is {shortly(value)}, expected True or False")


def integer(value: Any, name: str) -> int:
    """Give a number without a fraction.

    Raises:
        TypeError: something else.

    """
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {shortly(value)}, expected an integer") from None


def held(dtype: Any, what: str = "dtype") -> np.dtype[Any]:
    """Give an element type that arrays can hold.

    Raises:
        TypeError: another one.

    """
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{what} is {shortly(dtype)}, expected an element type") from None
    if dtype is None or not is_held(kind):
        raise TypeError(
            f"{what} is {dtype}: an array cannot hold it; it holds "
            f"{', '.join(_core.element_types())}"
        )
    return kind


@functools.lru_cache(maxsize=64)
def is_held(dtype: np.dtype[Any]) -> bool:
    """Tell whether arrays can hold a type: the core has the one table of them."""
    return dtype.isnative and dtype.name in _core.element_types()


def agree(a: Operand | _core.Group, call: str, *given: Any, whole: bool = True) -> None:
    """Begin a collective call: compare between ranks what they give beside arrays.

    Args:
        a: The array, whose ranks they are, of all copies of a mirrored one; or these ranks.
        call: Its name.
        given: Numbers, words, shapes; NumPy arrays count by type and shape, with ATOLL_CHECK=1 by
            their elements.
        whole: False for those that share the array, of a mirrored one only my node's.

    """
    if isinstance(a, _core.Group):
        group = a
    else:
        base = a.base if isinstance(a, ViewBase) else a
        group = base.whole_group if whole else base.group
    if group.size > 1:
        _core.enter(group, call, "; ".join(map(_statement, given)).encode())
        return
    _core.enter(group, call, b"")


def _statement(value: Any) -> str:
    if isinstance(value, (ArrayBase, ViewBase)):
        return f"array {value.dtype} {value.shape}"
    if isinstance(value, np.ndarray):
        told = f"numpy {value.dtype} {value.shape}"
        return f"{told} {value.tobytes().hex()}" if _core.checks() else told
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_statement, value))}]"
    return repr(value)


def without(key: Sequence[Any], axes: Axes) -> tuple[Any, ...]:
    """Give what stands at the other axes."""
    return tuple(part for d, part in enumerate(key) if d not in axes)


def require_output(out: Any, a: ArrayBase, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """See that `out` can take a result.

    Raises:
        TypeError: no Atoll array, or of a type to which the result does not convert.
        ValueError: another shape or group.
        RuntimeError: it is read-only.

    """
    if not isinstance(out, ArrayBase):
        raise TypeError(f"out is {shortly(out)}, expected an Atoll array")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}, but the result has shape {shape}")
    if out.group != a.group:
        raise ValueError("out lives on another group than the array")
    if out.read_only:
        raise RuntimeError(f"out is read-only: {out!r}")
    if not np.can_cast(dtype, out.dtype, "same_kind"):
        raise TypeError(f"out is of {out.dtype}, to which the result's {dtype} does not convert")
