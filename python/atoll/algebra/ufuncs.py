"""NumPy's ufuncs, and operators by them: every rank computes the blocks it owns of the result.

The core does what it knows (`_CORE`), for arrays of one shape and type. All else is NumPy's, a
batch at a time. Operands distributed like the result are used in place; of the others, also smaller
ones that are broadcast, a rank reads the part that belongs to its batch. NumPy arrays stand for
themselves on every rank, and are to be the same everywhere: numbers and shapes are compared, with
ATOLL_CHECK=1 elements too.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from atoll import _core
from atoll._agreement import (
    collective_in,
    group_of,
    whole_group_of,
)
from atoll._core import ArrayBase
from atoll._signatures import shortly
from atoll.algebra.elementwise import tell
from atoll.algebra.products import product
from atoll.algebra.with_numbers import with_number
from atoll.api.arguments import copy_of_view, is_held
from atoll.api.cuts import batches, inside
from atoll.api.operands import SHAPED, bases, part_of, shape_of
from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
    np.negative: ("iuf", _core.negative),
    np.square: ("iuf", lambda a, out: _core.multiply(a, a, out)),
}

_EXPECTED = "an Atoll array, a NumPy array, a list or a number"
_OPERANDS = (
    ArrayBase,
    _core.ViewBase,
    np.ndarray,
    list,
    tuple,
    int,
    float,
    complex,
    np.number,
    np.bool_,
)


_OPTIONS = {"out", "casting", "dtype", "where"}


def array_ufunc(a: Any, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Do what NumPy calls for a ufunc that has an Atoll array or a view among its arguments."""
    if method == "__call__" and ufunc.signature is None and options.keys() <= _OPTIONS:
        return apply(ufunc, inputs, **options)
    if ufunc is np.matmul and method == "__call__" and not options:
        return product(*inputs)
    if (
        method in METHODS
        and (done := METHODS[method](ufunc, inputs, options)) is not NotImplemented
    ):
        return done
    return _refuse(a, ufunc, method, set(options) - _OPTIONS if method == "__call__" else set())


METHODS: dict[str, Callable[[np.ufunc, Any, Any], Any]] = {}
"""What `ufunc.reduce` and its like do, see `atoll.api.ufunc_methods`; NotImplemented: cannot."""


@collective_in(group_of)
def _refuse(_: ArrayBase, ufunc: np.ufunc, method: str, unknown: set[str]) -> None:
    if unknown:
        raise TypeError(f"{ufunc.__name__} of Atoll arrays takes no {sorted(unknown)}")
    raise TypeError(f"{ufunc.__name__}.{method} does not take Atoll arrays")


def comparison(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    """Give the operator that compares element by element: an array of bool.

    What is no array and no number is left to Python, to which it is not equal.
    """
    return lambda a, b: apply(ufunc, (a, b)) if isinstance(b, _OPERANDS) else NotImplemented


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


def powers() -> tuple[Callable[[A, Any], A], Callable[[A, Any], A], Callable[[A, Any], A]]:
    """Give `a ** b` and its kin; the square is a product, as in NumPy."""
    _, reflected, in_place = operators(np.power)

    def raised(a: A, b: Any) -> A:
        if type(b) is int and b == 2:
            return apply(np.square, (a,))  # type: ignore[no-any-return]
        return apply(np.power, (a, b))  # type: ignore[no-any-return]

    return raised, reflected, in_place


def new_by_operators(
    ufunc: np.ufunc,
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Give those that make arrays: `a + b` and `b + a`."""
    return lambda a, b: apply(ufunc, (a, b)), lambda a, b: apply(ufunc, (b, a))


@functools.lru_cache(maxsize=512)
def _result_types(
    ufunc: np.ufunc, described: tuple[tuple[Any, Any], ...], **options: Any
) -> list[np.dtype[Any]]:
    """Ask NumPy for the types of results: of arrays by type and dimensions, of numbers by value."""
    samples = [
        np.empty((0,) * what, dtype=kind) if isinstance(kind, np.dtype) else what
        for kind, what in described
    ]
    with np.errstate(all="ignore"):
        sampled = ufunc(*samples, **options)
    return [s.dtype for s in (sampled if isinstance(sampled, tuple) else (sampled,))]


def _check_outputs(
    dtypes: list[np.dtype[Any]],
    shape: tuple[int, ...],
    out: tuple[Any, ...] | None,
    casting: str,
) -> None:
    for target, dtype in zip(out or (None,) * len(dtypes), dtypes, strict=True):
        if target is None:
            if not is_held(dtype):
                raise TypeError(f"an array cannot hold {dtype}, the type of the result")
            continue
        if not isinstance(target, ArrayBase):
            raise TypeError(f"out must be an Atoll array, it is {shortly(target)}")
        if target.read_only:
            raise RuntimeError(f"out is read-only: {target!r}")
        if target.shape != shape:
            raise ValueError(f"out has shape {target.shape}, but the result has shape {shape}")
        if not np.can_cast(dtype, target.dtype, casting):  # type: ignore[arg-type]
            raise TypeError(f"cannot cast the result from {dtype} to {target.dtype} by {casting!r}")


def _outputs(
    dtypes: list[np.dtype[Any]],
    shape: tuple[int, ...],
    arrays: list[A],
    out: tuple[Any, ...] | None,
) -> list[A]:
    if not _makes(out) and out is not None and len(out) == 1:
        return list(out)
    given = (None,) * len(dtypes) if out is None else out
    models = [a for a in (*given, *arrays) if isinstance(a, ArrayBase) and tuple(a.shape) == shape]
    layout = models[0].layout if models else None
    results = [
        like(arrays[0], shape, dtype, layout) if target is None else target
        for target, dtype in zip(given, dtypes, strict=True)
    ]
    if any(r.distribution != results[0].distribution for r in results):
        raise ValueError("all outputs of one operation must have the same distribution")
    return results


def _by_core(ufunc: np.ufunc, inputs: tuple[Any, ...], out: tuple[Any, ...] | None) -> Any:
    """Let the core compute what it knows; None where it does not."""
    kinds, compute = _CORE.get(ufunc, ("", None))
    if compute is None:
        return None
    if len(inputs) == 2 and not (
        isinstance(inputs[0], ArrayBase) and isinstance(inputs[1], SHAPED)
    ):
        if (known := with_number(ufunc, inputs)) is None:
            return None
        inputs = (known.array,)
        kinds, compute = "iuf", known.compute
    first = inputs[0]
    if not isinstance(first, ArrayBase):
        return None
    shape, dtype, group, mirrored = first.shape, first.dtype, first.group, first.mirrored
    if dtype.kind not in kinds or dtype == np.float16:  # whose limits the core does not watch
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
        tell(met, ufunc.__name__, group)
    return result


def _ranks_of(values: Iterable[Any]) -> _core.Group | None:
    """Give the ranks that make a call of `apply` with these arguments."""
    *args, options = values
    out = args[2] if len(args) > 2 else options.get("out")
    return (whole_group_of if _makes(out) else group_of)(values)


def _makes(out: tuple[Any, ...] | None) -> bool:
    """Tell whether an array is made, which concerns the ranks of all copies of mirrored ones."""
    return out is None or any(x is None for x in out)


@collective_in(_ranks_of)
def apply(
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    out: tuple[Any, ...] | None = None,
    casting: str = "same_kind",
    dtype: Any = None,
    where: Any = True,
) -> Any:
    """Compute `ufunc(*inputs)` as an array, or into `out`. Collective.

    NotImplemented for objects of classes that may know better.

    Raises:
        TypeError: an operand is no number; the result's type cannot be held by `out`.
        ValueError: shapes do not fit, or arrays live on different groups.

    """
    if out is not None and any(isinstance(x, _core.ViewBase) for x in out):
        return _into_views(ufunc, inputs, out, casting=casting, dtype=dtype, where=where)
    usual = dtype is None and casting == "same_kind" and where is True
    if usual and (result := _by_core(ufunc, inputs, out)) is not None:
        return result
    for x in inputs:
        if not isinstance(x, _OPERANDS):
            if type(x).__module__ != "builtins":
                return NotImplemented
            raise TypeError(f"{ufunc.__name__}: an operand is {shortly(x)}, expected {_EXPECTED}")
    operands = [np.asarray(x) if isinstance(x, (list, tuple)) else x for x in inputs]
    if where is not True:
        operands.append(_mask(where))
    arrays = bases((*operands, *(out or ())))
    group = arrays[0].group
    if any(a.group != group for a in arrays):
        raise ValueError("the arrays of one operation must live on the same group")
    extents = list(map(shape_of, operands))
    shapes = set(extents) - {()}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*extents)
    options: dict[str, Any] = {"casting": casting}
    if dtype is not None:
        options["dtype"] = np.dtype(dtype)
    described = tuple(
        (x.dtype, min(len(n), 1)) if isinstance(x, SHAPED) else (type(x), x)
        for x, n in zip(operands[: len(inputs)], extents[: len(inputs)], strict=True)
    )
    kinds = _result_types(ufunc, described, **options)
    _check_outputs(kinds, shape, out, casting)
    meeting = arrays[0].whole_group if _makes(out) else group
    _core.enter(meeting, ufunc.__name__, _statement(operands, shape, kinds))
    operands = [_apart(x, out) for x in operands]
    results = _outputs(kinds, shape, arrays, out)
    met = 0

    def meets(_: str, flags: int) -> None:
        nonlocal met
        met |= flags

    failure = None
    try:
        with np.errstate(all="call", call=meets):
            _compute(ufunc, operands, results, shape, options)
    except Exception as error:  # as of an integer to a negative power, or of a read that failed
        failure = error
    if flags := _core.leave_telling(group, met, failure):
        tell(flags, ufunc.__name__, group)
    return results[0] if len(results) == 1 else tuple(results)


def _into_views(
    ufunc: np.ufunc, inputs: tuple[Any, ...], out: tuple[Any, ...], **options: Any
) -> Any:
    """Compute into parts of arrays: into arrays like them, which are copied there."""
    targets = [copy_of_view(x) if isinstance(x, _core.ViewBase) else x for x in out]
    apply(ufunc, inputs, tuple(targets), **options)
    for view, made in zip(out, targets, strict=True):
        if isinstance(view, _core.ViewBase):
            _core.copy(made, view)
    return out[0] if len(out) == 1 else out


def _apart(x: Any, out: tuple[Any, ...] | None) -> Any:
    """Give an operand that stays what it is while `out` changes: views of that are copied.

    Raises:
        ValueError: a view of a mirrored array, whose nodes change `out` each for itself.

    """
    if not isinstance(x, _core.ViewBase) or all(x.base is not target for target in out or ()):
        return x
    if x.base.mirrored:
        raise ValueError("out is mirrored, and an operand is a view of it: take a copy of the view")
    return copy_of_view(x)


def _mask(where: Any) -> Any:
    """Give the operand that says which elements are computed.

    Raises:
        TypeError: it is no truth value, nor an array of them.

    """
    mask = where if isinstance(where, ArrayBase) else np.asarray(where)
    if mask.dtype != bool:
        raise TypeError(f"where is {shortly(where)}, expected True, False or an array of bool")
    return mask


def _statement(operands: list[Any], shape: tuple[int, ...], kinds: list[np.dtype[Any]]) -> bytes:
    """Put into words, for comparison between ranks, what the operands are.

    Numbers by their values, NumPy arrays by what they are, with ATOLL_CHECK=1 by their elements.
    """
    parts: list[Any] = [shape, [kind.num for kind in kinds]]
    for x in operands:
        if isinstance(x, SHAPED):
            parts.append((type(x).__name__, x.dtype.num, tuple(x.shape)))
        else:
            parts.append(x)
    told = repr(parts).encode()
    if _core.checks():
        told += b"".join(x.tobytes() for x in operands if isinstance(x, np.ndarray))
    return told


def _compute(
    ufunc: np.ufunc,
    operands: list[Any],
    results: list[Any],
    shape: tuple[int, ...],
    options: dict[str, Any],
) -> None:
    """Compute the blocks that this rank owns of the results."""
    lead = results[0]
    blocks = [
        x.blocks()
        if isinstance(x, ArrayBase) and x.shape == shape and x.distribution == lead.distribution
        else None
        for x in operands
    ]
    targets = [r.blocks() for r in results]
    most = max(1, _BATCH_BYTES // lead.dtype.itemsize)
    parts_of_mine = (
        (i, k, part) for i, (k, _) in enumerate(targets[0]) for part in batches(k, most)
    )
    for i, key, batch in parts_of_mine:
        place = inside(batch, key) or ...  # of no dimension a view, too
        parts = []
        for x, own in zip(operands, blocks, strict=True):
            parts.append(part_of(x, batch, shape) if own is None else own[i][1][place])
        if len(parts) > ufunc.nin:
            options = {**options, "where": parts.pop()}
        ufunc(*parts, out=tuple(t[i][1][place] for t in targets), **options)
