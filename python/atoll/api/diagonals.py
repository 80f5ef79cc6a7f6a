"""Diagonals; collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies
from atoll.api.arguments import agree, integer, one_axis, whole_array
from atoll.api.cuts import set_patches
from atoll.api.reductions import sum as sum_of
from atoll.array.copies import like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Key


@collective_over_copies
def diagonal(a: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Give the diagonals of two axes, along a new last one. Collective. A new array, blocked.

    >>> import atoll
    >>> atoll.diagonal(atoll.arange(6).reshape(2, 3), offset=1)[...]
    array([1, 5])
    """
    source = whole_array(a)
    if source.ndim < 2:
        raise ValueError(f"a has shape {source.shape}, expected two dimensions or more")
    one, other = one_axis(axis1, source.ndim, "axis1"), one_axis(axis2, source.ndim, "axis2")
    if one == other:
        raise ValueError(f"axis1 is {axis1} and axis2 is {axis2}: expected two axes")
    k = integer(offset, "offset")
    agree(source, "diagonal", k, one, other)
    down, across = max(0, -k), max(0, k)
    count = max(0, min(source.shape[one] - down, source.shape[other] - across))
    rest = [d for d in range(source.ndim) if d not in (one, other)]
    shape = (*(source.shape[d] for d in rest), count)
    result = like(source, shape, source.dtype)

    def values(key: Key) -> NDArray[Any]:
        lines = np.ix_(*(np.arange(part.start, part.stop) for part in key))
        place = dict(zip(rest, lines[:-1], strict=True))
        place[one], place[other] = lines[-1] + down, lines[-1] + across
        return np.asarray(source[tuple(place[d] for d in range(source.ndim))])

    set_patches(result, values)
    return result


@collective_over_copies
def trace(a: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Give the sums of the diagonals of two axes; of a matrix a number. Collective.

    >>> import atoll
    >>> float(atoll.trace(atoll.eye(3)))
    3.0
    """
    return sum_of(diagonal(a, offset, axis1, axis2), -1, dtype)


@collective_over_copies
def diag(v: Operand, k: int = 0) -> Any:
    """Give the k-th diagonal of a matrix, or the matrix with a vector there. Collective.

    >>> import atoll
    >>> atoll.diag(atoll.arange(1, 3))[...]
    array([[1, 0],
           [0, 2]])
    """
    number = integer(k, "k")
    if len(v.shape) == 2:
        return diagonal(v, number)
    if len(v.shape) != 1:
        raise ValueError(f"v has shape {tuple(v.shape)}, expected one or two dimensions")
    source = whole_array(v, "v")
    agree(source, "diag", number)
    extent = source.shape[0] + abs(number)
    result = like(source, (extent, extent), source.dtype)

    def values(key: Key) -> NDArray[Any]:
        part = np.zeros([line.stop - line.start for line in key], source.dtype)
        first = max(key[0].start + min(0, number), key[1].start - max(0, number), 0)
        last = min(key[0].stop + min(0, number), key[1].stop - max(0, number), source.shape[0])
        if first < last:
            at = np.arange(first, last)
            rows, columns = at - min(0, number) - key[0].start, at + max(0, number) - key[1].start
            part[rows, columns] = source[first:last]
        return part

    set_patches(result, values)
    return result
