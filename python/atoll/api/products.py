"""Products of arrays along axes: outer, inner, cross and their like; collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll._signatures import shortly
from atoll.algebra.products import dot as dot_of
from atoll.algebra.products import factors, multiplied
from atoll.algebra.ufuncs import apply
from atoll.api.arguments import agree, integer, one_axis, whole_array
from atoll.api.cuts import set_patches, whole_along
from atoll.api.reductions import sum as sum_of
from atoll.api.repeating import read_lines
from atoll.api.reshaping import ravel, reshape
from atoll.array.copies import like
from atoll.tensor.contraction import einsum as contract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.api.arguments import Key

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _pair(x1: Any, x2: Any) -> tuple[Any, Any]:
    return tuple(map(whole_array, factors(x1, x2)))


@collective_over_copies
def dot(a: Any, b: Any) -> Any:
    """Give the product as `numpy.dot` has it: of vectors a number, of matrices `a @ b`. Collective.

    >>> import atoll
    >>> float(atoll.dot(atoll.arange(3.0), [1, 1, 1]))
    3.0
    """
    left, right = factors(a, b)
    return dot_of(left, right)


@collective_over_copies
def outer(x1: Any, x2: Any, /) -> Any:
    """Give the products of all elements of one with all of the other, a matrix. Collective.

    >>> import atoll
    >>> atoll.outer(atoll.arange(2), [1, 2])[...]
    array([[0, 0],
           [1, 2]])
    """
    left, right = _pair(x1, x2)
    column = reshape(left, (left.size, 1))
    return apply(np.multiply, (column, right if right.ndim == 1 else ravel(right)))


@collective_over_copies
def vecdot(x1: Any, x2: Any, /, axis: int = -1) -> Any:
    """Give the sums of `conj(x1) * x2` along an axis; of vectors a number. Collective.

    >>> import atoll
    >>> atoll.vecdot(atoll.ones((2, 3)), atoll.arange(3.0))[...]
    array([3., 3.])
    """
    left, right = _pair(x1, x2)
    number = integer(axis, "axis")
    low = min(left.ndim, right.ndim)
    if not -low <= number < (0 if left.ndim != right.ndim else low):
        raise np.exceptions.AxisError(f"axis {axis} is out of bounds for {low} dimensions")
    if left.shape[number] != right.shape[number]:
        raise ValueError(f"axis is {axis}, which differs: {left.shape} and {right.shape}")
    left = apply(np.conjugate, (left,)) if left.dtype.kind == "c" else left
    number -= left.ndim if number >= 0 else 0
    return sum_of(apply(np.multiply, (left, right)), number, dtype=left.dtype)


@collective_over_copies
def vdot(a: Any, b: Any, /) -> Any:
    """Give the sum of `conj(a) * b` over all elements. Collective.

    >>> import atoll
    >>> complex(atoll.vdot(atoll.full(2, 1j), atoll.full(2, 1j)))
    (2+0j)
    """
    left, right = _pair(a, b)
    if left.size != right.size:
        raise ValueError(f"a and b have shapes {left.shape} and {right.shape}, of other sizes")
    if left.shape == right.shape and left.dtype == right.dtype and left.dtype.kind == "f":
        return left.dtype.type(_core.dot(left, right))
    return vecdot(*(x if x.ndim == 1 else ravel(x) for x in (left, right)))


@collective_over_copies
def inner(a: Any, b: Any, /) -> Any:
    """Give the sums of products along the last axes. Collective.

    >>> import atoll
    >>> float(atoll.inner(atoll.arange(3.0), atoll.ones(3)))
    3.0
    """
    return tensordot(a, b, axes=([-1], [-1]))


@collective_over_copies
def tensordot(x1: Any, x2: Any, /, axes: int | Sequence[Any] = 2) -> Any:
    """Give the sums of products along some axes of each; a number where none is left. Collective.

    Args:
        x1: Array.
        x2: Array; one of the two may be a NumPy array.
        axes: How many: the last of `x1` with the first of `x2`; or which of each, in two lists.

    >>> import atoll
    >>> atoll.tensordot(atoll.ones((2, 3)), atoll.ones((3, 4)), axes=1).shape
    (2, 4)

    """
    left, right = _pair(x1, x2)
    ones, others = _contracted_axes(axes, left.ndim, right.ndim)
    if [left.shape[d] for d in ones] != [right.shape[d] for d in others]:
        raise ValueError(f"axes is {axes!r}: x1 and x2 have shapes {left.shape} and {right.shape}")
    mine = list(_LETTERS[: left.ndim])
    theirs = list(_LETTERS[left.ndim : left.ndim + right.ndim])
    for one, other in zip(ones, others, strict=True):
        theirs[other] = mine[one]
    kept = [letter for d, letter in enumerate(mine) if d not in ones]
    kept += [letter for d, letter in enumerate(theirs) if d not in others]
    return contract(f"{''.join(mine)},{''.join(theirs)}->{''.join(kept)}", left, right)


def _contracted_axes(axes: Any, left: int, right: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, (int, np.integer)):
        if not 0 <= axes <= min(left, right):
            raise ValueError(f"axes is {axes}, expected 0 to {min(left, right)}")
        return list(range(left - axes, left)), list(range(axes))
    try:
        first, second = (x if isinstance(x, (list, tuple)) else [x] for x in axes)
    except (TypeError, ValueError):
        raise TypeError(f"axes is {axes!r}, expected a number or two lists of axes") from None
    if len(first) != len(second):
        raise ValueError(f"axes is {axes!r}, expected as many of each")
    return (
        [one_axis(d, left, "axes") for d in first],
        [one_axis(d, right, "axes") for d in second],
    )


@collective_over_copies
def einsum(subscripts: str, /, *operands: Any) -> Any:
    """Give sums of products by letters of axes, as `atoll.tensor.einsum`. Collective.

    Operands may be of several types, and NumPy arrays. Without "->" the letters that stand once
    are the result's, in order.

    >>> import atoll
    >>> atoll.einsum("ij,j", atoll.ones((2, 3)), [1, 2, 3])[...]
    array([6., 6.])
    """
    if not isinstance(subscripts, str):
        raise TypeError(f"subscripts is {shortly(subscripts)}, expected words of letters")
    text = subscripts.replace(" ", "")
    if "->" not in text:
        letters = text.replace(",", "")
        text += "->" + "".join(sorted(x for x in set(letters) if letters.count(x) == 1))
    arrays = [np.asarray(x) if isinstance(x, list) else x for x in operands]
    spread = next((x for x in arrays if not isinstance(x, np.ndarray)), None)
    if spread is None:
        raise TypeError(f"operands are {shortly(operands)}, expected an Atoll array among them")
    own = whole_array(spread, "operand")
    kind = np.result_type(*(x.dtype for x in arrays))
    typed = like(own, (0,), kind)  # what all operands become: of its type
    given = [factors(x, typed)[0] for x in arrays]
    return contract(text, *map(whole_array, given))


@collective_over_copies
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Give the cross products of vectors of three along an axis. Collective.

    >>> import atoll
    >>> atoll.cross(atoll.from_numpy([1, 0, 0]), [0, 1, 0])[...]
    array([0, 0, 1])
    """
    left, right = _pair(x1, x2)
    along = one_axis(axis, left.ndim)
    if left.shape != right.shape or left.shape[along] != 3:
        raise ValueError(
            f"x1 and x2 have shapes {left.shape} and {right.shape}, expected one, of three along "
            f"axis {axis}"
        )
    agree(left, "cross", along)
    result = like(left, left.shape, left.dtype, whole_along(left.shape, (along,)))

    def values(key: Key) -> NDArray[Any]:
        whole = tuple(slice(0, 3) if d == along else k for d, k in enumerate(key))
        products: NDArray[Any] = np.cross(left[whole], right[whole], axis=along)
        return products[tuple(k if d == along else slice(None) for d, k in enumerate(key))]

    set_patches(result, values)
    return result


@collective_over_copies
def kron(a: Any, b: Any, /) -> Any:
    """Give the Kronecker product: each element of `a` times all of `b`. Collective.

    >>> import atoll
    >>> atoll.kron(atoll.eye(2), [[1, 2]])[...]
    array([[1., 2., 0., 0.],
           [0., 0., 1., 2.]])
    """
    left, right = _pair(a, b)
    ndim = max(left.ndim, right.ndim)
    left, right = (
        x if x.ndim == ndim else reshape(x, (1,) * (ndim - x.ndim) + x.shape) for x in (left, right)
    )
    agree(left, "kron", right)
    shape = tuple(m * n for m, n in zip(left.shape, right.shape, strict=True))
    result = like(left, shape, left.dtype)

    def values(key: Key) -> NDArray[Any]:
        at = [np.arange(k.start, k.stop) for k in key]
        outer_lines = {d: lines // right.shape[d] for d, lines in enumerate(at)}
        inner_lines = {d: lines % right.shape[d] for d, lines in enumerate(at)}
        factor, block = read_lines(left, key, outer_lines), read_lines(right, key, inner_lines)
        return np.asarray(factor * block)

    set_patches(result, values)
    return result


@collective_over_copies
def matrix_power(x: Any, n: int, /) -> Any:
    """Multiply a square matrix by itself, `n` factors in all; below zero its inverse. Collective.

    >>> import atoll
    >>> atoll.linalg.matrix_power(2 * atoll.eye(2), 3)[...]
    array([[8., 0.],
           [0., 8.]])
    """
    base = whole_array(x, "x")
    if base.ndim < 2 or base.shape[-1] != base.shape[-2]:
        raise ValueError(f"x has shape {base.shape}, expected a square matrix")
    times = integer(n, "n")
    agree(base, "matrix_power", times)
    if times < 0:
        inverse = like(base, base.shape, base.dtype)
        _core.inverse(base, inverse)
        base, times = inverse, -times
    result = None
    while times:
        if times & 1:
            result = base if result is None else multiplied(result, base)
        times >>= 1
        base = multiplied(base, base) if times else base
    if result is None:
        result = like(base, base.shape, base.dtype)
        set_patches(result, lambda key: _ones_on_diagonal(key))
    return result if result is not x else apply(np.positive, (result,))


def _ones_on_diagonal(key: Key) -> NDArray[Any]:
    rows, columns = (np.arange(k.start, k.stop) for k in key[-2:])
    ones = (rows[:, np.newaxis] == columns).astype(np.int8)
    return np.broadcast_to(ones, [k.stop - k.start for k in key])
