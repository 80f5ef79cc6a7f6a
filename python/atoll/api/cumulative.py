"""Sums and products so far, along an axis; collective.

Every rank adds up its blocks, leaves the last line of each, and adds what came before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll.api.arguments import agree, flag, held, one_axis, require_output, whole_array
from atoll.api.cuts import set_patches, starts, whole_along
from atoll.api.reductions import summed_type
from atoll.api.reshaping import ravel
from atoll.array.copies import astype, like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll._core import ArrayBase
    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Key

A = TypeVar("A", bound=_core.ArrayBase)


@collective_over_copies
def cumsum(a: ArrayBase, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """Give the sums of the elements so far, along an axis; cut as `a`. Collective.

    Integers give an int64, as in NumPy; of vectors, float32 and complex64 are added up in double.

    Args:
        a: Array.
        axis: The axis. None is for vectors, and for other arrays gives a vector, of all elements in
            row-major order.
        dtype: Type of the sums.
        out: Array for the result.

    >>> import atoll
    >>> atoll.arange(5).cumsum()[...]
    array([ 0,  1,  3,  6, 10])
    >>> atoll.ones((2, 3)).cumsum(axis=0)[...]
    array([[1., 1., 1.],
           [2., 2., 2.]])

    """
    return accumulated(a, np.add, axis, dtype, out)


@collective_over_copies
def cumprod(a: ArrayBase, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """Give the products of the elements so far; arguments are those of `cumsum`. Collective.

    >>> import atoll
    >>> atoll.arange(1, 5).cumprod()[...]
    array([ 1,  2,  6, 24])
    """
    return accumulated(a, np.multiply, axis, dtype, out)


@collective_over_copies
def cumulative_sum(
    x: Operand,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Any:
    """Give the sums so far, as the array API has it; with a zero before all. Collective.

    >>> import atoll
    >>> atoll.cumulative_sum(atoll.arange(3), include_initial=True)[...]
    array([0, 0, 1, 3])
    """
    return _from_nothing(x, np.add, axis, dtype, include_initial)


@collective_over_copies
def cumulative_prod(
    x: Operand,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Any:
    """Give the products so far, as the array API has it; with a one before all. Collective."""
    return _from_nothing(x, np.multiply, axis, dtype, include_initial)


def _from_nothing(x: Any, ufunc: np.ufunc, axis: Any, dtype: Any, initial: Any) -> Any:
    with_initial = flag(initial, "include_initial")
    a = whole_array(x, "x")
    if axis is None and a.ndim > 1:
        raise ValueError(f"axis is None, expected one of {a.ndim}: x has shape {a.shape}")
    along = one_axis(0 if axis is None else axis, a.ndim)
    agree(a, "cumulative", along, with_initial)
    sums = accumulated(a, ufunc, along, dtype, None)
    if not with_initial:
        return sums
    shape = tuple(n + (d == along) for d, n in enumerate(a.shape))
    result = like(a, shape, sums.dtype)
    rest = tuple(slice(1, None) if d == along else slice(None) for d in range(a.ndim))
    first = tuple(slice(0, 1) if d == along else slice(None) for d in range(a.ndim))
    _core.fill(_core.ViewBase(result, first), ufunc.identity)
    if sums.size:
        _core.copy(sums, _core.ViewBase(result, rest))
    return result


def accumulated(a: Any, ufunc: np.ufunc, axis: Any, dtype: Any, out: Any) -> Any:
    """Give what a ufunc makes of the elements so far, along an axis. Collective."""
    name = f"{ufunc.__name__}.accumulate"
    if not isinstance(a, _core.ArrayBase):
        a = whole_array(a)
    kind = summed_type(a.dtype) if dtype is None else held(dtype)
    if axis is None and a.ndim > 1:
        a, axis = ravel(a), 0
    along = one_axis(0 if axis is None else axis, a.ndim)
    if out is not None:
        require_output(out, a, a.shape, kind)
    agree(a, name, along, kind.str, out)
    if out is None and a.ndim == 1 and ufunc is np.add:
        return _sums_of_vector(a, kind)
    return _of_blocks(a, ufunc, along, kind, out)


def _sums_of_vector(a: A, kind: np.dtype[Any]) -> A:
    sums = like(a, a.shape, kind, a.layout)
    if kind == a.dtype:
        _core.scan_add(a, sums)
    elif np.can_cast(a.dtype, kind, "same_kind"):
        _core.copy(a, sums)
        _core.scan_add(sums, sums)
    else:
        _core.scan_add(astype(a, kind), sums)
    return sums


def _of_blocks(a: A, ufunc: np.ufunc, axis: int, kind: np.dtype[Any], out: A | None) -> A:
    sums = like(a, a.shape, kind, a.layout)
    if a.mirrored:
        set_patches(sums, lambda key: _of_node(a, ufunc, axis, kind, key))
    elif a.size:
        _join_blocks(a, sums, ufunc, axis, kind)
    if out is None:
        return sums
    _core.copy(sums, out)
    return out


def _of_node(
    a: ArrayBase, ufunc: np.ufunc, axis: int, kind: np.dtype[Any], key: Key
) -> NDArray[Any]:
    """Accumulate what the node's memory holds before a patch and in it."""
    line = key[axis]
    so_far = tuple(slice(0, k.stop) if d == axis else k for d, k in enumerate(key))
    sums = ufunc.accumulate(a[so_far], axis=axis, dtype=kind)
    return np.asarray(np.moveaxis(np.moveaxis(sums, axis, 0)[line.start :], 0, axis))


def _join_blocks(a: A, sums: A, ufunc: np.ufunc, axis: int, kind: np.dtype[Any]) -> None:
    begins = starts(a, axis)
    lines = tuple(n for d, n in enumerate(a.shape) if d != axis)
    ends = like(a, (len(begins), *lines), kind, whole_along((len(begins), *lines), (0,)))

    def number(key: tuple[slice, ...]) -> tuple[Any, ...]:
        block = begins.index(key[axis].start)
        return (slice(block, block + 1), *(k for d, k in enumerate(key) if d != axis))

    for key in a.patches():
        part = ufunc.accumulate(cast("NDArray[Any]", a[key]), axis=axis, dtype=kind)
        sums[key] = part
        ends[number(key)] = np.moveaxis(part, axis, 0)[-1:]
    a.group.sync()
    if len(begins) > 1:
        for key in ends.patches():
            ends[key] = ufunc.accumulate(ends[key], axis=0)
        a.group.sync()
        for key in sums.patches():
            block, *rest = number(key)
            if block.start > 0:
                last = (slice(block.start - 1, block.start), *rest)
                before = ends[last]
                sums[key] = ufunc(sums[key], np.moveaxis(before, 0, axis))
    sums.group.sync()
