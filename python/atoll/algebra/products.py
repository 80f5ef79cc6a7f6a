"""Products of distributed matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll._signatures import shortly
from atoll.algebra.reductions import sum_of_products
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


@collective_over_copies
def product(a: A, b: Any) -> A:
    """Give `a @ b`, as Python's operator and `numpy.matmul` have it; of two vectors a number."""
    for x in (a, b):
        if not isinstance(x, _core.ArrayBase):
            raise TypeError(
                f"a factor of @ is {shortly(x)}, expected an Atoll array; atoll.matmul takes views,"
                " atoll.from_numpy makes arrays"
            )
    kind = np.result_type(a.dtype, b.dtype)
    if kind.kind not in "fc":
        raise TypeError(f"products are of float32 to complex128, not {kind}; convert with astype")
    left, right = (x if x.dtype == kind else astype(x, kind) for x in (a, b))
    if left.ndim == 1 and right.ndim == 1:
        return cast("A", sum_of_products(left, right))
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


@collective_over_copies
def dot(a: Operand, b: Operand) -> Any:
    """Give the product as `numpy.dot` has it: of vectors a number, of matrices `a @ b`. Collective.

    The sum of products of all elements, of any shape, is `atoll.algebra.sum_of_products`.

    >>> import atoll
    >>> a = atoll.full((2, 2), 3.0)
    >>> a.dot(a)[...]
    array([[18., 18.],
           [18., 18.]])
    >>> v = atoll.arange(4.0)
    >>> float(v.dot(v))
    14.0
    """
    for name, x in (("a", a), ("b", b)):
        if not isinstance(x, (_core.ArrayBase, _core.ViewBase)):
            raise TypeError(f"dot: {name} is {shortly(x)}, expected an Atoll array or a view")
    if len(a.shape) == len(b.shape) == 1:
        return sum_of_products(a, b)
    if len(a.shape) > 2 or len(b.shape) > 2:
        raise ValueError(
            f"dot of shapes {a.shape} and {b.shape}: expected vectors and matrices; "
            "atoll.algebra.sum_of_products is for any"
        )
    if isinstance(a, _core.ArrayBase) and isinstance(b, _core.ArrayBase):
        return product(a, b)
    out = new_result(a, b)
    _core.matmul(a, b, out, 1, 0)
    return out
