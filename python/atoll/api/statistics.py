"""Means, variances and standard deviations; all collective. Results are cut as `reductions` says.

A block's part is its count, mean and sum of squared deviations: put together they lose nothing
where the mean is large.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective_among, warn
from atoll.api.along import Reduction
from atoll.api.arguments import held, some_axes
from atoll.api.reductions import or_of_number, ranks_of_reduction, reduced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Axes, Key
    from atoll.api.reductions import Axis


def _mean_type(dtype: np.dtype[Any], wanted: Any) -> np.dtype[Any]:
    if wanted is None:
        return dtype if dtype.kind in "fc" else np.dtype(np.float64)
    if (kind := held(wanted)).kind not in "fc":
        raise TypeError(f"dtype is {wanted}, expected floating point")
    return kind


def _computed(kind: np.dtype[Any]) -> np.dtype[Any]:
    """Give the type in which sums and counts are kept: those of float16 would soon be too large."""
    return np.dtype(np.float32) if kind == np.float16 else kind


def _warn_of_none(a: Operand, axis: Any, what: str) -> None:
    if math.prod(a.shape[d] for d in some_axes(axis, len(a.shape))) == 0:
        warn(f"{what} of no elements")


@or_of_number(np.mean)
@collective_among(ranks_of_reduction)
def mean(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
) -> Any:
    """Give the mean, of all elements or along axes; of integers as float64. Collective.

    Of none it is NaN, with a RuntimeWarning. Arguments are those of `sum`.

    >>> import atoll
    >>> a = atoll.from_numpy([[1.0, 2.0], [3.0, 6.0]])
    >>> float(a.mean()), a.mean(axis=0)[...]
    (3.0, array([2., 4.]))
    """
    kind = _mean_type(a.dtype, dtype)
    _warn_of_none(a, axis, "mean")
    if axis is None and dtype is None and out is None and keepdims is False:
        in_double = a.dtype.kind not in "fc" or a.dtype == np.float16
        total = _core.sum_in_double(a) if in_double else _core.sum(a)
        with np.errstate(all="ignore"):
            return kind.type(np.divide(total, math.prod(a.shape)))
    count = math.prod(a.shape[d] for d in some_axes(axis, len(a.shape)))
    wide = _computed(kind)

    def partial(block: NDArray[Any], _: Key, axes: Axes) -> tuple[Any]:
        return (np.add.reduce(block, axis=axes, dtype=wide, keepdims=True),)

    def combine(parts: NDArray[Any]) -> NDArray[Any]:
        with np.errstate(all="ignore"):
            return np.asarray(np.add.reduce(parts, axis=0) / wide.type(count)).astype(kind)

    return reduced(
        a, "mean", axis, keepdims, out, lambda _: Reduction(kind, (wide,), partial, combine)
    )


@or_of_number(np.var)
@collective_among(ranks_of_reduction)
def var(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """Give the variance, of all elements or along axes; of integers as float64. Collective.

    Args:
        a: Array or view.
        axis: One axis or several; all by default, which gives a number.
        dtype: Type in which it is computed.
        out: Array for the result.
        ddof: The sum of squared deviations is divided by the count less this.
        keepdims: Whether the axes stay, with an extent of one.
        correction: The array API's name of `ddof`.

    >>> import atoll
    >>> float(atoll.arange(5.0).var()), float(atoll.arange(5.0).var(ddof=1))
    (2.0, 2.5)

    """
    return _spread(a, "var", axis, dtype, out, _less(ddof, correction), keepdims)


@or_of_number(np.std)
@collective_among(ranks_of_reduction)
def std(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """Give the standard deviation, the root of `var`, whose arguments it takes. Collective."""
    return _spread(a, "std", axis, dtype, out, _less(ddof, correction), keepdims)


def _less(ddof: Any, correction: Any) -> float:
    name, value = ("ddof", ddof) if correction is None else ("correction", correction)
    if isinstance(value, (int, float, np.integer, np.floating)):
        if correction is not None and ddof != 0:
            raise ValueError(f"ddof is {ddof} and correction is {correction}, expected one of them")
        return float(value)
    raise TypeError(f"{name} is {value!r}, expected a number")


def _spread(
    a: Operand, name: str, axis: Any, dtype: Any, out: Any, less: float, keepdims: Any
) -> Any:
    given = _mean_type(a.dtype, dtype)
    real = given.type(0).real.dtype
    kind = _computed(given)
    _warn_of_none(a, axis, name)

    def partial(block: NDArray[Any], _: Key, axes: Axes) -> tuple[Any, ...]:
        count = math.prod(block.shape[d] for d in axes)
        with np.errstate(all="ignore"):
            middle = np.add.reduce(block, axis=axes, dtype=kind, keepdims=True) / kind.type(count)
            squares = np.square(np.abs(np.subtract(block, middle, dtype=kind)))
        return (
            np.full(middle.shape, count, np.float64),
            middle,
            np.add.reduce(squares, axis=axes, keepdims=True),
        )

    def combine(counts: NDArray[Any], means: NDArray[Any], squares: NDArray[Any]) -> NDArray[Any]:
        count = counts.sum(axis=0)
        with np.errstate(all="ignore"):
            middle = (counts * means).sum(axis=0) / count
            between = (counts * np.square(np.abs(means - middle))).sum(axis=0)
            result = (squares.sum(axis=0) + between) / np.maximum(count - less, 0)
            result = np.sqrt(result) if name == "std" else result
            return np.asarray(result).astype(real)

    parts = (np.dtype(np.float64), kind, _computed(real))
    return reduced(
        a, f"{name} {less}", axis, keepdims, out, lambda _: Reduction(real, parts, partial, combine)
    )
