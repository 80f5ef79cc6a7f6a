"""What the singular values tell: least squares, pseudo-inverse, rank; collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll._signatures import shortly
from atoll.algebra.products import factors, multiplied
from atoll.algebra.ufuncs import apply
from atoll.api.arguments import agree, whole_array
from atoll.api.elimination import floating
from atoll.api.reductions import sum as sum_of
from atoll.array.copies import astype, like, store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.algebra.elementwise import Operand


class LstsqResult(NamedTuple):
    """What `lstsq` gives."""

    x: Any
    residuals: Any
    rank: int
    s: Any


def _matrix(a: Any) -> Any:
    source = whole_array(a)
    if source.ndim != 2:
        raise ValueError(f"a has shape {source.shape}, expected a matrix")
    kind = floating(source)
    return source if source.dtype == kind else astype(source, kind)


def _tolerance(given: Any, name: str, a: Any) -> float:
    if given is None:
        return float(np.finfo(a.dtype).eps) * float(max(a.shape))
    if not isinstance(given, (int, float, np.number)):
        raise TypeError(f"{name} is {shortly(given)}, expected a number")
    return float(cast("Any", given))


def _decomposed(a: Any) -> tuple[Any, NDArray[Any], Any]:
    m, n = a.shape
    u, vh = like(a, (m, min(m, n)), a.dtype), like(a, (min(m, n), n), a.dtype)
    s = np.asarray(_core.svd(a, u, vh), a.dtype.type(0).real.dtype)
    return u, s, vh


def _adjoint(a: Any) -> Any:
    return _core.ViewBase(a, ..., 3 if a.dtype.kind == "c" else 1)


def _inverted(s: NDArray[Any], tolerance: float) -> tuple[NDArray[Any], int]:
    large = s > tolerance * s.max(initial=0)
    return np.divide(1, s, where=large, out=np.zeros_like(s)), int(large.sum())


def _scaled_rows(a: Any, factor: NDArray[Any]) -> Any:
    """Multiply the rows of a product by numbers that all ranks have, in place."""
    vector = like(a, factor.shape, a.dtype)
    store(vector, lambda key: factor[key])
    if a.ndim == 1:
        return apply(np.multiply, (a, vector), (a,))
    _core.scale_rows(a, vector)
    return a


@collective_over_copies
def lstsq(a: Operand, b: Any, rcond: float | None = None) -> LstsqResult:
    """Give the least-squares solution of `a @ x = b`, of least norm. Collective.

    By the singular value decomposition, as NumPy.

    Args:
        a: Matrix of m rows and n columns.
        b: Vector or matrix; also of NumPy.
        rcond: Singular values below this share of the largest are zero; the precision times the
            larger extent by default, the precision alone where it is below zero.

    Returns:
        The solution; the sums of squared residuals, none where `a` has not full rank or m <= n;
        the rank; the singular values, on every rank.

    >>> import atoll
    >>> a = atoll.from_numpy([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> x = atoll.linalg.lstsq(a, [1.0, 3.0, 5.0]).x
    >>> [round(float(c), 9) for c in x]
    [1.0, 2.0]

    """
    left, right = factors(_matrix(a), b)
    left = _matrix(left)
    right = right if right.dtype == left.dtype else astype(whole_array(right), left.dtype)
    if len(right.shape) > 2 or right.shape[0] != left.shape[0]:
        raise ValueError(f"b has shape {tuple(right.shape)}, and a {left.shape}")
    tolerance = _tolerance(rcond, "rcond", left)
    if tolerance < 0:  # as LAPACK has it
        tolerance = float(np.finfo(left.dtype).eps)
    agree(left, "lstsq", tolerance)
    u, s, vh = _decomposed(left)
    inverse, rank = _inverted(s, tolerance)
    x = multiplied(_adjoint(vh), _scaled_rows(multiplied(_adjoint(u), right), inverse))
    if rank < left.shape[1] or left.shape[0] <= left.shape[1]:
        return LstsqResult(x, like(left, (0,), inverse.dtype), rank, s)
    distance = apply(np.abs, (apply(np.subtract, (multiplied(left, x), right)),))
    squares = apply(np.square, (distance,))
    return LstsqResult(x, sum_of(squares, 0, keepdims=squares.ndim == 1), rank, s)


@collective_over_copies
def pinv(a: Operand, rcond: float | None = None, *, rtol: float | None = None) -> Any:
    """Give the pseudo-inverse of a matrix. Collective.

    Args:
        a: Matrix.
        rcond: Singular values below this share of the largest are zero; the precision times the
            larger extent by default.
        rtol: The array API's name of `rcond`.

    >>> import atoll
    >>> atoll.linalg.pinv(atoll.from_numpy([[2.0], [0.0]])).shape
    (1, 2)

    """
    source = _matrix(a)
    name, given = ("rtol", rtol) if rcond is None else ("rcond", rcond)
    tolerance = _tolerance(given, name, source)
    agree(source, "pinv", tolerance)
    u, s, vh = _decomposed(source)
    inverse, _ = _inverted(s, tolerance)
    return multiplied(_adjoint(_scaled_rows(vh, inverse)), _adjoint(u))


@collective_over_copies
def matrix_rank(a: Operand, tol: float | None = None, *, rtol: float | None = None) -> int:
    """Give the rank of a matrix: the number of singular values above a tolerance. Collective.

    Args:
        a: Matrix.
        tol: The least singular value that counts.
        rtol: The same as a share of the largest.

    >>> import atoll
    >>> atoll.linalg.matrix_rank(atoll.ones((3, 2)))
    1

    """
    source = _matrix(a)
    share = _tolerance(rtol, "rtol", source)
    least = None if tol is None else _tolerance(tol, "tol", source)
    agree(source, "matrix_rank", share, least)
    if source.size == 0:
        return 0
    s = np.asarray(_core.svd(source, None, None))
    return int((s > (share * s.max() if least is None else least)).sum())
