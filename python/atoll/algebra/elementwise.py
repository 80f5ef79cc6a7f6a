"""Element-wise operations of the core on arrays and views of them; all collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective, group_of, leave, warn

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


def tell(met: int, operation: str, group: _core.Group) -> None:
    """Do what `numpy.errstate` asks for where numbers met their limits, on any rank.

    Collective: ranks that were asked to raise raise everywhere. The line of the program that called
    is the one that is warned of.
    """
    failure = None
    try:
        for bit, (kind, what) in enumerate(_LIMITS):
            if met >> bit & 1:
                _act(kind, what, operation)
    except Exception as error:  # also of a filter of warnings
        failure = error
    leave(group, failure)


def _act(kind: str, what: str, operation: str) -> None:
    text = f"{what} encountered in {operation}"
    action = np.geterr()[kind]  # type: ignore[literal-required]
    handler = np.geterrcall()
    if action == "raise":
        raise FloatingPointError(text)
    if action == "warn":
        warn(text)
    elif action == "print":
        print(f"Warning: {text}")
    elif action == "call" and callable(handler):
        handler(what, 1 << [limit for limit, _ in _LIMITS].index(kind))
    elif action == "log" and handler is not None and not callable(handler):
        handler.write(f"Warning: {text}\n")


@collective
def multiply(a: Operand, b: Operand, out: Operand) -> None:
    """Set `out` to `a * b`."""
    _core.multiply(a, b, out)


@collective
def divide(a: Operand, b: Operand, out: Operand) -> None:
    """Set `out` to `a / b`; of integers to the quotient without its fraction.

    An integer divided by zero gives zero, and a RuntimeWarning on all ranks, or what else
    `numpy.errstate` asks for, as in NumPy.
    """
    if met := _core.divide(a, b, out):
        tell(met, "divide", cast("_core.Group", group_of((out,))))


@collective
def minimum(a: Operand, b: Operand, out: Operand) -> None:
    """Set `out` to the smaller of `a` and `b`; NaN where one is NaN. Not for complex numbers."""
    _core.minimum(a, b, out)


@collective
def maximum(a: Operand, b: Operand, out: Operand) -> None:
    """Set `out` to the larger of `a` and `b`; NaN where one is NaN. Not for complex numbers."""
    _core.maximum(a, b, out)


@collective
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


@collective
def absolute(a: Operand, out: Operand) -> None:
    """Set `out` to the magnitudes of `a`; of complex numbers with imaginary parts of zero."""
    _core.absolute(a, out)


@collective
def reciprocal(a: Operand, out: Operand) -> None:
    """Set `out` to `1 / a`. Not for integers."""
    _core.reciprocal(a, out)


@collective
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


@collective
def scale(a: Operand, factor: Any) -> None:
    """Multiply all elements by a number, in place. Collective."""
    _core.scale(a, factor)


@collective
def add_constant(a: Operand, value: Any) -> None:
    """Add a number to all elements, in place. Collective.

    >>> import atoll
    >>> a = atoll.zeros(5)
    >>> a.at[1::2].add_constant(2.0)
    >>> a[...]
    array([0., 2., 0., 2., 0.])
    """
    _core.add_constant(a, value)


@collective
def add_scaled(out: Operand, alpha: Any, a: Operand, beta: Any, b: Operand) -> None:
    """Set this array, or view, to `alpha * a + beta * b`. Collective.

    May be one of the two itself; then it is the same part of it, or one that is apart.
    """
    _core.add(alpha, a, beta, b, out)
