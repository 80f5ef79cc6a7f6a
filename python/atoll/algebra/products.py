"""Products of distributed matrices, vectors and stacks of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll._signatures import shortly
from atoll.algebra.reductions import sum_of_products
from atoll.api.reshaping import broadcast_to
from atoll.array.copies import astype, like, store
from atoll.tensor.contraction import einsum

if TYPE_CHECKING:
    from collections.abc import Callable

    from atoll._core import ArrayBase as Array
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


def factors(a: Any, b: Any) -> tuple[Operand, Operand]:
    """Give two factors as arrays or views of one type. Collective.

    NumPy arrays and lists, the same on every rank, are spread; views that are no matrices, and
    those of another type, are copied.

    Raises:
        TypeError: one is no array of numbers, or neither is an Atoll array or a view.

    """
    if isinstance(a, _core.ArrayBase) and isinstance(b, _core.ArrayBase) and a.dtype == b.dtype:
        return a, b
    given = [np.asarray(x) if isinstance(x, (list, tuple)) else x for x in (a, b)]
    bases = [x.base if isinstance(x, _core.ViewBase) else x for x in given]
    model = next((x for x in bases if isinstance(x, _core.ArrayBase)), None)
    for name, x in zip("ab", given, strict=True):
        spread = isinstance(x, np.ndarray) and x.dtype.kind in "biufc" and x.ndim > 0
        if model is None or not (spread or isinstance(x, (_core.ArrayBase, _core.ViewBase))):
            raise TypeError(f"{name} is {shortly(x)}, expected an Atoll array, a view or NumPy's")
    kind = np.result_type(given[0].dtype, given[1].dtype)
    left, right = (_factor(x, kind, cast("_core.ArrayBase", model)) for x in given)
    return left, right


def _factor(x: Any, kind: np.dtype[Any], model: _core.ArrayBase) -> Operand:
    if isinstance(x, np.ndarray):
        spread = like(model, x.shape, kind)
        store(spread, lambda key: x[key])
        return spread
    if isinstance(x, _core.ViewBase) and (x.dtype != kind or len(x.shape) != 2):
        copied = like(x.base, tuple(x.shape), x.dtype)
        _core.copy(x, copied)
        x = copied
    return cast("Operand", x if x.dtype == kind else astype(x, kind))


@collective_over_copies
def product(a: A, b: Any) -> A:
    """Give `a @ b`, as Python's operator and `numpy.matmul` have it. Collective.

    Of two vectors a number, of a matrix and a vector a vector (only vectors travel), of more
    dimensions the products of the matrices in the last two. One factor may be a NumPy array.
    """
    left, right = factors(a, b)
    dims = len(left.shape), len(right.shape)
    if dims == (1, 1):
        total = sum_of_products(left, right)  # of integers wider, which wraps
        return cast("A", np.asarray(total).astype(left.dtype)[()])
    if left.dtype == np.float16:  # as NumPy: in float32, and rounded once
        wide: list[Any] = [astype(cast("Any", x), np.float32) for x in (left, right)]
        return cast("A", astype(product(wide[0], wide[1]), np.float16))
    if left.dtype.kind not in "fc" or max(dims) > 2:
        return cast("A", _contracted(left, right))
    if dims[0] == 1:
        return cast("A", _matvec(_transposed(right), cast("_core.ArrayBase", left)))
    if dims[1] == 1:
        return cast("A", _matvec(_as_view(left), cast("_core.ArrayBase", right)))
    out = new_result(left, right)
    _core.matmul(left, right, out, 1, 0)
    return cast("A", out)


multiplied = cast("Callable[[Any, Any], Any]", product)
"""`product` where one factor may be a view or a NumPy array."""


def reflected(b: Any, a: Any) -> Any:
    """Give `a @ b` where Python asks `b`. Collective."""
    return multiplied(a, b)


def _as_view(x: Operand) -> _core.ViewBase:
    return x if isinstance(x, _core.ViewBase) else _core.ViewBase(x, ...)


def _transposed(x: Operand) -> _core.ViewBase:
    view = _as_view(x)
    return _core.ViewBase(view.base, view.key, view.form ^ 1)


def _matvec(a: _core.ViewBase, x: _core.ArrayBase) -> _core.ArrayBase:
    """Multiply a matrix by a vector: only vectors travel."""
    if len(a.shape) != 2:
        raise ValueError(f"a product takes matrices and vectors; this array has shape {a.shape}")
    y = cast("_core.ArrayBase", like(a.base, (a.shape[0],), a.dtype))
    _core.matvec(a, x, y)
    return y


def _contracted(a: Any, b: Any) -> Any:
    """Multiply integers, and stacks of matrices, which are broadcast, by `tensor.einsum`."""
    left, right = (x if isinstance(x, _core.ArrayBase) else _copied(x) for x in (a, b))
    stacks = [x.shape[:-2] if x.ndim > 1 else () for x in (left, right)]
    try:
        shape = np.broadcast_shapes(*stacks)
    except ValueError:
        raise ValueError(f"a and b have shapes {a.shape} and {b.shape}: stacks differ") from None
    names = "abcdefgh"[: len(shape)]
    letters = []
    for x, own, matrix in ((left, stacks[0], "ij"), (right, stacks[1], "jk")):
        vector = "j" if x.ndim == 1 else matrix
        letters.append(names[len(names) - len(own) :] + vector)
    if any(own[::-1] != shape[::-1][: len(own)] for own in stacks):
        left, right = (
            x if own == shape or x.ndim == 1 else _repeated(x, (*shape, *x.shape[-2:]))
            for x, own in zip((left, right), stacks, strict=True)
        )
        letters = [
            names + own[-2:] if x.ndim > 1 else own
            for own, x in zip(letters, (left, right), strict=True)
        ]
    result = names + ("i" if left.ndim > 1 else "") + ("k" if right.ndim > 1 else "")
    text = f"{letters[0]},{letters[1]}->{result}"
    return einsum(text, cast("Array", left), cast("Array", right))


def _copied(view: _core.ViewBase) -> Any:
    made = like(view.base, tuple(view.shape), view.dtype)
    _core.copy(view, made)
    return made


def _repeated(x: Any, shape: tuple[int, ...]) -> Any:
    return broadcast_to(x, shape)


@collective_over_copies
def dot(a: Operand, b: Any) -> Any:
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
        if not isinstance(x, (_core.ArrayBase, _core.ViewBase, np.ndarray, list)):
            raise TypeError(f"dot: {name} is {shortly(x)}, expected an Atoll array or a view")
    if any(len(np.shape(x) if isinstance(x, list) else x.shape) > 2 for x in (a, b)):
        raise ValueError(
            f"dot of shapes {a.shape} and {b.shape}: expected vectors and matrices; "
            "atoll.algebra.sum_of_products is for any"
        )
    return multiplied(a, b)
