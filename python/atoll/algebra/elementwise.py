"""Element-wise operations of the core on arrays and patches of them; all collective."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core

if TYPE_CHECKING:
    from atoll._core import ArrayBase


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


def multiply(
    a: ArrayBase,
    b: ArrayBase,
    out: ArrayBase,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out` to `a * b`."""
    _core.multiply(a, b, out, a_patch, b_patch, patch)


def divide(
    a: ArrayBase,
    b: ArrayBase,
    out: ArrayBase,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out` to `a / b`; of integers to the quotient without its fraction.

    An integer divided by zero gives zero, and a RuntimeWarning on all ranks, or what else
    `numpy.errstate` asks for, as in NumPy.
    """
    tell(_core.divide(a, b, out, a_patch, b_patch, patch), "divide")


def minimum(
    a: ArrayBase,
    b: ArrayBase,
    out: ArrayBase,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out` to the smaller of `a` and `b`; NaN where one is NaN. Not for complex numbers."""
    _core.minimum(a, b, out, a_patch, b_patch, patch)


def maximum(
    a: ArrayBase,
    b: ArrayBase,
    out: ArrayBase,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out` to the larger of `a` and `b`; NaN where one is NaN. Not for complex numbers."""
    _core.maximum(a, b, out, a_patch, b_patch, patch)


def median(
    a: ArrayBase,
    b: ArrayBase,
    c: ArrayBase,
    out: ArrayBase,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    c_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set `out`, element by element, to the one of `a`, `b` and `c` that lies between the others.

    So `c` is clipped to lie from `a` to `b`. (Not `numpy.median`, which is of one array.)

    >>> import atoll
    >>> x = atoll.arange(5)
    >>> median(atoll.full(5, 1), atoll.full(5, 3), x, x)
    >>> x[...]
    array([1, 1, 2, 3, 3])
    """
    _core.median(a, b, c, out, a_patch, b_patch, c_patch, patch)


def absolute(a: ArrayBase, out: ArrayBase, *, a_patch: Any = None, patch: Any = None) -> None:
    """Set `out` to the magnitudes of `a`; of complex numbers with imaginary parts of zero."""
    _core.absolute(a, out, a_patch, patch)


def reciprocal(a: ArrayBase, out: ArrayBase, *, a_patch: Any = None, patch: Any = None) -> None:
    """Set `out` to `1 / a`. Not for integers."""
    _core.reciprocal(a, out, a_patch, patch)


def fill(a: ArrayBase, value: Any, patch: Any = None) -> None:
    """Set all elements, or those of `patch` (slices of step one), to `value`. Collective.

    >>> import numpy as np
    >>> import atoll
    >>> a = atoll.empty((2, 3))
    >>> a.fill(1.0)
    >>> a.fill(7.0, patch=np.s_[1, :2])
    >>> a[1]
    array([7., 7., 1.])
    """
    _core.fill(a, value, patch)


def scale(a: ArrayBase, factor: Any, patch: Any = None) -> None:
    """Multiply all elements, or those of `patch`, by a number, in place. Collective."""
    _core.scale(a, factor, patch)


def add_constant(a: ArrayBase, value: Any, patch: Any = None) -> None:
    """Add a number to all elements, or to those of `patch`, in place. Collective.

    >>> import numpy as np
    >>> import atoll
    >>> a = atoll.zeros(5)
    >>> a.add_constant(2.0, patch=np.s_[1::2])
    >>> a[...]
    array([0., 2., 0., 2., 0.])
    """
    _core.add_constant(a, value, patch)


def add_scaled(
    out: ArrayBase,
    alpha: Any,
    a: ArrayBase,
    beta: Any,
    b: ArrayBase,
    *,
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> None:
    """Set this array, or `patch` of it, to `alpha * a + beta * b`. Collective.

    May be one of the two itself; then the patches are the same or have nothing in common.
    """
    _core.add(alpha, a, beta, b, out, a_patch, b_patch, patch)
