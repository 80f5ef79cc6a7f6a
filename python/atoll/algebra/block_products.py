"""Products of matrices of which most blocks do not count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll.algebra.products import new_result

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from atoll._array import Array
    from atoll.algebra.elementwise import Operand


class BlockCount(NamedTuple):
    """What a block-sparse product did, summed over all ranks.

    Attributes:
        pairs: Pairs of blocks, empty ones left out.
        multiplied: How many of them counted.
        fetched_bytes: What was copied of the factors; blocks used where they lie are not.

    """

    pairs: int
    multiplied: int
    fetched_bytes: int


@collective_over_copies
def block_matmul(
    a: Operand,
    b: Operand,
    rows: ArrayLike,
    columns: ArrayLike,
    inner: ArrayLike,
    out: Array | None = None,
    *,
    threshold: float = 0.0,
    keep: ArrayLike | None = None,
    alpha: Any = 1,
    beta: Any = 0,
) -> tuple[Array, BlockCount]:
    """Give `alpha * a @ b + beta * out` of the pairs of blocks that count. Collective.

    The factors are seen as grids of blocks. A pair of blocks counts unless the product of their
    Frobenius norms is `threshold` or less; others are neither fetched nor multiplied. The result
    comes with a `BlockCount`.

    Args:
        a: As for `matmul`, like all that is not explained here.
        b: As for `matmul`.
        rows: Where blocks begin in the rows of `a`: 0 first, ascending.
        columns: The same in the columns of `b`.
        inner: The same in the columns of `a`, which are the rows of `b`.
        out: A whole array where the result goes; none: a new one.
        threshold: With 0, only pairs with a block of zeros do not count.
        keep: Booleans over row, column and inner blocks, alike on all ranks: which pairs count,
            instead of `threshold`.
        alpha: As for `matmul`.
        beta: As for `matmul`.

    Raises:
        ValueError: What `matmul` raises it for, blocks that do not fit, or a negative threshold.
        TypeError: Integers, types that differ, or blocks that begin at fractions.

    >>> import atoll
    >>> a = atoll.eye(6)
    >>> cuts = [0, 2, 4]
    >>> c, count = atoll.block_matmul(a, a, cuts, cuts, cuts)
    >>> float(atoll.linalg.trace(c)), count.multiplied, count.pairs
    (6.0, 3, 27)

    """
    if out is None:
        if beta != 0:
            raise ValueError("beta is for a result given as out")
        out = cast("Array", new_result(a, b))
    pairs, multiplied, fetched_bytes = _core.block_matmul(
        a,
        b,
        out,
        alpha,
        beta,
        _cuts(rows, "rows"),
        _cuts(columns, "columns"),
        _cuts(inner, "inner"),
        threshold,
        None if keep is None else np.ascontiguousarray(keep, dtype=np.bool_),
    )
    return out, BlockCount(pairs, multiplied, fetched_bytes)


@collective_over_copies
def block_norms(a: Operand, rows: ArrayLike, columns: ArrayLike) -> NDArray[np.float64]:
    """Give the Frobenius norms of a matrix's blocks, on every rank. Collective.

    Args:
        a: Matrix or view, as `matmul` takes it.
        rows: Where blocks begin in its rows: 0 first, ascending.
        columns: The same in its columns.

    Raises:
        ValueError: Blocks that do not fit, or an array without two dimensions.

    >>> import atoll
    >>> atoll.block_norms(atoll.full((5, 4), 2.0), [0, 4], [0, 1])
    array([[4.        , 6.92820323],
           [2.        , 3.46410162]])

    """
    return _core.block_norms(a, _cuts(rows, "rows"), _cuts(columns, "columns"))


def _cuts(given: ArrayLike, name: str) -> NDArray[np.int64]:
    """Give the beginnings of blocks as the library takes them."""
    cuts = np.asarray(given)
    if cuts.ndim != 1:
        raise ValueError(f"{name} has {cuts.ndim} dimensions, expected one: {given!r}")
    if cuts.size > 0 and cuts.dtype.kind not in "iu":
        raise TypeError(f"{name} holds {cuts.dtype}, expected integers: {given!r}")
    return np.ascontiguousarray(cuts, dtype=np.int64)
