"""NumPy's ufuncs, and operators by them: every rank computes the blocks it owns of the result.

Operands distributed like the result are used in place; of the others, also smaller ones that are
broadcast, a rank reads the part that belongs to its block. NumPy arrays stand for themselves on
every rank, and are to be the same everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from atoll._core import ArrayBase
from atoll.algebra.products import product
from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Callable

A = TypeVar("A", bound=ArrayBase)

_OPERANDS = (ArrayBase, np.ndarray, list, tuple, int, float, complex, np.number, np.bool_)


def array_ufunc(_: ArrayBase, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Do what NumPy calls for a ufunc that has an Atoll array among its arguments."""
    unknown = set(options) - {"out", "casting", "dtype"}
    if unknown:
        raise TypeError(f"{ufunc.__name__} of Atoll arrays takes no {sorted(unknown)}")
    if ufunc is np.matmul and method == "__call__" and not options:
        return product(*inputs)
    if method != "__call__" or ufunc.signature is not None or not _all_taken(inputs):
        return NotImplemented
    return apply(ufunc, inputs, **options)


def unary(ufunc: np.ufunc) -> Callable[[A], A]:
    """Give the operator that a ufunc of one operand is."""
    return lambda a: apply(ufunc, (a,))


def binary(ufunc: np.ufunc) -> Callable[[A, Any], A]:
    """Give the operator whose left operand is the array."""
    return lambda a, b: _operate(ufunc, (a, b))


def reflected(ufunc: np.ufunc) -> Callable[[A, Any], A]:
    """Give the operator whose right operand is the array."""
    return lambda a, b: _operate(ufunc, (b, a))


def in_place(ufunc: np.ufunc) -> Callable[[A, Any], A]:
    """Give the operator that puts the result into the array on its left."""
    return lambda a, b: _operate(ufunc, (a, b), (a,))


def _operate(ufunc: np.ufunc, operands: tuple[Any, Any], out: tuple[Any] | None = None) -> Any:
    return apply(ufunc, operands, out) if _all_taken(operands) else NotImplemented


def _all_taken(operands: tuple[Any, ...]) -> bool:
    return all(isinstance(x, _OPERANDS) for x in operands)


def _broadcast_key(key: tuple[slice, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
    """Give the part of a smaller array that a patch of the result needs."""
    tail = key[len(key) - len(shape) :]
    return tuple(slice(0, 1) if n == 1 else part for part, n in zip(tail, shape, strict=True))


def _prepare_outputs(
    dtypes: list[np.dtype[Any]],
    shape: tuple[int, ...],
    arrays: list[A],
    out: tuple[Any, ...] | None,
    casting: str,
) -> list[A]:
    given = (None,) * len(dtypes) if out is None else out
    results: list[A] = []
    layout = next((a.layout for a in arrays if a.shape == shape), None)
    for target, dtype in zip(given, dtypes, strict=True):
        if target is None:
            results.append(like(arrays[0], shape, dtype, layout))
            continue
        if not isinstance(target, type(arrays[0])):
            raise TypeError(f"out must be an Atoll array, not {type(target).__name__}")
        if target.read_only:
            raise RuntimeError(f"out is read-only: {target!r}")
        if target.shape != shape:
            raise ValueError(f"out has shape {target.shape}, but the result has shape {shape}")
        if not np.can_cast(dtype, target.dtype, casting):  # type: ignore[arg-type]
            raise TypeError(f"cannot cast the result from {dtype} to {target.dtype} by {casting!r}")
        results.append(target)
    if any(r.distribution != results[0].distribution for r in results):
        raise ValueError("all outputs of one operation must have the same distribution")
    return results


def apply(
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    out: tuple[Any, ...] | None = None,
    casting: str = "same_kind",
    dtype: Any = None,
) -> Any:
    """Compute `ufunc(*inputs)` as an array, or into `out`. Collective.

    Raises:
        TypeError: the result's type cannot be held by an array (comparisons), or not by `out`.
        ValueError: shapes do not fit, or arrays live on different groups.

    """
    operands = [np.asarray(x) if isinstance(x, (list, tuple)) else x for x in inputs]
    arrays = [x for x in operands if isinstance(x, ArrayBase)]
    if not arrays:
        arrays = [x for x in out or () if isinstance(x, ArrayBase)]
    group = arrays[0].group
    if any(a.group != group for a in arrays):
        raise ValueError("the arrays of one operation must live on the same group")
    extents = [x.shape if isinstance(x, (ArrayBase, np.ndarray)) else () for x in operands]
    shape = np.broadcast_shapes(*extents)
    options: dict[str, Any] = {"casting": casting}
    if dtype is not None:
        options["dtype"] = dtype
    samples = [
        np.empty((0,) * min(len(n), 1), dtype=x.dtype)
        if isinstance(x, (ArrayBase, np.ndarray))
        else x
        for x, n in zip(operands, extents, strict=True)
    ]
    with np.errstate(all="ignore"):
        sampled = ufunc(*samples, **options)
    kinds = [s.dtype for s in (sampled if isinstance(sampled, tuple) else (sampled,))]
    results = _prepare_outputs(kinds, shape, arrays, out, casting)

    lead = results[0]
    group.sync()
    blocks = [
        x.blocks()
        if isinstance(x, ArrayBase) and x.shape == shape and x.distribution == lead.distribution
        else None
        for x in operands
    ]
    targets = [r.blocks() for r in results]
    for i, (key, _) in enumerate(targets[0]):
        parts = []
        for x, own in zip(operands, blocks, strict=True):
            if own is not None:
                parts.append(own[i][1])
            elif isinstance(x, ArrayBase):
                parts.append(x[_broadcast_key(key, x.shape)])
            elif isinstance(x, np.ndarray):
                parts.append(np.broadcast_to(x, shape)[key])
            else:
                parts.append(x)
        ufunc(*parts, out=tuple(t[i][1] for t in targets), **options)
    group.sync()
    return results[0] if len(results) == 1 else tuple(results)
