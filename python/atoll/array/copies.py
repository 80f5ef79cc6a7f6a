"""Arrays made from another: empty ones like it, copies, conversions, transposes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from atoll import _core
from atoll._agreement import collective, collective_over_copies

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

A = TypeVar("A", bound=_core.ArrayBase)


def wrap(kind: type[A], base: _core.ArrayBase) -> A:
    """Give an array of the extension as one of this class."""
    array = kind.__new__(kind)
    _core.ArrayBase.__init__(array, base)
    return array


def like(a: A, shape: tuple[int, ...], dtype: Any, layout: _core.Layout | None = None) -> A:
    """Make an array on the same group, contents undefined. Collective."""
    cut = _core.Layout.blocked(()) if layout is None else layout
    return wrap(type(a), _core.ArrayBase(a.whole_group, shape, dtype, cut, "", False, a.mirrored))


@collective_over_copies
def duplicate(a: A, name: str = "", *, zero: bool = True) -> A:
    """Make another array of the same shape, dtype, group and distribution. Collective.

    Its elements are zero, or undefined with `zero=False`. For the contents too, see `copy`.
    """
    return wrap(type(a), a.duplicate_base(name, zero))


@collective_over_copies
def copy(a: A, name: str = "") -> A:
    """Make a copy with the same distribution. Collective.

    >>> import atoll
    >>> a = atoll.ones(3)
    >>> b = a.copy()
    >>> a.fill(5.0)
    >>> b[...]
    array([1., 1., 1.])
    """
    result = duplicate(a, name, zero=False)
    _core.copy(a, result)
    return result


@collective
def copy_from(
    target: _core.ArrayBase | _core.ViewBase, source: _core.ArrayBase | _core.ViewBase
) -> None:
    """Copy from another array, or between views of equal shape. Collective.

    Args:
        target: This array or view.
        source: Any distribution; its type must convert by NumPy's "same_kind".

    >>> import atoll
    >>> a = atoll.zeros((2, 3))
    >>> a.copy_from(atoll.ones((3, 2)).at[...].T)
    >>> a.at[1:, :2].copy_from(atoll.full((1, 2), 5.0))
    >>> a[...]
    array([[1., 1., 1.],
           [5., 5., 1.]])

    """
    _core.copy(source, target)


@collective_over_copies
def astype(a: A, dtype: Any) -> A:
    """Make a copy with another element type, cut alike. Collective. Converts as NumPy does."""
    result = like(a, a.shape, dtype, a.layout)
    a.group.sync()
    if a.mirrored:  # views of a block would have each merge look for changes in it
        for key in a.patches():
            result[key] = a[key].astype(result.dtype)
    else:
        for (_, mine), (_, theirs) in zip(a.blocks(), result.blocks(), strict=True):
            theirs[...] = mine
    a.group.sync()
    return result


@collective_over_copies
def transposed(a: A) -> A:
    """Make an array with the dimensions in reverse order. Collective."""
    result = like(a, a.shape[::-1], a.dtype)
    _core.copy(_core.ViewBase(a, ..., 1), result)
    return result


def store(a: _core.ArrayBase, values: Callable[[tuple[slice, ...]], NDArray[Any]]) -> None:
    """Set each block to `values(key)`, on every node alike. Collective."""
    if a.mirrored:  # as in astype
        for key in a.patches():
            a[key] = np.asarray(values(key)).astype(a.dtype)
        _core.declare_equal(a)
        return
    for key, block in a.blocks():
        np.copyto(block, values(key), casting="unsafe")
    a.group.sync()
