"""Storing an Atoll array to part of another, by one rank: `a[key] = b`. Not collective."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._core import ArrayBase, ViewBase
from atoll.api.cuts import batches
from atoll.api.operands import part_of
from atoll.array import fancy

if TYPE_CHECKING:
    from collections.abc import Callable

    from atoll.api.arguments import Key

_BATCH_BYTES = 1 << 20

store: Callable[[ArrayBase, Any, Any], None] = getattr(ArrayBase, "__setitem__")  # noqa: B009
"""What the extension stores: numbers, lists and NumPy arrays."""


def put(a: ArrayBase, key: Any, value: Any) -> None:
    """Store to what index arrays select; an Atoll array is read whole, as it is as large."""
    if isinstance(value, (ArrayBase, ViewBase)):
        _require_type(a, value)
        shape = tuple(value.shape)
        value = part_of(value, tuple(slice(0, n) for n in shape), shape)
    fancy.put(a, key, value)


def _require_type(a: ArrayBase, value: ArrayBase | ViewBase) -> None:
    if value.dtype.kind == "c" and a.dtype.kind not in "cb":
        raise TypeError(f"value is of {value.dtype}, which does not convert to {a.dtype}")


def assign(a: ArrayBase, key: Any, value: ArrayBase | ViewBase) -> None:
    """Copy `value`, broadcast, to what a key selects: read and put a batch at a time.

    Raises:
        ValueError: the shapes do not fit.
        TypeError: complex numbers for an array of others.
        IndexError: no such part.

    """
    base = value.base if isinstance(value, ViewBase) else value
    whole = tuple(slice(0, n) for n in value.shape)
    _require_type(a, value)
    if base is a or (lines := _lines(a.shape, key)) is None:
        store(a, key, part_of(value, whole, tuple(value.shape)))
        return
    shape = tuple(len(line) for line in lines if isinstance(line, range))
    own = tuple(value.shape)
    while len(own) > len(shape) and own[0] == 1:
        own = own[1:]
    tail = shape[len(shape) - len(own) :]
    if len(own) > len(shape) or any(n not in (1, m) for n, m in zip(own, tail, strict=True)):
        raise ValueError(
            f"value has shape {tuple(value.shape)}, which does not broadcast to {shape}"
        )
    most = max(1, _BATCH_BYTES // a.dtype.itemsize)
    for part in batches(tuple(slice(0, n) for n in shape), most):
        if any(k.stop == k.start for k in part):
            continue
        lead = (slice(0, 1),) * (len(value.shape) - len(part))
        given = part_of(value, (*lead, *part), tuple(value.shape))
        _put(a, lines, part, given.reshape(given.shape[len(lead) :]))


def _put(a: ArrayBase, lines: list[Any], part: Key, values: Any) -> None:
    parts = iter(part)
    place: list[Any] = []
    for line in lines:
        if not isinstance(line, range):
            place.append(line)
            continue
        one = next(parts)
        picked = line[one]
        stop = picked.stop if picked.step > 0 or picked.stop >= 0 else None
        place.append(slice(picked.start, stop, picked.step))
    store(a, tuple(place), values)


def _lines(shape: tuple[int, ...], key: Any) -> list[Any] | None:
    """Give for each axis the indices that a key selects, or one; None for keys of another kind."""
    entries = list(key) if isinstance(key, tuple) else [key]
    if sum(entry is Ellipsis for entry in entries) == 0:
        entries.append(Ellipsis)
    at = next(i for i, entry in enumerate(entries) if entry is Ellipsis)
    entries[at : at + 1] = [slice(None)] * (len(shape) - len(entries) + 1)
    if len(entries) != len(shape):
        return None
    lines: list[Any] = []
    for entry, extent in zip(entries, shape, strict=True):
        if isinstance(entry, slice):
            lines.append(range(*entry.indices(extent)))
        elif isinstance(entry, (int, np.integer)) and not isinstance(entry, bool):
            lines.append(operator.index(entry))
        else:
            return None
    return lines
