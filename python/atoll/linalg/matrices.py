"""Norms, diagonals and scaled rows of distributed matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll.algebra.reductions import as_total
from atoll.array.copies import like, transposed

if TYPE_CHECKING:
    from atoll._array import Array


def norm(x: Array, ord: float | str | None = None) -> float:  # noqa: A002  # NumPy's name
    """Give a norm of a vector or matrix, as `numpy.linalg.norm` does.

    Args:
        x: Array; with `ord`, of one or two dimensions.
        ord: None for the root of the sum of squares of all elements. Of a matrix "fro" (the same),
            1 (the largest sum of magnitudes of a column) or `numpy.inf` (of a row); of a vector 2,
            1 (the sum of magnitudes) or `numpy.inf` (the largest).

    Raises:
        ValueError: Another `ord`, or other dimensions.

    """
    if ord is None or (x.ndim == 2 and ord == "fro") or (x.ndim == 1 and ord == 2):
        return _core.norm(x, "two")
    if ord not in (1, np.inf) or x.ndim not in (1, 2):
        raise ValueError(
            f"norm of an array of {x.ndim} dimensions with ord={ord!r}: expected None, 1 or inf, "
            "of a matrix also 'fro', of a vector also 2"
        )
    if x.ndim == 1:
        return _core.norm(x, "one" if ord == 1 else "infinity")
    return _core.matrix_norm(x, ord == np.inf)


def trace(x: Array) -> Any:
    """Give the sum of the diagonal, with the type of `x`; of integers an int64.

    >>> import atoll
    >>> float(atoll.linalg.trace(atoll.eye(3)))
    3.0
    """
    return as_total(x, _core.trace(x))


def diagonal(x: Array) -> Array:
    """Give a new vector with the diagonal of a matrix.

    >>> import atoll
    >>> atoll.linalg.diagonal(atoll.ones((2, 3)))[...]
    array([1., 1.])
    """
    _require_matrix(x)
    v = like(x, (min(x.shape),), x.dtype)
    _core.get_diagonal(x, v)
    return v


def matrix_transpose(x: Array) -> Array:
    """Give a new matrix, the transpose (without conjugation)."""
    _require_matrix(x)
    return transposed(x)


def symmetrize(a: Array) -> None:
    """Replace a square matrix by half the sum of it and its transpose.

    Raises:
        ValueError: Not a square matrix.
        TypeError: Integers.

    """
    _core.symmetrize(a)


def scale_rows(a: Array, v: Array) -> None:
    """Multiply row `i` of a matrix by `v[i]`."""
    _core.scale_rows(a, v)


def scale_columns(a: Array, v: Array) -> None:
    """Multiply column `j` of a matrix by `v[j]`."""
    _core.scale_columns(a, v)


def set_diagonal(a: Array, v: Array | complex) -> None:
    """Set the diagonal to a vector, as long as the shorter side, or to one number."""
    if isinstance(v, _core.ArrayBase):
        _core.set_diagonal(a, v)
    else:
        _core.fill_diagonal(a, v)


def add_diagonal(a: Array, v: Array | complex) -> None:
    """Add a vector, as long as the shorter side, or one number to the diagonal.

    >>> import atoll
    >>> a = atoll.zeros((2, 2))
    >>> atoll.linalg.add_diagonal(a, 3.0)
    >>> a[...]
    array([[3., 0.],
           [0., 3.]])
    """
    if isinstance(v, _core.ArrayBase):
        _core.add_diagonal(a, v)
    else:
        _core.shift_diagonal(a, v)


def _require_matrix(x: Array) -> None:
    if x.ndim != 2:
        raise ValueError(f"a matrix has two dimensions; this array has shape {x.shape}")
