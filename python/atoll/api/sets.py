"""Distinct elements; collective. Vectors as long as there are distinct elements, blocked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll._agreement import collective_over_copies
from atoll.api.arguments import agree, flag, whole_array
from atoll.api.cuts import complete, set_patches
from atoll.api.reshaping import ravel, reshape
from atoll.api.sample_sort import all_rows
from atoll.api.sorting import _sorted
from atoll.array.copies import like

if TYPE_CHECKING:
    from atoll.algebra.elementwise import Operand


class UniqueAllResult(NamedTuple):
    """Distinct elements, where each stood first, to which each element belongs, how many."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    """Distinct elements and how many of each there are."""

    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    """Distinct elements, and to which of them each element belongs."""

    values: Any
    inverse_indices: Any


@collective_over_copies
def unique(
    ar: Operand,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """Give the distinct elements, in order; NaN once. Collective.

    Args:
        ar: Array or view.
        return_index: Also where each stood first, counted in row-major order.
        return_inverse: Also, for each element, its place in the result.
        return_counts: Also how many of each there are.

    >>> import atoll
    >>> atoll.unique(atoll.from_numpy([3, 1, 3]))[...]
    array([1, 3])

    """
    wanted = [
        flag(value, name)
        for name, value in (
            ("return_index", return_index),
            ("return_inverse", return_inverse),
            ("return_counts", return_counts),
        )
    ]
    found = _distinct(ar, *wanted)
    given = tuple(x for x, asked in zip(found, (True, *wanted), strict=True) if asked)
    return given[0] if len(given) == 1 else given


@collective_over_copies
def unique_values(x: Operand, /) -> Any:
    """Give the distinct elements, in order. Collective."""
    return _distinct(x, False, False, False)[0]


@collective_over_copies
def unique_counts(x: Operand, /) -> UniqueCountsResult:
    """Give the distinct elements, in order, and how many of each there are. Collective.

    >>> import atoll
    >>> atoll.unique_counts(atoll.from_numpy([3, 1, 3])).counts[...]
    array([1, 2])
    """
    values, _, _, counts = _distinct(x, False, False, True)
    return UniqueCountsResult(values, counts)


@collective_over_copies
def unique_inverse(x: Operand, /) -> UniqueInverseResult:
    """Give the distinct elements, in order, and which of them each element is. Collective."""
    values, _, inverse, _ = _distinct(x, False, True, False)
    return UniqueInverseResult(values, inverse)


@collective_over_copies
def unique_all(x: Operand, /) -> UniqueAllResult:
    """Give the distinct elements and all that `unique` tells of them. Collective."""
    return UniqueAllResult(*_distinct(x, True, True, True))


def _distinct(x: Any, index: bool, inverse: bool, counts: bool) -> tuple[Any, Any, Any, Any]:
    source = whole_array(x, "x")
    agree(source, "unique", index, inverse, counts)
    line = source if source.ndim == 1 else ravel(source)
    values, stood = _sorted(line, 0, None, False, True, places=index or inverse)
    group, n = values.group, values.shape[0]
    mine = values.patches()[0][0] if values.patches() else slice(0, 0)
    part = values[max(0, mine.start - 1) : mine.stop]
    is_first = np.ones(mine.stop - mine.start, bool)
    if mine.start < mine.stop:
        skip = 1 if mine.start == 0 else 0
        differs = part[1:] != part[:-1]
        if values.dtype.kind in "fc":
            differs &= ~(np.isnan(part[1:]) & np.isnan(part[:-1]))
        is_first[skip:] = differs
        part = part[1 - skip :]
    numbers = all_rows(group, np.array([is_first.sum(), mine.start]))
    # Blocks of a vector lie in the order of ranks.
    first, total = int(numbers[: group.rank, 0].sum()), int(numbers[:, 0].sum())
    place = slice(first, first + int(is_first.sum()))
    results = {"values": like(values, (total,), values.dtype)}
    given = {"values": part[is_first]}
    if index:
        results["index"], given["index"] = like(values, (total,), np.int64), stood[mine][is_first]
    if counts:
        results["begins"] = like(values, (total,), np.int64)
        given["begins"] = np.nonzero(is_first)[0] + mine.start
    for name, result in results.items():
        if place.stop > place.start:
            result[place] = given[name]
        complete(result)
    members = _members(stood, mine, is_first, first, source.shape) if inverse else None
    return (
        results["values"],
        results.get("index"),
        members,
        _counts(results["begins"], n) if counts else None,
    )


def _members(stood: Any, mine: slice, is_first: Any, first: int, shape: tuple[int, ...]) -> Any:
    result = like(stood, stood.shape, np.int64)
    if mine.stop > mine.start:
        result[stood[mine]] = first + np.cumsum(is_first) - 1
    complete(result)
    return result if len(shape) == 1 else reshape(result, shape)


def _counts(begins: Any, n: int) -> Any:
    result = like(begins, begins.shape, np.int64)

    def values(key: tuple[slice, ...]) -> Any:
        ends = np.append(begins[key[0].start : key[0].stop + 1], n)
        return np.diff(ends)[: key[0].stop - key[0].start]

    set_patches(result, values)
    return result
