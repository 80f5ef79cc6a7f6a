"""Histograms, counts and quantiles; collective.

Counts of a histogram are few, and NumPy arrays that every rank has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies
from atoll._signatures import shortly
from atoll.api.along import my_blocks
from atoll.api.arguments import agree, integer, one_axis, whole_array
from atoll.api.cuts import complete, set_patches
from atoll.api.elimination import floating
from atoll.api.operands import blockwise
from atoll.api.reductions import max as max_of
from atoll.api.reductions import min as min_of
from atoll.api.reductions import require_order
from atoll.api.reshaping import ravel
from atoll.api.sorting import sort
from atoll.array.copies import like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Key

_FEW = 1000


@collective_over_copies
def histogram(
    a: Operand,
    bins: Any = 10,
    range: tuple[float, float] | None = None,  # noqa: A002  # NumPy's name
    density: bool = False,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count elements in bins; gives counts and the bins' edges, on every rank. Collective.

    Args:
        a: Array or view.
        bins: How many of equal width, or their edges.
        range: From where to where, without edges; from the smallest element to the largest by
            default.
        density: Whether counts are divided by their sum and the widths.

    >>> import atoll
    >>> counts, edges = atoll.histogram(atoll.arange(5.0), bins=2)
    >>> counts, edges
    (array([2, 3]), array([0., 2., 4.]))

    """
    source = whole_array(a)
    require_order(source)
    ends = range
    if np.ndim(bins) == 0:
        if integer(bins, "bins") < 1:
            raise ValueError(f"bins is {bins!r}, expected one or more, or edges")
        if ends is None and source.size:
            ends = (float(min_of(source)), float(max_of(source)))
    edges = np.histogram_bin_edges(np.empty(0, source.dtype), bins, ends)
    agree(source, "histogram", edges, density)
    counts = np.zeros(len(edges) - 1, np.int64)
    given = int(bins) if np.ndim(bins) == 0 else edges  # equal widths are quick, and NumPy's
    for _, block in my_blocks(source):
        counts += np.histogram(block, given, ends)[0]
    if source.group.size > 1:
        counts = np.asarray(source.group.reduce(counts))
    if density:
        return counts / np.diff(edges) / counts.sum(), edges
    return counts, edges


@collective_over_copies
def bincount(x: Operand, /, weights: Any = None, minlength: int = 0) -> Any:
    """Count how often each number from 0 stands in a vector; blocked. Collective.

    Args:
        x: Vector of integers, none below zero.
        weights: Vector as long: their sums instead of counts.
        minlength: The least length of the result.

    >>> import atoll
    >>> atoll.bincount(atoll.from_numpy([2, 0, 2]))[...]
    array([1, 0, 2])

    """
    source = whole_array(x, "x")
    if source.ndim != 1 or source.dtype.kind not in "iu":
        raise TypeError(f"x is {shortly(x)}, expected a vector of integers")
    if integer(minlength, "minlength") < 0:
        raise ValueError(f"minlength is {minlength}, expected zero or more")
    if source.size and int(min_of(source)) < 0:
        raise ValueError(f"x is {shortly(x)}, with a number below zero")
    factors = weights if weights is None or hasattr(weights, "dtype") else np.asarray(weights)
    if factors is not None and tuple(factors.shape) != source.shape:
        raise ValueError(f"weights is {shortly(weights)}, expected {source.size} numbers")
    length = int(max_of(source)) + 1 if source.size else 0
    agree(source, "bincount", factors, minlength)
    kind = np.dtype(np.int64 if factors is None else np.float64)
    result = like(source, (max(length, minlength),), kind)
    result.fill(0)
    for key, block in my_blocks(source):
        part = None if factors is None else np.asarray(factors[key])
        low, high = (int(block.min()), int(block.max()) + 1) if block.size else (0, 0)
        if high - low <= _FEW + 4 * block.size:  # else most would stand there not once
            result.at[low:high].add(np.bincount(block - low, part).astype(kind, copy=False))
            continue
        numbers, inverse = np.unique(block, return_inverse=True)
        result.at[numbers].add(np.bincount(inverse, part).astype(kind))
    complete(result)
    return result


@collective_over_copies
def digitize(x: Operand, bins: Any, right: bool = False) -> Any:
    """Give the number of the bin of every element, with edges on every rank. Collective.

    >>> import atoll
    >>> atoll.digitize(atoll.arange(4.0), [1, 3])[...]
    array([0, 1, 1, 2])
    """
    edges = np.asarray(bins)
    if edges.dtype.kind not in "iuf" or edges.ndim != 1:
        raise TypeError(f"bins is {shortly(bins)}, expected a vector of numbers")
    return blockwise(
        "digitize",
        lambda part: np.digitize(part, edges, bool(right)),
        {"x": x},
        np.dtype(np.int64),
        edges,
        bool(right),
    )


@collective_over_copies
def interp(x: Operand, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """Interpolate linearly between points, which every rank has. Collective.

    >>> import atoll
    >>> atoll.interp(atoll.arange(3.0), [0, 2], [0, 4])[...]
    array([0., 2., 4.])
    """
    points, numbers = np.asarray(xp), np.asarray(fp)
    for name, value, given in (("xp", points, xp), ("fp", numbers, fp)):
        if value.dtype.kind not in "iufc" or value.ndim != 1 or len(value) != len(points):
            raise TypeError(f"{name} is {shortly(given)}, expected a vector as long as xp")
    return blockwise(
        "interp",
        lambda part: np.interp(part, points, numbers, left, right),
        {"x": x},
        np.result_type(numbers, np.float64),
        points,
        numbers,
        left,
        right,
    )


@collective_over_copies
def median(a: Operand, axis: int | None = None) -> Any:
    """Give the middle of the elements in order, of all or along an axis. Collective.

    >>> import atoll
    >>> float(atoll.median(atoll.from_numpy([3, 1, 10, 4])))
    3.5
    """
    return _quantiles(a, 0.5, axis)


@collective_over_copies
def quantile(a: Operand, q: float, axis: int | None = None) -> Any:
    """Give the number below which a share of the elements lie, as NumPy's "linear". Collective.

    Args:
        a: Array or view.
        q: The share, from 0 to 1.
        axis: None for all elements.

    >>> import atoll
    >>> float(atoll.quantile(atoll.arange(5), 0.25))
    1.0

    """
    return _quantiles(a, _share(q, "q", 1), axis)


@collective_over_copies
def percentile(a: Operand, q: float, axis: int | None = None) -> Any:
    """Give the `quantile` of a share in percent. Collective."""
    return _quantiles(a, _share(q, "q", 100), axis)


def _share(value: Any, name: str, whole: int) -> float:
    if not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {shortly(value)}, expected a number")
    if not 0 <= value <= whole:
        raise ValueError(f"{name} is {value}, expected 0 to {whole}")
    return float(value) / whole


def _quantiles(a: Any, share: float, axis: Any) -> Any:
    require_order(a)
    source = whole_array(a)
    along = None if axis is None else one_axis(axis, source.ndim)
    line = source if along is not None else source if source.ndim == 1 else ravel(source)
    at = 0 if along is None else along
    if line.shape[at] == 0:
        raise ValueError(f"axis is {axis}, along which there are no elements")
    place = share * (line.shape[at] - 1)
    low = int(np.floor(place))
    high, part = min(low + 1, line.shape[at] - 1), place - low
    ordered = sort(line, at)
    agree(line, "quantile", share)
    kind = floating(line)

    def between(key: tuple[Any, ...]) -> Any:
        def lines(number: int) -> Any:
            place = (*key[:at], number, *key[at:])
            return np.asarray(ordered[place], kind)

        first, second, last = lines(low), lines(high), lines(line.shape[at] - 1)
        with np.errstate(invalid="ignore"):
            found = first + (second - first) * kind.type(part)
            found = np.where((first == second) | (part == 0), first, found)
        return np.where(np.isnan(last), last, found)  # NaN is the last

    if line.ndim == 1:
        value = kind.type(between(()))
        line.group.sync()  # before anybody changes what others read
        return value
    shape = line.shape[:at] + line.shape[at + 1 :]
    result = like(line, shape, kind)

    def values(key: Key) -> NDArray[Any]:
        return np.asarray(between(key))

    set_patches(result, values)
    return result
