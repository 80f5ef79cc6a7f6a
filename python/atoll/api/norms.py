"""Norms of vectors and matrices, of all elements or along axes; collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll.algebra.ufuncs import apply
from atoll.api import reductions
from atoll.api.arguments import agree, flag, some_axes, whole_array
from atoll.api.elimination import floating
from atoll.array.copies import astype

if TYPE_CHECKING:
    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Axes

_BY_SINGULAR_VALUES = (2, -2, "nuc")


@collective_over_copies
def norm(
    x: Operand,
    ord: Any = None,  # noqa: A002  # NumPy's name
    axis: int | Axes | None = None,
    keepdims: bool = False,
) -> Any:
    """Give a norm of a vector or matrix, or of those along axes, as NumPy does. Collective.

    Args:
        x: Array; with `ord` and without `axis`, of one or two dimensions.
        ord: None for the root of the sum of squares. Of vectors a number, or (minus) infinity. Of
            matrices "fro" (the same as None), 1 and -1 (the largest and smallest sum of magnitudes
            of a column), (minus) infinity (of a row), 2, -2 and "nuc" (by singular values, without
            `axis`).
        axis: One axis, of vectors; or two, of matrices.
        keepdims: Whether the axes stay, with an extent of one.

    Raises:
        ValueError: Another `ord`, or other dimensions.

    >>> import atoll
    >>> a = atoll.full((2, 4), 2.0)
    >>> float(atoll.linalg.norm(a, 1)), atoll.linalg.norm(a, axis=1)[...]
    (4.0, array([4., 4.]))

    """
    keep = flag(keepdims, "keepdims")
    if ord is not None or axis is not None or keep:
        agree(x, "norm of", ord, axis, keep)  # which say how many steps there are
    if axis is None and not keep and (of_core := _by_core(x, ord)) is not None:
        return floating(x).type(0).real.dtype.type(of_core)
    axes = some_axes(axis, len(x.shape))
    source = whole_array(x, "x")
    kind = floating(source)
    source = source if source.dtype == kind else astype(source, kind)
    if ord is None:
        return _root_of_squares(source, axes, keep)
    if len(axes) == 1:
        return _of_vectors(source, ord, axes, keep)
    if len(axes) != 2:
        raise ValueError(f"ord={ord!r} is for vectors and matrices; axes are {axes}")
    order = tuple(n % source.ndim for n in axis) if isinstance(axis, (tuple, list)) else axes
    if ord == "fro":
        return _root_of_squares(source, axes, keep)
    if ord in (1, -1, np.inf, -np.inf):
        rows, columns = order
        summed, rest = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = reductions.sum(apply(np.absolute, (source,)), summed, keepdims=True)
        extremum = reductions.max if ord > 0 else reductions.min
        return extremum(sums, (summed, rest), keepdims=keep)
    if ord in _BY_SINGULAR_VALUES and source.ndim == 2 and not keep:
        s = np.asarray(_core.svd(source, None, None), kind.type(0).real.dtype)
        return s.sum() if ord == "nuc" else s.max() if ord > 0 else s.min()
    raise ValueError(f"there is no norm with ord={ord!r} of axes {axes} of {source.ndim}")


def _by_core(x: Any, ord: Any) -> Any:  # noqa: A002
    """Give what the core knows of whole arrays; None for the rest."""
    ndim = len(x.shape)
    if ord is None or (ndim == 2 and ord == "fro") or (ndim == 1 and ord == 2):
        return _core.norm(x, "two")
    if ndim == 1 and ord in (1, np.inf):
        return _core.norm(x, "one" if ord == 1 else "infinity")
    if ndim == 2 and ord in (1, np.inf) and isinstance(x, _core.ArrayBase):
        return _core.matrix_norm(x, ord == np.inf)
    return None


def _root_of_squares(a: Any, axes: Axes, keepdims: bool) -> Any:
    squares = apply(np.square, (apply(np.absolute, (a,)),))
    return np.sqrt(reductions.sum(squares, axes, keepdims=keepdims))


def _of_vectors(a: Any, ord: Any, axes: Axes, keepdims: bool) -> Any:  # noqa: A002
    if not isinstance(ord, (int, float, np.number)):
        raise ValueError(f"ord is {ord!r}, expected a number for vectors")
    magnitudes = apply(np.absolute, (a,))
    if np.isinf(ord):
        extremum = reductions.max if ord > 0 else reductions.min
        return extremum(magnitudes, axes, keepdims=keepdims)
    if ord == 0:
        counts = reductions.count_nonzero(a, axes, keepdims=keepdims)
        return counts.astype(magnitudes.dtype)
    powers = apply(np.power, (magnitudes, float(ord)))
    return reductions.sum(powers, axes, keepdims=keepdims) ** (1 / ord)


@collective_over_copies
def vector_norm(
    x: Operand,
    /,
    *,
    axis: int | Axes | None = None,
    keepdims: bool = False,
    ord: Any = 2,  # noqa: A002
) -> Any:
    """Give the norm of all elements, or of vectors along axes, as the array API. Collective.

    >>> import atoll
    >>> float(atoll.linalg.vector_norm(atoll.full((2, 2), 2.0)))
    4.0
    """
    source = whole_array(x, "x")
    kind = floating(source)
    source = source if source.dtype == kind else astype(source, kind)
    keep = flag(keepdims, "keepdims")
    agree(source, "vector_norm", ord, axis, keep)
    return _of_vectors(source, ord, some_axes(axis, source.ndim), keep)


@collective_over_copies
def matrix_norm(x: Operand, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:  # noqa: A002
    """Give the norms of the matrices in the last two axes, as the array API. Collective.

    >>> import atoll
    >>> float(atoll.linalg.matrix_norm(atoll.full((2, 2), 2.0), ord=1))
    4.0
    """
    if len(x.shape) < 2:
        raise ValueError(f"x has shape {tuple(x.shape)}, expected two dimensions or more")
    return norm(x, ord, (-2, -1), keepdims)
