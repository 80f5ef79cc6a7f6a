"""Neighbours along a line: convolution, differences, areas; what statistics pairs; collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies, warn
from atoll._core import ViewBase
from atoll._signatures import shortly
from atoll.algebra.products import multiplied
from atoll.algebra.ufuncs import apply
from atoll.api.arguments import agree, flag, integer, one_axis, whole_array
from atoll.api.cuts import set_patches
from atoll.api.diagonals import diagonal
from atoll.api.elimination import floating
from atoll.api.joining import concat, diff
from atoll.api.reductions import sum as sum_of
from atoll.api.reshaping import reshape
from atoll.api.statistics import mean
from atoll.array.copies import astype, like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Key

_MODES = ("full", "same", "valid")


def _vector(x: Any, name: str) -> Any:
    source = whole_array(x, name)
    if source.ndim != 1 or source.size == 0:
        raise ValueError(f"{name} has shape {source.shape}, expected a vector with elements")
    return source


@collective_over_copies
def convolve(a: Operand, v: Any, /, mode: str = "full") -> Any:
    """Give the convolution of a vector with a short one. Collective. Blocked.

    Args:
        a: Vector.
        v: Vector, not longer; every rank reads all of it.
        mode: "full", "same" or "valid", as in NumPy.

    >>> import atoll
    >>> atoll.convolve(atoll.arange(3), [1, 1])[...]
    array([0, 1, 3, 2])

    """
    return _convolved(a, v, mode, "convolve")


@collective_over_copies
def correlate(a: Operand, v: Any, /, mode: str = "valid") -> Any:
    """Give the correlation of a vector with a short one; arguments as `convolve`. Collective.

    >>> import atoll
    >>> atoll.correlate(atoll.arange(3), [0, 1])[...]
    array([1, 2])
    """
    return _convolved(a, v, mode, "correlate")


def _convolved(a: Any, v: Any, mode: Any, call: str) -> Any:
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}, expected one of {', '.join(_MODES)}")
    source = _vector(a, "a")
    given = _vector(v, "v")[...] if hasattr(v, "whole_group") or isinstance(v, ViewBase) else v
    short = np.asarray(given)
    if short.ndim != 1 or short.dtype.kind not in "biufc" or not 0 < len(short) <= source.size:
        raise ValueError(f"v is {shortly(v)}, expected a vector of 1 to {source.size} numbers")
    agree(source, call, mode, short)
    kernel = short if call == "convolve" else short.conj()[::-1]
    n, m = source.size, len(kernel)
    first, count = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[
        mode
    ]
    result = like(source, (count,), np.result_type(source.dtype, kernel.dtype))

    def values(key: Key) -> NDArray[Any]:
        begin, end = key[0].start + first - m + 1, key[0].stop + first
        part = source[max(0, begin) : min(n, end)]
        part = np.pad(part, (max(0, -begin), max(0, end - n)))
        return np.convolve(part, kernel, "valid")

    set_patches(result, values)
    return result


@collective_over_copies
def trapezoid(y: Operand, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Integrate along an axis by the trapezoidal rule; a number for vectors. Collective.

    Args:
        y: Values.
        x: Where: a vector, or of the shape of `y`; at distances of `dx` by default.
        dx: The distance.
        axis: The axis.

    >>> import atoll
    >>> float(atoll.trapezoid(atoll.arange(3.0)))
    2.0

    """
    source = whole_array(y, "y")
    along = one_axis(axis, source.ndim)
    agree(source, "trapezoid", along, dx, x)
    extent = source.shape[along]
    low = tuple(slice(0, extent - 1) if d == along else slice(None) for d in range(source.ndim))
    high = tuple(slice(1, None) if d == along else slice(None) for d in range(source.ndim))
    pairs = apply(np.add, (ViewBase(source, low), ViewBase(source, high)))
    widths: Any = dx
    if x is not None:
        points: Any = (
            np.asarray(x) if isinstance(x, (list, tuple, np.ndarray)) else whole_array(x, "x")
        )
        one = points.ndim == 1
        line = 0 if one else along
        spread = not isinstance(points, np.ndarray)
        if points.dtype.kind not in "iufc":
            raise TypeError(f"x is {shortly(x)}, expected numbers")
        widths = diff(points, 1, line) if spread else np.diff(np.asarray(points), 1, line)
        if one and source.ndim > 1:
            shape = [-1 if d == along else 1 for d in range(source.ndim)]
            widths = reshape(widths, shape) if spread else widths.reshape(shape)
    elif not isinstance(dx, (int, float, np.number)):
        raise TypeError(f"dx is {shortly(dx)}, expected a number")
    return sum_of(apply(np.multiply, (apply(np.multiply, (pairs, widths)), 0.5)), along)


@collective_over_copies
def gradient(f: Operand, spacing: float = 1.0, /, *, axis: int | None = None) -> Any:
    """Give differences of neighbours over their distance, central inside. Collective.

    Args:
        f: Array.
        spacing: The distance between neighbours.
        axis: The axis; by default all, with an array for each.

    >>> import atoll
    >>> atoll.gradient(atoll.from_numpy([0.0, 1.0, 4.0]))[...]
    array([1., 2., 3.])

    """
    source = whole_array(f, "f")
    if not isinstance(spacing, (int, float, np.number)):
        raise TypeError(f"spacing is {shortly(spacing)}, expected a number")
    axes = range(source.ndim) if axis is None else [one_axis(axis, source.ndim)]
    if any(source.shape[d] < 2 for d in axes):
        raise ValueError(f"f has shape {source.shape}, expected two elements or more along an axis")
    agree(source, "gradient", spacing, list(axes))
    found = [_slopes(source, spacing, d) for d in axes]
    return found[0] if len(found) == 1 else tuple(found)


def _slopes(source: Any, spacing: Any, axis: int) -> Any:
    result = like(source, source.shape, floating(source), source.layout)
    n = source.shape[axis]

    def values(key: Key) -> NDArray[Any]:
        low, high = max(0, key[axis].start - 1), min(n, key[axis].stop + 1)
        low, high = min(low, n - 2), max(high, 2)
        part = source[tuple(slice(low, high) if d == axis else k for d, k in enumerate(key))]
        slopes = np.gradient(part, spacing, axis=axis)
        inner = slice(key[axis].start - low, key[axis].stop - low)
        return slopes[tuple(inner if d == axis else slice(None) for d in range(source.ndim))]  # type: ignore[no-any-return]

    set_patches(result, values)
    return result


@collective_over_copies
def delete(arr: Operand, obj: Any, axis: int | None = None) -> Any:
    """Leave out the lines at an index, or at a slice with a step of one. Collective. Blocked.

    >>> import atoll
    >>> atoll.delete(atoll.arange(4), 1)[...]
    array([0, 2, 3])
    """
    source = whole_array(arr, "arr")
    if axis is None and source.ndim > 1:
        source = reshape(source, -1)
    along = one_axis(0 if axis is None else axis, source.ndim)
    extent = source.shape[along]
    if isinstance(obj, slice):
        start, stop, step = obj.indices(extent)
        if step != 1:
            raise ValueError(f"obj is {obj!r}, expected a step of one")
    elif isinstance(obj, (int, np.integer)) and not isinstance(obj, bool):
        if not -extent <= obj < extent:
            raise IndexError(f"obj is {obj}, out of bounds for axis {along} with size {extent}")
        start = int(obj) % extent
        stop = start + 1
    else:
        raise TypeError(f"obj is {shortly(obj)}, expected an integer or a slice")
    lead = (slice(None),) * along
    parts = [
        ViewBase(source, (*lead, k)) for k in (slice(0, start), slice(max(start, stop), extent))
    ]
    return concat(parts, along)


@collective_over_copies
def cov(m: Operand, *, rowvar: bool = True, bias: bool = False, ddof: int | None = None) -> Any:
    """Give the covariances of variables, a matrix; of one variable a number. Collective.

    Args:
        m: A variable a row, or a vector.
        rowvar: False: a variable a column.
        bias: Whether to divide by the count of observations, not by one less.
        ddof: What is taken off the count instead.

    >>> import atoll
    >>> float(atoll.cov(atoll.arange(3.0)))
    1.0

    """
    source = whole_array(m, "m")
    if not 1 <= source.ndim <= 2:
        raise ValueError(f"m has shape {source.shape}, expected one or two dimensions")
    in_rows, by_all = flag(rowvar, "rowvar"), flag(bias, "bias")
    along = source.ndim - 1 if in_rows or source.ndim == 1 else 0
    less = (0 if by_all else 1) if ddof is None else integer(ddof, "ddof")
    agree(source, "cov", along, less)
    count = source.shape[along] - less
    if count <= 0:
        warn("cov: no degrees of freedom")
        count = 0
    kind = np.result_type(source.dtype, np.float64)
    source = source if source.dtype == kind else astype(source, kind)
    centred = apply(np.subtract, (source, mean(source, along, keepdims=True)))
    if source.ndim == 1:
        total = sum_of(apply(np.multiply, (centred, apply(np.conjugate, (centred,)))))
        with np.errstate(all="ignore"):
            return np.true_divide(total, count)
    conjugated = 2 if kind.kind == "c" else 0
    pair = (0, 1 + conjugated) if along == 1 else (1, conjugated)
    sums = multiplied(*(ViewBase(centred, ..., form) for form in pair))
    matrix = apply(np.true_divide, (sums, count), (sums,))
    if matrix.shape != (1, 1):
        return matrix
    value = matrix[0, 0]
    matrix.group.sync()  # before anybody lets it go
    return value


@collective_over_copies
def corrcoef(m: Operand, *, rowvar: bool = True) -> Any:
    """Give the correlation coefficients of variables; see `cov`. Collective.

    >>> import atoll
    >>> atoll.corrcoef(atoll.from_numpy([[0.0, 1.0], [1.0, 0.0]]))[...]
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    matrix = cov(m, rowvar=rowvar)
    if not hasattr(matrix, "blocks"):
        return matrix / matrix
    widths = apply(np.sqrt, (diagonal(matrix),))
    n = widths.shape[0]
    by_rows = apply(np.true_divide, (matrix, reshape(widths, (n, 1))))
    return apply(np.true_divide, (by_rows, widths), (by_rows,))
