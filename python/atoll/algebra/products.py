"""Products of distributed matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

import numpy as np

from atoll import _core
from atoll.algebra.reductions import dot
from atoll.array.copies import astype, like

if TYPE_CHECKING:
    from atoll._array import Array
    from atoll.algebra.elementwise import Operand

    Out = TypeVar("Out", bound=Operand)

A = TypeVar("A", bound=_core.ArrayBase)


@overload
def matmul(a: Operand, b: Operand, out: None = None, *, alpha: Any = 1, beta: Any = 0) -> Array: ...


@overload
def matmul(a: Operand, b: Operand, out: Out, *, alpha: Any = 1, beta: Any = 0) -> Out: ...


def matmul(
    a: Operand, b: Operand, out: Operand | None = None, *, alpha: Any = 1, beta: Any = 0
) -> Operand:
    """Give `alpha * a @ b + beta * out`, as a new array or in `out`. Collective.

    Every rank multiplies the blocks that it owns of the result: factors in its node's memory where
    they lie, others fetched while it multiplies. Any distributions; `a` and `b` may be mirrored.

    Args:
        a: Matrix of float32, float64, complex64 or complex128, or a view of one with steps of one;
            a view enters as it says (`a.at[...].T`, `a.at[:n, k:].conj()`).
        b: The same, of the same type.
        out: Array or view where the result goes, and which is given back; not one of the factors.
            Its old contents do not count where `beta` is zero, and around a view they stay.
        alpha: Factor of the product.
        beta: Factor of what is in `out`.

    Raises:
        ValueError: Extents do not fit, arrays without two dimensions, or `out` is a factor.
        TypeError: Integers, or types that differ.

    >>> import atoll
    >>> a = atoll.full((2, 3), 2.0)
    >>> (a @ a.T)[...]
    array([[12., 12.],
           [12., 12.]])
    >>> atoll.matmul(a.at[...].T, a).shape
    (3, 3)

    """
    if out is None:
        if beta != 0:
            raise ValueError("beta is for a result given as out")
        out = new_result(a, b)
    _core.matmul(a, b, out, alpha, beta)
    return out


def new_result(a: Operand, b: Operand) -> Array:
    """Give an array for a product of these factors; what it holds is undefined."""
    for x in (a, b):
        if len(x.shape) != 2:
            raise ValueError(f"a product takes matrices; this array has shape {x.shape}")
    left, right = (x.base if isinstance(x, _core.ViewBase) else x for x in (a, b))
    model = right if left.mirrored and not right.mirrored else left
    return cast("Array", like(model, (a.shape[0], b.shape[1]), model.dtype))


def product(a: A, b: Any) -> A:
    """Give `a @ b`, as Python's operator and `numpy.matmul` have it; of two vectors a number."""
    if not isinstance(a, _core.ArrayBase) or not isinstance(b, _core.ArrayBase):
        return cast("A", NotImplemented)
    kind = np.result_type(a.dtype, b.dtype)
    if kind.kind not in "fc":
        raise TypeError(f"products are of float32 to complex128, not {kind}; convert with astype")
    left, right = (x if x.dtype == kind else astype(x, kind) for x in (a, b))
    if left.ndim == 1 and right.ndim == 1:
        return cast("A", dot(left, right))
    if left.ndim == 1:
        return cast("A", _matvec(_core.ViewBase(right, ..., 1), left))
    if right.ndim == 1:
        return cast("A", _matvec(_core.ViewBase(left, ...), right))
    return cast("A", matmul(left, right))


def _matvec(a: _core.ViewBase, x: A) -> A:
    """Multiply a matrix by a vector: only vectors travel."""
    if len(a.shape) != 2:
        raise ValueError(f"a product takes matrices and vectors; this array has shape {a.shape}")
    y = like(a.base, (a.shape[0],), a.dtype)
    _core.matvec(a, x, y)
    return cast("A", y)
