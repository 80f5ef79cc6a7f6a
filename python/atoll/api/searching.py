"""Places and elements that are looked for: searchsorted, nonzero, take; collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective_over_copies
from atoll._signatures import shortly
from atoll.api.along import my_blocks
from atoll.api.arguments import agree, one_axis, whole_array
from atoll.api.cuts import complete, is_whole_along, set_patches
from atoll.api.operands import part_of
from atoll.api.reshaping import ravel
from atoll.api.sample_sort import all_rows
from atoll.api.sorting import sort
from atoll.array.copies import like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll._core import ArrayBase
    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Key


@collective_over_copies
def searchsorted(a: Operand, v: Any, /, side: str = "left") -> Any:
    """Give the places at which elements would be put into a sorted vector. Collective.

    Args:
        a: Sorted vector.
        v: A number or NumPy array, the same on every rank, for which the result is one; or an
            Atoll array, whose owners look for their part, in as many reads as bisection takes.
        side: "left": before equal elements; "right": behind them.

    >>> import atoll
    >>> int(atoll.searchsorted(atoll.arange(5), 2, side="right"))
    3

    """
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}, expected 'left' or 'right'")
    source = whole_array(a)
    if source.ndim != 1:
        raise ValueError(f"a has shape {source.shape}, expected a vector")
    if isinstance(v, (_core.ArrayBase, _core.ViewBase)):
        wanted = whole_array(v, "v")
        agree(source, "searchsorted", side, wanted)
        result = like(source, wanted.shape, np.int64, wanted.layout)
        set_patches(result, lambda key: _bisected(source, wanted[key], side))
        return result
    numbers = np.asarray(v)
    if numbers.dtype.kind not in "biufc":
        raise TypeError(f"v is {shortly(v)}, expected numbers")
    agree(source, "searchsorted", side, numbers)
    counts = np.zeros(numbers.shape, np.int64)
    for _, block in my_blocks(source):
        counts = counts + np.searchsorted(block, numbers, side)  # type: ignore[call-overload]
    total = np.asarray(source.group.reduce(counts)) if source.group.size > 1 else counts
    return total.reshape(numbers.shape)[()].astype(np.int64)


def _bisected(a: ArrayBase, wanted: NDArray[Any], side: str) -> NDArray[Any]:
    low, high = np.zeros(wanted.shape, np.int64), np.full(wanted.shape, a.shape[0], np.int64)
    while (open_ := low < high).any():
        middle = (low + high) // 2
        found, sought = np.asarray(a[middle[open_]]), wanted[open_]
        # As sorting has it: NaN is behind all.
        before = found < sought if side == "left" else ~(sought < found)
        if a.dtype.kind in "fc":
            before = np.where(np.isnan(sought), (side == "right") | ~np.isnan(found), before)
            before &= ~(np.isnan(found) & ~np.isnan(sought))
        low[open_] = np.where(before, middle[open_] + 1, low[open_])
        high[open_] = np.where(before, high[open_], middle[open_])
    return low


@collective_over_copies
def nonzero(a: Operand, /) -> tuple[Any, ...]:
    """Give the positions of the elements that are not zero, a vector for each axis. Collective.

    >>> import atoll
    >>> rows, columns = atoll.nonzero(atoll.eye(2))
    >>> rows[...], columns[...]
    (array([0, 1]), array([0, 1]))
    """
    flat, shape = _flat_nonzero(a)
    results = tuple(like(flat, flat.shape, np.int64) for _ in shape)
    for key in results[0].patches():
        for result, place in zip(results, np.unravel_index(flat[key], shape), strict=True):
            result[key] = place
    for result in results:
        complete(result)
    return results


@collective_over_copies
def flatnonzero(a: Operand, /) -> Any:
    """Give the places, counted in row-major order, of elements that are not zero. Collective."""
    return _flat_nonzero(a)[0]


@collective_over_copies
def argwhere(a: Operand, /) -> Any:
    """Give the positions of elements that are not zero, one a row. Collective."""
    flat, shape = _flat_nonzero(a)
    result = like(flat, (flat.shape[0], len(shape)), np.int64)
    set_patches(
        result,
        lambda key: np.stack(np.unravel_index(flat[key[0]], shape), axis=1)[:, key[1]],
    )
    return result


def _flat_nonzero(a: Any) -> tuple[Any, tuple[int, ...]]:
    source = whole_array(a)
    agree(source, "nonzero")
    parts = []
    for key, block in my_blocks(source):
        found = np.nonzero(block)
        places = tuple(at + k.start for at, k in zip(found, key, strict=True))
        one = len(places) == 1
        parts.append(places[0] if one else np.ravel_multi_index(places, source.shape))
    mine = np.concatenate(parts) if parts else np.empty(0, np.int64)
    mine = np.sort(mine) if len(parts) > 1 else mine
    group = source.group
    counts = all_rows(group, np.array([len(mine)]))[:, 0]
    flat = like(source, (int(counts.sum()),), np.int64)
    first = int(counts[: group.rank].sum())
    if len(mine):
        flat[first : first + len(mine)] = mine
    complete(flat)
    cyclic = source.distribution.kind in ("block_cyclic", "tiled")
    in_order = not cyclic and is_whole_along(source, tuple(range(1, source.ndim)))
    known = in_order and not source.mirrored  # whose nodes cut their copies each for itself
    return (flat if known or source.whole_group.size == 1 else sort(flat)), source.shape


@collective_over_copies
def take(a: Operand, indices: Any, /, axis: int | None = None) -> Any:
    """Give the elements, or lines along an axis, that indices name. Collective. Blocked.

    Args:
        a: Array or view.
        indices: Integers, of any shape; an Atoll array, or the same on every rank.
        axis: None for elements in row-major order.

    >>> import atoll
    >>> atoll.take(atoll.eye(3), [2, 0], axis=0)[...]
    array([[0., 0., 1.],
           [1., 0., 0.]])

    """
    source = whole_array(a) if axis is not None or len(a.shape) == 1 else ravel(a)
    along = one_axis(0 if axis is None else axis, source.ndim)
    wanted = _indices(indices)
    agree(source, "take", along, wanted)
    before, behind = source.shape[:along], source.shape[along + 1 :]
    inner = tuple(wanted.shape)
    if inner == () and not before + behind:
        number = int(wanted[()])
        _require_inside(np.array([number]), along, source.shape[along])
        value = source[number]
        source.group.sync()  # before anybody changes what others read
        return value
    result = like(source, (*before, *inner, *behind), source.dtype)

    def values(key: Key) -> NDArray[Any]:
        middle = key[along : along + len(inner)]
        lines = np.asarray(part_of(wanted, middle, inner))
        _require_inside(lines, along, source.shape[along])
        flat = (lines % max(1, source.shape[along])).reshape(-1)
        place = (*key[:along], flat, *key[along + len(inner) :])
        part = np.asarray(source[place])
        return part.reshape([k.stop - k.start for k in key])

    set_patches(result, values)
    return result


def _indices(indices: Any) -> Any:
    given = (
        indices if isinstance(indices, (_core.ArrayBase, _core.ViewBase)) else np.asarray(indices)
    )
    if given.dtype.kind not in "iu" and not (isinstance(given, np.ndarray) and given.size == 0):
        raise TypeError(f"indices is {shortly(indices)}, expected integers")
    return given.astype(np.int64) if isinstance(given, np.ndarray) else given


def _require_inside(lines: NDArray[Any], axis: int, extent: int) -> None:
    outside = lines[(lines < -extent) | (lines >= extent)]
    if outside.size:
        _out_of_bounds(int(outside.flat[0]), axis, extent)


def _out_of_bounds(number: int, axis: int, extent: int) -> Any:
    raise IndexError(f"indices: index {number} is out of bounds for axis {axis} with size {extent}")


@collective_over_copies
def take_along_axis(a: Operand, indices: Any, /, axis: int | None = -1) -> Any:
    """Give the elements that indices name along an axis, as of `argsort`. Collective.

    It is cut as the indices, where these are an Atoll array, else blocked.

    >>> import atoll
    >>> a = atoll.from_numpy([[3, 1, 2], [4, 6, 5]])
    >>> atoll.take_along_axis(a, a.argsort(axis=1), axis=1)[...]
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    source = whole_array(a) if axis is not None or len(a.shape) == 1 else ravel(a)
    along = one_axis(0 if axis is None else axis, source.ndim)
    wanted = _indices(indices)
    if len(wanted.shape) != source.ndim:
        raise ValueError(f"indices has shape {tuple(wanted.shape)}, and a {source.shape}")
    agree(source, "take_along_axis", along, wanted)
    pairs = enumerate(zip(source.shape, wanted.shape, strict=True))
    lines = [n if d == along else m for d, (m, n) in pairs]
    shape = np.broadcast_shapes(tuple(lines), tuple(wanted.shape))
    same = isinstance(wanted, _core.ArrayBase) and tuple(wanted.shape) == shape
    result = like(source, shape, source.dtype, wanted.layout if same else None)

    def values(key: Key) -> NDArray[Any]:
        at = np.asarray(part_of(wanted, key, shape))
        _require_inside(at, along, source.shape[along])
        places = list(np.ix_(*(np.arange(k.start, k.stop) for k in key)))
        places = [p % m for p, m in zip(places, source.shape, strict=True)]
        places[along] = at
        return np.asarray(source[tuple(places)])

    set_patches(result, values)
    return result
