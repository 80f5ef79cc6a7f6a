"""The product of two matrices, as a new array or into what is given.

Apart from the operator's (`products`): its types name `Array`, which imports that module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll.algebra.products import multiplied, new_result

if TYPE_CHECKING:
    from atoll._array import Array
    from atoll.algebra.elementwise import Operand

    Out = TypeVar("Out", bound=Operand)


@overload
def matmul(a: Operand, b: Operand, out: None = None, *, alpha: Any = 1, beta: Any = 0) -> Array: ...


@overload
def matmul(a: Operand, b: Operand, out: Out, *, alpha: Any = 1, beta: Any = 0) -> Out: ...


@collective_over_copies
def matmul(
    a: Operand, b: Operand, out: Operand | None = None, *, alpha: Any = 1, beta: Any = 0
) -> Operand:
    """Give `alpha * a @ b + beta * out`, as a new array or in `out`. Collective.

    Every rank multiplies the blocks that it owns of the result: factors in its node's memory where
    they lie, others fetched while it multiplies. Any distributions; `a` and `b` may be mirrored.

    Args:
        a: Matrix of float32, float64, complex64 or complex128, or a view of one with steps of one;
            a view enters as it says (`a.at[...].T`, `a.at[:n, k:].conj()`). Without `out` also a
            vector, a stack of matrices, integers, or an array of NumPy, the same on every rank.
        b: The same, with `out` of the same type.
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
    if out is None and beta == 0 and not _of_core(a, b):
        result = multiplied(a, b)
        return cast("Array", result if isinstance(alpha, int) and alpha == 1 else alpha * result)
    if out is None:
        if beta != 0:
            raise ValueError("beta is for a result given as out")
        out = cast("Array", new_result(a, b))
    _core.matmul(a, b, out, alpha, beta)
    return out


def _of_core(a: Any, b: Any) -> bool:
    """Tell whether these are matrices that the core multiplies as they are."""
    for x in (a, b):
        if not isinstance(x, (_core.ArrayBase, _core.ViewBase)):
            return not isinstance(x, (np.ndarray, list))
    return len(a.shape) == len(b.shape) == 2 and a.dtype == b.dtype and a.dtype.kind in "fc"
