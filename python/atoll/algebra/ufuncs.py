"""NumPy's ufuncs, and operators by them: every rank computes the blocks it owns of the result.

The core does what it knows (`_CORE`), for arrays of one shape and type. All else is NumPy's, a
batch at a time. Operands distributed like the result are used in place; of the others, also smaller
ones that are broadcast, a rank reads the part that belongs to its batch. NumPy arrays stand for
themselves on every rank, and are to be the same everywhere.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from atoll import _core
from atoll._core import ArrayBase
from atoll.algebra.elementwise import tell
from atoll.algebra.products import product
from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Key = tuple[slice, ...]

A = TypeVar("A", bound=ArrayBase)

_BATCH_BYTES = 1 << 20  # of the result; as much is read at once of each operand that lies elsewhere

# The core's functions f(operands..., out), and the kinds of types for which they are NumPy's to the
# last bit.
_CORE: dict[np.ufunc, tuple[str, Callable[..., int | None]]] = {
    np.add: ("iufc", lambda a, b, out: _core.add(1, a, 1, b, out)),
    np.subtract: ("ifc", lambda a, b, out: _core.add(1, a, -1, b, out)),
    np.multiply: ("iuf", _core.multiply),
    np.true_divide: ("f", _core.divide),
    np.floor_divide: ("u", _core.divide),
    np.minimum: ("iuf", _core.minimum),
    np.maximum: ("iuf", _core.maximum),
    np.absolute: ("iuf", _core.absolute),
}

_OPERANDS = (ArrayBase, np.ndarray, list, tuple, int, float, complex, np.number, np.bool_)


def array_ufunc(_: ArrayBase, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Do what NumPy calls for a ufunc that has an Atoll array among its arguments."""
    unknown = set(options) - {"out", "casting", "dtype"}
    if unknown:
        raise TypeError(f"{ufunc.__name__} of Atoll arrays takes no {sorted(unknown)}")
    if ufunc is np.matmul and method == "__call__" and not options:
        return product(*inputs)
    if method != "__call__" or ufunc.signature is not None:
        return NotImplemented
    return apply(ufunc, inputs, **options)


def unary(ufunc: np.ufunc) -> Callable[[A], A]:
    """Give the operator that a ufunc of one operand is."""
    return lambda a: apply(ufunc, (a,))


def operators(
    ufunc: np.ufunc,
) -> tuple[Callable[[A, Any], A], Callable[[A, Any], A], Callable[[A, Any], A]]:
    """Give the operators that a ufunc of two operands is: `a + b`, `b + a` and `a += b`."""
    return (
        lambda a, b: apply(ufunc, (a, b)),
        lambda a, b: apply(ufunc, (b, a)),
        lambda a, b: apply(ufunc, (a, b), (a,)),
    )


def _broadcast_key(key: Key, shape: tuple[int, ...]) -> Key:
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


def _by_core(ufunc: np.ufunc, inputs: tuple[Any, ...], out: tuple[Any, ...] | None) -> Any:
    """Let the core compute what it knows; None where it does not."""
    kinds, compute = _CORE.get(ufunc, ("", None))
    first = inputs[0]
    if compute is None or not isinstance(first, ArrayBase):
        return None
    shape, dtype, group, mirrored = first.shape, first.dtype, first.group, first.mirrored
    if dtype.kind not in kinds:
        return None
    for x in inputs[1:] if out is None else (*inputs[1:], *out):
        if x is first:
            continue
        if not isinstance(x, ArrayBase) or x.shape != shape or x.dtype != dtype:
            return None
        if x.mirrored != mirrored or x.group != group:
            return None
    if out is None:
        result = like(first, shape, dtype, first.layout)
    elif (result := out[0]).read_only:
        return None
    if met := compute(*inputs, result):
        tell(met, ufunc.__name__, level=5)
    return result


def _batches(key: Key, most: int) -> Iterator[Key]:
    """Cut a patch into parts of so many elements at most, whole rows where possible."""
    first, *rest = key
    inner = math.prod(part.stop - part.start for part in rest)
    step = max(1, most // max(1, inner))
    for start in range(first.start, first.stop, step):
        rows = slice(start, min(start + step, first.stop))
        for part in [key[1:]] if inner <= most else _batches(key[1:], most):
            yield (rows, *part)


def apply(
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    out: tuple[Any, ...] | None = None,
    casting: str = "same_kind",
    dtype: Any = None,
) -> Any:
    """Compute `ufunc(*inputs)` as an array, or into `out`. Collective.

    NotImplemented for other things than arrays, lists and numbers.

    Raises:
        TypeError: the result's type cannot be held by an array (comparisons), or not by `out`.
        ValueError: shapes do not fit, or arrays live on different groups.

    """
    usual = dtype is None and casting == "same_kind"
    if usual and (result := _by_core(ufunc, inputs, out)) is not None:
        return result
    if not all(isinstance(x, _OPERANDS) for x in inputs):
        return NotImplemented
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
    most = max(1, _BATCH_BYTES // lead.dtype.itemsize)
    batches = ((i, k, part) for i, (k, _) in enumerate(targets[0]) for part in _batches(k, most))
    failure = None
    try:
        for i, key, batch in batches:
            inside = tuple(
                slice(b.start - k.start, b.stop - k.start) for b, k in zip(batch, key, strict=True)
            )
            parts = []
            for x, own in zip(operands, blocks, strict=True):
                if own is not None:
                    parts.append(own[i][1][inside])
                elif isinstance(x, ArrayBase):
                    parts.append(x[_broadcast_key(batch, x.shape)])
                elif isinstance(x, np.ndarray):
                    parts.append(np.broadcast_to(x, shape)[batch])
                else:
                    parts.append(x)
            ufunc(*parts, out=tuple(t[i][1][inside] for t in targets), **options)
    except Exception as error:  # as numpy.errstate and filters of warnings ask for
        failure = error
    group.sync()
    _raise_everywhere(group, failure, ufunc.__name__)
    return results[0] if len(results) == 1 else tuple(results)


def _raise_everywhere(group: _core.Group, failure: Exception | None, operation: str) -> None:
    """Raise on all ranks where one has failed: the others would wait for it in their next call."""
    severity = 0 if failure is None else 1 if isinstance(failure, FloatingPointError) else 2
    worst = group.reduce(severity, "max")
    if failure is not None:
        raise failure
    if worst > 0:
        kind = FloatingPointError if worst == 1 else RuntimeError
        raise kind(f"{operation} failed on another rank")
