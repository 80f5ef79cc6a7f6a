"""Products of distributed matrices."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np

from atoll import _core
from atoll.algebra.reductions import dot
from atoll.array.copies import astype, like

A = TypeVar("A", bound=_core.ArrayBase)


def matmul(
    a: A,
    b: A,
    out: A | None = None,
    *,
    alpha: Any = 1,
    beta: Any = 0,
    a_form: str = "N",
    b_form: str = "N",
    a_patch: Any = None,
    b_patch: Any = None,
    patch: Any = None,
) -> A:
    """Give `alpha * op(a) @ op(b) + beta * out`, as a new array or in `out`. Collective.

    Every rank multiplies the blocks that it owns of the result: factors in its node's memory where
    they lie, others fetched while it multiplies. Any distributions; `a` and `b` may be mirrored.

    Args:
        a: Matrix of float32, float64, complex64 or complex128.
        b: Matrix of the same type.
        out: Where the result goes; not one of the factors. Its old contents do not count where
            `beta` is zero.
        alpha: Factor of the product.
        beta: Factor of what is in `out`.
        a_form: How `a` enters: "N" as it is, "T" transposed, "C" conjugated, "H" both.
        b_form: The same for `b`.
        a_patch: Slices of step one: the part of `a` that takes part.
        b_patch: The same for `b`.
        patch: The part of `out` that is written; the rest stays as it is.

    Raises:
        ValueError: Extents do not fit, arrays without two dimensions, or `out` is a factor.
        TypeError: Integers, or types that differ.

    >>> import atoll
    >>> a = atoll.full((2, 3), 2.0)
    >>> (a @ a.T)[...]
    array([[12., 12.],
           [12., 12.]])
    >>> atoll.matmul(a, a, a_form="T").shape
    (3, 3)

    """
    if out is None:
        if beta != 0 or patch is not None:
            raise ValueError("beta and patch are for a result given as out")
        out = new_result(a, b, a_form, b_form, a_patch, b_patch)
    _core.matmul(a, b, out, alpha, beta, a_form, b_form, a_patch, b_patch, patch)
    return out


def new_result(a: A, b: A, a_form: str, b_form: str, a_patch: Any, b_patch: Any) -> A:
    """Give an array for a product of these factors; what it holds is undefined."""
    for x in (a, b):
        if x.ndim != 2:
            raise ValueError(f"a product takes matrices; this array has shape {x.shape}")
    shape = (_extent(a, a_patch, a_form, 0), _extent(b, b_patch, b_form, 1))
    model = b if a.mirrored and not b.mirrored else a
    return like(model, shape, model.dtype)


def _extent(a: _core.ArrayBase, patch: Any, form: str, side: int) -> int:
    """Rows (side 0) or columns (side 1) of a factor as it enters the product."""
    shape = a.shape if patch is None else _core.patch_shape(a, patch)
    return int(shape[1 - side if form in ("T", "H") else side])


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
        return cast("A", _matvec(right, left, transposed=True))
    if right.ndim == 1:
        return cast("A", _matvec(left, right, transposed=False))
    return cast("A", matmul(left, right))


def _matvec(a: A, x: _core.ArrayBase, *, transposed: bool) -> A:
    """Multiply a matrix, or its transpose, by a vector: only vectors travel."""
    if a.ndim != 2:
        raise ValueError(f"a product takes matrices and vectors; this array has shape {a.shape}")
    y = like(a, (a.shape[1 if transposed else 0],), a.dtype)
    _core.matvec(a, x, y, transposed)
    return y
