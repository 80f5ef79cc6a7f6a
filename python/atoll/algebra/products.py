"""Products of distributed matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from atoll import _core
from atoll.algebra.reductions import dot
from atoll.array.copies import astype, like

if TYPE_CHECKING:
    from atoll.algebra.elementwise import Operand

A = TypeVar("A", bound=_core.ArrayBase)


def new_result(a: Operand, b: Operand) -> _core.ArrayBase:
    """Give an array for a product of these factors; what it holds is undefined."""
    for x in (a, b):
        if len(x.shape) != 2:
            raise ValueError(f"a product takes matrices; this array has shape {x.shape}")
    left, right = (x.base if isinstance(x, _core.ViewBase) else x for x in (a, b))
    model = right if left.mirrored and not right.mirrored else left
    return like(model, (a.shape[0], b.shape[1]), model.dtype)


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
    out = new_result(left, right)
    _core.matmul(left, right, out, 1, 0)
    return cast("A", out)


def _matvec(a: _core.ViewBase, x: A) -> A:
    """Multiply a matrix by a vector: only vectors travel."""
    if len(a.shape) != 2:
        raise ValueError(f"a product takes matrices and vectors; this array has shape {a.shape}")
    y = like(a.base, (a.shape[0],), a.dtype)
    _core.matvec(a, x, y)
    return cast("A", y)
