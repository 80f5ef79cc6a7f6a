"""Element-wise operations of the core on arrays and views of them; all collective."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from typing import TypeAlias

    Operand: TypeAlias = _core.ArrayBase | _core.ViewBase


# What the core tells of numbers by bits, as `numpy.errstate` and NumPy's warnings name it.
_LIMITS = (
    ("divide", "divide by zero"),
    ("over", "overflow"),
    ("under", "underflow"),
    ("invalid", "invalid value"),
)


def tell(met: int, operation: str, level: int = 3) -> None:
    """Do what `numpy.errstate` asks for where numbers met their limits: warn, raise or nothing.

    The caller so many levels up is the one who is warned.
    """
    for bit, (kind, what) in enumerate(_LIMITS):
        action = np.geterr()[kind] if met >> bit & 1 else "ignore"  # type: ignore[literal-required]
        if action == "raise":
            raise FloatingPointError(f"{what} encountered in {operation}")
        if action != "ignore":
            warnings.warn(f"{what} encountered in {operation}", RuntimeWarning, stacklevel=level)


def multiply(a: Operand, b: Operand, out: Operand) -> None:
    """Set `out` to `a * b`."""
    _core.multiply(a, b, out)


def divide(a: Operand, b: Operand, out: Operand) -> None:
    """Set `out` to `a / b`; of integers to the quotient without its fraction.

    An integer divided by zero gives zero, and a RuntimeWarning on all ranks, or what else
    `numpy.errstate` asks for, as in NumPy.
    """
    tell(_core.divide(a, b, out), "divide")


def minimum(a: Operand, b: Operand, out: Operand) -> None:
    """Set `out` to the smaller of `a` and `b`; NaN where one is NaN. Not for complex numbers."""
    _core.minimum(a, b, out)


def maximum(a: Operand, b: Operand, out: Operand) -> None:
    """Set `out` to the larger of `a` and `b`; NaN where one is NaN. Not for complex numbers."""
    _core.maximum(a, b, out)


def median(a: Operand, b: Operand, c: Operand, out: Operand) -> None:
    """Set `out`, element by element, to the one of `a`, `b` and `c` that lies between the others.

    So `c` is clipped to lie from `a` to `b`. (Not `numpy.median`, which is of one array.)

    >>> import atoll
    >>> x = atoll.arange(5)
    >>> median(atoll.full(5, 1), atoll.full(5, 3), x, x)
    >>> x[...]
    array([1, 1, 2, 3, 3])
    """
    _core.median(a, b, c, out)


def absolute(a: Operand, out: Operand) -> None:
    """Set `out` to the magnitudes of `a`; of complex numbers with imaginary parts of zero."""
    _core.absolute(a, out)


def reciprocal(a: Operand, out: Operand) -> None:
    """Set `out` to `1 / a`. Not for integers."""
    _core.reciprocal(a, out)


def fill(a: Operand, value: Any) -> None:
    """Set all elements to a number. Collective.

    >>> import atoll
    >>> a = atoll.empty((2, 3))
    >>> a.fill(1.0)
    >>> a.at[1, :2].fill(7.0)
    >>> a[1]
    array([7., 7., 1.])
    """
    _core.fill(a, value)


def scale(a: Operand, factor: Any) -> None:
    """Multiply all elements by a number, in place. Collective."""
    _core.scale(a, factor)


def add_constant(a: Operand, value: Any) -> None:
    """Add a number to all elements, in place. Collective.

    >>> import atoll
    >>> a = atoll.zeros(5)
    >>> a.at[1::2].add_constant(2.0)
    >>> a[...]
    array([0., 2., 0., 2., 0.])
    """
    _core.add_constant(a, value)


def add_scaled(out: Operand, alpha: Any, a: Operand, beta: Any, b: Operand) -> None:
    """Set this array, or view, to `alpha * a + beta * b`. Collective.

    May be one of the two itself; then it is the same part of it, or one that is apart.
    """
    _core.add(alpha, a, beta, b, out)
