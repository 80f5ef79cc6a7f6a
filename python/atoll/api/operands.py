"""Operands of element-wise functions: arrays, views, NumPy arrays, numbers, and their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._core import ArrayBase, ViewBase
from atoll._signatures import shortly
from atoll.api.arguments import agree
from atoll.api.cuts import set_patches
from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from atoll.api.arguments import Key

SHAPED = (ArrayBase, ViewBase, np.ndarray)
_NUMBERS = (int, float, complex, np.generic)


def shape_of(x: Any) -> tuple[int, ...]:
    """Give the shape of an operand; of numbers none."""
    return tuple(x.shape) if isinstance(x, SHAPED) else ()


def bases(operands: Iterable[Any]) -> list[Any]:
    """Give the Atoll arrays among operands, and those that views refer to."""
    return [
        x.base if isinstance(x, ViewBase) else x
        for x in operands
        if isinstance(x, (ArrayBase, ViewBase))
    ]


def read_view(view: ViewBase, key: Key) -> NDArray[Any]:
    """Give a patch of a view, its positions counted in the view, to be read. Not collective."""
    base = view.base
    entries = view.key if isinstance(view.key, tuple) else (view.key,)
    at = next((i for i, entry in enumerate(entries) if entry is Ellipsis), len(entries))
    named = [entry for entry in entries if entry is not Ellipsis]
    named[at:at] = [slice(None)] * (base.ndim - len(named))
    wanted = key[::-1] if view.form & 1 else key
    places = []
    for entry, extent, part in zip(named, base.shape, wanted, strict=True):
        if isinstance(entry, slice):
            start, _, step = entry.indices(extent)
        else:
            start, step = int(entry) % max(1, extent), 1
        count = part.stop - part.start
        first = start + part.start * step
        places.append(slice(first, first + (count - 1) * step + 1 if count else first, step))
    values = _in_my_block(base, places)
    values = base[tuple(places)] if values is None else values
    values = values.conj() if view.form & 2 else values
    return values.T if view.form & 1 else values  # type: ignore[no-any-return]


def _in_my_block(base: Any, places: list[slice]) -> Any:
    """Give a section as it lies in this rank's memory; None where some of it does not."""
    if base.mirrored or base.read_only:
        return None
    blocks = base.blocks()
    if len(blocks) != 1:
        return None
    ((key, block),) = blocks
    inner = []
    for place, mine in zip(places, key, strict=True):
        if place.start < mine.start or place.stop > mine.stop:
            return None
        inner.append(slice(place.start - mine.start, place.stop - mine.start, place.step))
    return block[tuple(inner)]


def broadcast_key(key: Key, shape: tuple[int, ...]) -> Key:
    """Give the part of a smaller array that a patch of the result needs."""
    tail = key[len(key) - len(shape) :]
    return tuple(slice(0, 1) if n == 1 else part for part, n in zip(tail, shape, strict=True))


def part_of(x: Any, key: Key, shape: tuple[int, ...]) -> Any:
    """Give what a patch of a result of `shape` takes of an operand. Not collective."""
    if isinstance(x, ArrayBase):
        return x[broadcast_key(key, x.shape)]
    if isinstance(x, ViewBase):
        return read_view(x, broadcast_key(key, tuple(x.shape)))
    if isinstance(x, np.ndarray):
        return np.broadcast_to(x, shape)[key]
    return x


def blockwise(
    call: str,
    function: Callable[..., Any],
    operands: dict[str, Any],
    dtype: np.dtype[Any],
    *given: Any,
) -> Any:
    """Make an array of `function(parts of operands)`, which are broadcast. Collective.

    It is cut as the first array of its shape, else blocked.

    Args:
        call: The name of the call.
        function: Takes parts of equal shape, or that broadcast.
        operands: By the names that errors use; one of them is an Atoll array or a view.
        dtype: Of the result.
        given: What else ranks have been given.

    """
    operands = {
        k: np.asarray(x) if isinstance(x, (list, tuple)) else x for k, x in operands.items()
    }
    require_operands(operands)
    values = list(operands.values())
    arrays = bases(values)
    shape = np.broadcast_shapes(*map(shape_of, values))
    if len({a.group.size for a in arrays}) > 1 or any(a.group != arrays[0].group for a in arrays):
        raise ValueError(f"{call}: the arrays of one call must live on the same group")
    agree(arrays[0], call, dtype.str, *values, *given)
    models = [x for x in values if isinstance(x, ArrayBase) and x.shape == shape]
    result = like(arrays[0], shape, dtype, models[0].layout if models else None)

    def patch(key: Key) -> NDArray[Any]:
        extents = [k.stop - k.start for k in key]
        return np.broadcast_to(function(*(part_of(x, key, shape) for x in values)), extents)

    set_patches(result, patch)
    return result


def all_numbers(values: Iterable[Any]) -> bool:
    """Tell whether there are numbers alone, one of them NumPy's: such as reductions give."""
    given = list(values)
    numbers = all(isinstance(x, _NUMBERS) for x in given)
    return numbers and any(isinstance(x, np.generic) for x in given)


def require_operands(operands: dict[str, Any]) -> None:
    """See that all are arrays or numbers, and one an Atoll array or a view.

    Raises:
        TypeError: otherwise.

    """
    for name, x in operands.items():
        if not isinstance(x, (*SHAPED, *_NUMBERS)) or (
            isinstance(x, np.ndarray) and x.dtype.kind not in "biufc"
        ):
            raise TypeError(
                f"{name} is {shortly(x)}, expected an Atoll array, a NumPy array or a number"
            )
    if not bases(operands.values()):
        name, x = next(iter(operands.items()))
        raise TypeError(f"{name} is {shortly(x)}, expected an Atoll array or a view")


def described(x: Any) -> Any:
    """Give an operand as NumPy's rules for types take it: an array of none, or a number."""
    if not isinstance(x, SHAPED):
        return x
    return np.empty((0,) * min(len(x.shape), 1), x.dtype)
