"""`reduce`, `accumulate`, `outer` and `at` of NumPy's ufuncs on arrays; collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies
from atoll._core import ArrayBase
from atoll._signatures import shortly
from atoll.algebra import ufuncs
from atoll.api import cumulative, reductions
from atoll.api.arguments import agree, held
from atoll.api.operands import part_of, shape_of
from atoll.api.reshaping import reshape

if TYPE_CHECKING:
    from collections.abc import Callable

_REDUCE: dict[np.ufunc, Callable[..., Any]] = {
    np.add: reductions.sum,
    np.multiply: reductions.prod,
    np.minimum: reductions.min,
    np.maximum: reductions.max,
    np.logical_and: reductions.all,
    np.logical_or: reductions.any,
}
_ACCUMULATE: dict[np.ufunc, Callable[..., Any]] = {
    np.add: cumulative.cumsum,
    np.multiply: cumulative.cumprod,
}


# The others that may be put together in parts.
_OTHERS = {
    *(np.fmin, np.fmax, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_xor),
    *(np.gcd, np.lcm, np.logaddexp, np.logaddexp2, np.hypot),
}


def _along(
    table: dict[np.ufunc, Callable[..., Any]], ufunc: np.ufunc, inputs: Any, options: Any
) -> Any:
    known = {k: v for k, v in options.items() if k in ("axis", "keepdims", "dtype", "out")}
    if known.keys() != options.keys() or len(inputs) != 1:
        return NotImplemented
    if ufunc not in table:
        if ufunc not in _OTHERS and (table is _REDUCE or ufunc not in _REDUCE):
            return NotImplemented
        table = {ufunc: _reducing(ufunc) if table is _REDUCE else _accumulating(ufunc)}
    known.setdefault("axis", 0)
    if isinstance(known.get("out"), tuple):
        (known["out"],) = known["out"]
    if known.get("dtype", 0) is None:
        del known["dtype"]
    return table[ufunc](inputs[0], **known)


def _outer(ufunc: np.ufunc, inputs: Any, options: Any) -> Any:
    if len(inputs) != 2 or options:
        return NotImplemented
    a, b = (x if isinstance(x, ArrayBase) else np.asarray(x) for x in inputs)
    ones = (1,) * len(shape_of(b))
    wide = reshape(a, a.shape + ones) if isinstance(a, ArrayBase) else a.reshape(a.shape + ones)
    return ufuncs.apply(ufunc, (wide, b))


def _result_type(ufunc: np.ufunc, a: Any, dtype: Any) -> np.dtype[Any]:
    """Give the type of a reduction, which NumPy's own tells of nothing much."""
    return held(ufunc.reduce(np.ones(1, a.dtype), dtype=dtype).dtype, "the type of the result")


def _reducing(ufunc: np.ufunc) -> Callable[..., Any]:
    @collective_over_copies
    def reduce(
        a: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        kind = _result_type(ufunc, a, dtype)
        name = f"{ufunc.__name__}.reduce"
        return reductions.reduced(
            a, name, axis, keepdims, out, lambda _: reductions.by_ufunc(ufunc, kind)
        )

    return reduce


def _accumulating(ufunc: np.ufunc) -> Callable[..., Any]:
    @collective_over_copies
    def accumulate(a: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        kind = _result_type(ufunc, a, dtype)
        return cumulative.accumulated(a, ufunc, axis, kind, out)

    return accumulate


def _at(ufunc: np.ufunc, inputs: Any, options: Any) -> Any:
    a = inputs[0]
    if len(inputs) != ufunc.nin + 1 or ufunc.nout != 1 or options or not isinstance(a, ArrayBase):
        return NotImplemented
    if ufunc not in (np.add, np.subtract):
        return _change_at(ufunc, *inputs)
    sign = 1
    if ufunc is np.subtract:  # without a sign, minus one is the highest number, modulo 2^n
        sign = int(np.iinfo(a.dtype).max) if a.dtype.kind == "u" else -1
    if isinstance(inputs[1], ArrayBase):
        return _add_where_told(a, inputs[1], inputs[2], sign)
    return _add_at(a, inputs[1], inputs[2], sign)


@collective_over_copies
def _add_at(a: Any, indices: Any, values: Any, sign: int) -> None:
    """Add at positions, which all ranks give alike: each rank does a share of them."""
    key = indices if isinstance(indices, tuple) else (indices,)
    agree(a, "add.at", *map(np.asarray, key), values, sign)
    masks = any(np.asarray(part).dtype == bool for part in key)  # which have no shares
    if masks or not all(isinstance(part, (list, np.ndarray)) for part in key):
        if a.group.rank == 0:
            a.at[indices].add(values, alpha=sign)
    else:
        parts = np.broadcast_arrays(*map(np.asarray, key))
        rest = (Ellipsis,) * (len(parts) < a.ndim)
        lines = parts[0].shape + a.shape[len(parts) :]
        given = np.broadcast_to(values, lines).reshape(-1, *a.shape[len(parts) :])
        mine = slice(a.group.rank, None, a.group.size)
        share = tuple(part.reshape(-1)[mine] for part in parts)
        if share[0].size:
            place = (*share, *rest)
            a.at[place].add(given[mine], alpha=sign)
    a.group.sync()


@collective_over_copies
def _add_where_told(a: Any, indices: Any, values: Any, sign: int) -> None:
    """Add at the rows that an Atoll array tells: each rank by the indices that it keeps."""
    if indices.dtype.kind not in "iu" or a.mirrored or indices.mirrored:
        raise TypeError(
            f"add.at takes an array of integers that is not mirrored, not {shortly(indices)}"
        )
    rest = a.shape[1:]
    shape = (*indices.shape, *rest)
    values = values if isinstance(values, ArrayBase) else np.asarray(values)
    if np.broadcast_shapes(values.shape, shape) != shape:
        raise ValueError(f"values has shape {values.shape}, the elements told have {shape}")
    agree(a, "add.at", indices, values, sign)
    if not np.can_cast(values.dtype, a.dtype, "same_kind"):
        raise TypeError(f"values are of {values.dtype}: adding to {a.dtype} is by 'same_kind'")
    few = a.size <= indices.size  # then each rank adds up what is its own before
    sums = np.zeros(a.shape, a.dtype) if few else None
    for key, block in indices.blocks():
        places = block.reshape(-1)
        if places.size and not (-len(a) <= places.min() and places.max() < len(a)):
            wrong = places[(places < -len(a)) | (places >= len(a))][0]
            raise IndexError(f"index {wrong} is out of bounds for axis 0 with size {len(a)}")
        whole = (*key, *(slice(0, n) for n in rest))
        given = np.broadcast_to(part_of(values, whole, shape), (*block.shape, *rest))
        given = given.reshape(-1, *rest)
        if sums is None:
            a.at[places].add(given, alpha=sign)
        else:
            np.add.at(sums, places, given.astype(a.dtype, copy=False))
    if sums is not None:
        a.at[...].add(sums, alpha=sign)
    a.group.sync()


@collective_over_copies
def _change_at(ufunc: np.ufunc, a: Any, indices: Any, *values: Any) -> None:
    """Change elements at positions, which all ranks give alike: each rank those that it keeps."""
    key = tuple(map(np.asarray, indices if isinstance(indices, tuple) else (indices,)))
    if len(key) != a.ndim or any(part.dtype.kind not in "iu" for part in key):
        raise TypeError(
            f"{ufunc.__name__}.at of Atoll arrays takes an array of integers for each of {a.ndim} "
            f"axes, not {shortly(indices)}"
        )
    if a.mirrored or a.read_only:
        raise ValueError(f"{ufunc.__name__}.at takes no mirrored or read-only array")
    places = np.broadcast_arrays(*key)
    for axis, (place, n) in enumerate(zip(places, a.shape, strict=True)):
        if place.size and not (-n <= place.min() and place.max() < n):
            wrong = place[(place < -n) | (place >= n)].flat[0]
            raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {n}")
    agree(a, f"{ufunc.__name__}.at", *key, *values)
    flat = [np.ravel(place) % max(1, n) for place, n in zip(places, a.shape, strict=True)]
    given = [np.broadcast_to(x, places[0].shape).reshape(-1) for x in values]
    for block_key, block in a.blocks():
        mine = np.ones(flat[0].size, bool)
        for place, part in zip(flat, block_key, strict=True):
            mine &= (place >= part.start) & (place < part.stop)
        inner = tuple(p[mine] - k.start for p, k in zip(flat, block_key, strict=True))
        ufunc.at(block, inner, *(x[mine] for x in given))
    a.group.sync()


METHODS: dict[str, Callable[[np.ufunc, Any, Any], Any]] = {
    "reduce": lambda ufunc, inputs, options: _along(_REDUCE, ufunc, inputs, options),
    "accumulate": lambda ufunc, inputs, options: _along(_ACCUMULATE, ufunc, inputs, options),
    "outer": _outer,
    "at": _at,
}
