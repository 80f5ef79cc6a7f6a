"""`reduce`, `accumulate`, `outer` and `at` of NumPy's ufuncs on arrays; collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies
from atoll._core import ArrayBase
from atoll.algebra import ufuncs
from atoll.api import cumulative, reductions
from atoll.api.arguments import agree
from atoll.api.operands import shape_of
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


def _along(
    table: dict[np.ufunc, Callable[..., Any]], ufunc: np.ufunc, inputs: Any, options: Any
) -> Any:
    known = {k: v for k, v in options.items() if k in ("axis", "keepdims", "dtype", "out")}
    if ufunc not in table or known.keys() != options.keys() or len(inputs) != 1:
        return NotImplemented
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


def _at(ufunc: np.ufunc, inputs: Any, options: Any) -> Any:
    a = inputs[0]
    if ufunc not in (np.add, np.subtract) or len(inputs) != 3 or options:
        return NotImplemented
    if not isinstance(a, ArrayBase):
        return NotImplemented
    sign = 1
    if ufunc is np.subtract:  # without a sign, minus one is the highest number, modulo 2^n
        sign = int(np.iinfo(a.dtype).max) if a.dtype.kind == "u" else -1
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


METHODS: dict[str, Callable[[np.ufunc, Any, Any], Any]] = {
    "reduce": lambda ufunc, inputs, options: _along(_REDUCE, ufunc, inputs, options),
    "accumulate": lambda ufunc, inputs, options: _along(_ACCUMULATE, ufunc, inputs, options),
    "outer": _outer,
    "at": _at,
}
