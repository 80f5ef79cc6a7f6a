"""Functions of every element: NumPy's ufuncs by their names, `where`, `clip`, `round`; collective.

Results are cut as the first array of their shape, else blocked. Operands broadcast; NumPy arrays
among them are the same on every rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies
from atoll._signatures import shortly
from atoll.algebra.ufuncs import apply
from atoll.api.arguments import agree, integer, require_output
from atoll.api.operands import all_numbers, bases, blockwise, described, require_operands, shape_of
from atoll.api.reductions import all as all_of
from atoll.api.reductions import any as any_of
from atoll.array.copies import copy_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from atoll.algebra.elementwise import Operand


@collective_over_copies
def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    """Choose elements of `x1` where a condition is true (not zero), else of `x2`. Collective.

    >>> import numpy as np
    >>> import atoll
    >>> atoll.where(np.array([True, False]), atoll.arange(2.0), -1)[...]
    array([ 0., -1.])
    """
    operands = {"condition": condition, "x1": x1, "x2": x2}
    kinds = [np.asarray(x) if isinstance(x, (list, tuple)) else x for x in (x1, x2)]
    require_operands({"condition": condition, "x1": kinds[0], "x2": kinds[1]})
    dtype = np.result_type(*map(described, kinds))
    for name, x in (("x1", x1), ("x2", x2)):
        if isinstance(x, int) and dtype.kind in "iu":
            limits = np.iinfo(dtype)
            if not limits.min <= x <= limits.max:  # which NumPy makes another number of
                raise OverflowError(f"{name} is {x}, out of bounds for {dtype}")
    return blockwise("where", np.where, operands, dtype)


@collective_over_copies
def clip(a: Operand, /, min: Any = None, max: Any = None, out: Any = None) -> Any:  # noqa: A002
    """Move elements below `min` to it and those above `max`. Collective.

    Args:
        a: Array or view.
        min: Number or array; None for no bound.
        max: Number or array; None for no bound.
        out: Array for the result.

    >>> import atoll
    >>> atoll.clip(atoll.arange(5), 1, 3)[...]
    array([1, 1, 2, 3, 3])

    """
    require_operands({"a": a})
    agree(a, "clip", min, max, out)  # which say how many steps there are
    if a.dtype.kind in "iu":  # what no element reaches is no bound
        info = np.iinfo(a.dtype)
        min = None if type(min) is int and min < info.min else min  # noqa: A001
        max = None if type(max) is int and max > info.max else max  # noqa: A001
    target = None if out is None else (out,)
    if max is None:
        return (
            apply(np.positive, (a,), target) if min is None else apply(np.maximum, (a, min), target)
        )
    below = a if min is None else apply(np.maximum, (a, min))
    return apply(np.minimum, (below, max), target)


@collective_over_copies
def round(a: Operand, /, decimals: int = 0, out: Any = None) -> Any:  # noqa: A001
    """Round to so many decimals, halves to even. Collective. Integers stay; of bool it is float16.

    >>> import atoll
    >>> atoll.round(atoll.full(2, 2.675), 1)[...]
    array([2.7, 2.7])
    """
    digits = integer(decimals, "decimals")
    require_operands({"a": a})
    dtype = np.dtype(np.float16) if a.dtype.kind == "b" else a.dtype
    if out is not None:
        require_output(out, bases([a])[0], tuple(a.shape), dtype)
    given = (digits, out)
    result = blockwise("round", lambda part: np.round(part, digits), {"a": a}, dtype, *given)
    if out is None:
        return result
    copy_from(out, result)
    return out


@collective_over_copies
def real(x: Operand, /) -> Any:
    """Give the real parts. Collective. A new array."""
    return _part_of_complex("real", np.real, x)


@collective_over_copies
def imag(x: Operand, /) -> Any:
    """Give the imaginary parts. Collective. A new array.

    >>> import atoll
    >>> atoll.imag(atoll.full(2, 1 + 2j))[...]
    array([2., 2.])
    """
    return _part_of_complex("imag", np.imag, x)


def _part_of_complex(name: str, function: Callable[..., Any], x: Any) -> Any:
    require_operands({"x": x})
    return blockwise(name, function, {"x": x}, function(np.empty(0, x.dtype)).dtype)


def _named(ufunc: np.ufunc) -> Callable[..., Any]:
    """Give a ufunc as a function that takes an Atoll array, or numbers, of which it is NumPy's."""
    names = ("x1", "x2") if ufunc.nin == 2 else ("x",)

    def function(*args: Any, out: Any = None, **options: Any) -> Any:
        if unknown := options.keys() - {"where", "dtype", "casting"}:
            raise TypeError(f"{ufunc.__name__} got unexpected {sorted(unknown)}")
        if not len(names) <= len(args) <= len(names) + 1:
            raise TypeError(f"{ufunc.__name__} takes ({', '.join(names)}, out), given {len(args)}")
        target = args[len(names)] if len(args) > len(names) else out
        operands = dict(zip(names, args, strict=False))
        kinds = {
            k: np.asarray(x) if isinstance(x, (list, tuple)) else x for k, x in operands.items()
        }
        if target is None and all_numbers(args):
            return ufunc(*args, **options)
        require_operands(kinds)
        given = None if target is None else target if isinstance(target, tuple) else (target,)
        return apply(ufunc, tuple(operands.values()), given, **options)

    return function


def _made(name: str) -> Callable[..., Any]:
    ufunc = getattr(np, _NUMPY_NAMES.get(name, name))
    function = _named(ufunc)
    takes = "x1, x2" if ufunc.nin == 2 else "x"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Give `numpy.{ufunc.__name__}({takes})` of every element, as a new array. Collective.\n\n"
        "Takes `out`, `where`, `dtype` and `casting` as NumPy does."
    )
    return collective_over_copies(function)


_NUMPY_NAMES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "pow": "power",
}
"""Names of the array API where NumPy, of all versions that Atoll takes, has another."""

NAMES = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "divide",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "greater",
    "greater_equal",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "reciprocal",
    "remainder",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
]
"""All that are ufuncs: functions of this module, made of them."""

FUNCTIONS: dict[str, Callable[..., Any]] = {name: _made(name) for name in NAMES}
globals().update(FUNCTIONS)
conj = FUNCTIONS["conj"]


@collective_over_copies
def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Tell of every element whether it is equal within tolerances, as `numpy.isclose`. Collective.

    >>> import atoll
    >>> atoll.isclose(atoll.arange(2.0), 1 + 1e-12)[...]
    array([False,  True])
    """
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not isinstance(value, (int, float, np.number)):
            raise TypeError(f"{name} is {shortly(value)}, expected a number")

    def close(x: Any, y: Any) -> Any:
        return np.isclose(x, y, rtol, atol, equal_nan)

    given = (rtol, atol, bool(equal_nan))
    return blockwise("isclose", close, {"a": a, "b": b}, np.dtype(np.bool_), *given)


@collective_over_copies
def allclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Tell whether all elements are equal within tolerances, as `numpy.allclose`. Collective.

    >>> import atoll
    >>> atoll.allclose(atoll.ones(3), 1 + 1e-12)
    True
    """
    return bool(all_of(isclose(a, b, rtol, atol, equal_nan)))


@collective_over_copies
def contains(a: Any, value: Any) -> bool:
    """Tell whether an element of an array equals a number. Collective."""
    operands = {"a": a, "value": value}
    return bool(any_of(blockwise("in", np.equal, operands, np.dtype(np.bool_))))


@collective_over_copies
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Tell whether two arrays have the same shape and elements. Collective.

    >>> import atoll
    >>> atoll.array_equal(atoll.ones(3), atoll.ones(3)), atoll.array_equal(atoll.ones(3), [1, 1])
    (True, False)
    """
    operands = {
        k: np.asarray(x) if isinstance(x, (list, tuple)) else x for k, x in (("a1", a1), ("a2", a2))
    }
    require_operands(operands)
    agree(bases(operands.values())[0], "array_equal", *operands.values())
    if shape_of(operands["a1"]) != shape_of(operands["a2"]):
        return False

    def equal(x: Any, y: Any) -> Any:
        same = np.equal(x, y)
        return same | (np.isnan(x) & np.isnan(y)) if equal_nan else same

    truth = np.dtype(np.bool_)
    return bool(all_of(blockwise("array_equal", equal, operands, truth, bool(equal_nan))))
