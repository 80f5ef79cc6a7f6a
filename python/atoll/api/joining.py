"""Arrays put together and split, differences of neighbours; new arrays, blocked, collective.

Each rank reads what it keeps. NumPy arrays may be among what is joined, the same on every rank.
"""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies
from atoll._signatures import shortly
from atoll.api.arguments import agree, held, integer, one_axis, whole_array
from atoll.api.cuts import set_patches
from atoll.api.operands import SHAPED, bases, described, part_of
from atoll.api.reshaping import broadcast_to, expand_dims, ravel, squeeze
from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Key


def _members(arrays: Any, least: int = 1) -> list[Any]:
    """Give what is joined.

    Raises:
        TypeError: not arrays, or no Atoll array among them.

    """
    if isinstance(arrays, SHAPED) or not isinstance(arrays, (list, tuple)):
        raise TypeError(f"arrays is {shortly(arrays)}, expected a list of arrays")
    members = [x if isinstance(x, SHAPED) else np.asarray(x) for x in arrays]
    for i, x in enumerate(members):
        if x.dtype.kind not in "biufc" or len(x.shape) < least:
            raise TypeError(f"arrays[{i}] is {shortly(arrays[i])}, expected an array of numbers")
    if not bases(members):
        raise TypeError(f"arrays is {shortly(arrays)}, expected an Atoll array among them")
    return members


@collective_over_copies
def concat(arrays: Sequence[Any], /, axis: int | None = 0, *, dtype: Any = None) -> Any:
    """Put arrays after each other, along an axis that they have. Collective.

    Args:
        arrays: Atoll arrays, views and NumPy arrays, of shapes that differ along the axis only.
        axis: The axis; None puts all elements in one vector.
        dtype: Of the result; by default what holds all.

    >>> import atoll
    >>> atoll.concat([atoll.arange(2), atoll.arange(3)])[...]
    array([0, 1, 0, 1, 2])

    """
    members = _members(arrays, 0 if axis is None else 1)
    if axis is None:
        members = [x.reshape(-1) if isinstance(x, np.ndarray) else ravel(x) for x in members]
    shapes = [tuple(x.shape) for x in members]
    along = one_axis(0 if axis is None else axis, len(shapes[0]))
    others = {s[:along] + s[along + 1 :] for s in shapes}
    if len(others) != 1 or len({len(s) for s in shapes}) != 1:
        raise ValueError(f"arrays have shapes {shapes}, which differ beside axis {along}")
    kind = held(dtype) if dtype is not None else np.result_type(*map(described, members))
    for i, x in enumerate(members):
        if not np.can_cast(x.dtype, kind, "same_kind"):
            raise TypeError(f"dtype is {kind}, to which arrays[{i}] of {x.dtype} does not convert")
    first = bases(members)[0]
    agree(first, "concat", *members, along, kind.str)
    ends = np.cumsum([s[along] for s in shapes]).tolist()
    shape = tuple(ends[-1] if d == along else n for d, n in enumerate(shapes[0]))
    result = like(first, shape, kind)

    def values(key: Key) -> NDArray[Any]:
        part = np.empty([k.stop - k.start for k in key], kind)
        begin = 0
        for x, end in zip(members, ends, strict=True):
            low, high = max(key[along].start, begin), min(key[along].stop, end)
            if low < high:
                target, source = [slice(None)] * len(key), list(key)
                target[along] = slice(low - key[along].start, high - key[along].start)
                source[along] = slice(low - begin, high - begin)
                part[tuple(target)] = part_of(x, tuple(source), tuple(x.shape))
            begin = end
        return part

    set_patches(result, values)
    return result


@collective_over_copies
def concatenate(arrays: Sequence[Any], /, axis: int | None = 0, *, dtype: Any = None) -> Any:
    """Put arrays after each other: `concat`, by NumPy's older name. Collective."""
    return concat(arrays, axis, dtype=dtype)


@collective_over_copies
def stack(arrays: Sequence[Any], /, axis: int = 0) -> Any:
    """Put arrays of one shape side by side, along a new axis. Collective.

    >>> import atoll
    >>> atoll.stack([atoll.arange(2), atoll.arange(2)], axis=1)[...]
    array([[0, 0],
           [1, 1]])
    """
    members = _members(arrays)
    if len({tuple(x.shape) for x in members}) != 1:
        raise ValueError(f"arrays have shapes {[tuple(x.shape) for x in members]}, expected one")
    along = one_axis(axis, len(members[0].shape) + 1)
    return concat([_with_axis(x, along) for x in members], along)


def _with_axis(x: Any, axis: int) -> Any:
    return np.expand_dims(x, axis) if isinstance(x, np.ndarray) else expand_dims(x, axis)


@collective_over_copies
def vstack(arrays: Sequence[Any], /) -> Any:
    """Put arrays below each other; vectors are rows. Collective.

    >>> import atoll
    >>> atoll.vstack([atoll.arange(2), atoll.arange(2)]).shape
    (2, 2)
    """
    return concat([_with_axis(x, 0) if len(x.shape) == 1 else x for x in _members(arrays)])


@collective_over_copies
def hstack(arrays: Sequence[Any], /) -> Any:
    """Put arrays side by side, vectors after each other. Collective.

    >>> import atoll
    >>> atoll.hstack([atoll.ones((2, 1)), atoll.zeros((2, 1))])[...]
    array([[1., 0.],
           [1., 0.]])
    """
    members = _members(arrays)
    return concat(members, 0 if len(members[0].shape) == 1 else 1)


@collective_over_copies
def append(arr: Operand, values: Any, axis: int | None = None) -> Any:
    """Give a new array with more behind; of all elements as a vector without an axis. Collective.

    >>> import atoll
    >>> atoll.append(atoll.arange(2), 5)[...]
    array([0, 1, 5])
    """
    whole_array(arr, "arr")
    more = values if isinstance(values, SHAPED) else np.asarray(values)
    if axis is None and isinstance(more, np.ndarray):
        more = more.reshape(-1)
    return concat([arr, more], axis)


@collective_over_copies
def array_split(ary: Operand, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Cut an array along an axis into arrays, as equal as can be, or at indices. Collective.

    >>> import atoll
    >>> [part.shape[0] for part in atoll.array_split(atoll.arange(5), 2)]
    [3, 2]
    """
    extent = ary.shape[one_axis(axis, len(ary.shape))]
    return _parts(ary, _cuts(indices_or_sections, extent), axis)


@collective_over_copies
def split(ary: Operand, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """As `array_split`, into parts that are equal. Collective.

    Raises:
        ValueError: the extent is no multiple of the sections.

    """
    extent = ary.shape[one_axis(axis, len(ary.shape))]
    cuts = _cuts(indices_or_sections, extent)
    if np.ndim(indices_or_sections) == 0 and extent % len(cuts):
        raise ValueError(
            f"indices_or_sections is {indices_or_sections}, which does not divide {extent}"
        )
    return _parts(ary, cuts, axis)


def _cuts(given: Any, extent: int) -> list[slice]:
    try:
        if np.ndim(given) == 0:
            sections = operator.index(given)
            if sections <= 0:
                raise ValueError(f"indices_or_sections is {given}, expected more than zero")
            small, more = divmod(extent, sections)
            sizes = [small + 1] * more + [small] * (sections - more)
            bounds = [0, *np.cumsum(sizes).tolist()]
        else:
            bounds = [0, *map(operator.index, given), extent]
    except TypeError:
        raise TypeError(f"indices_or_sections is {given!r}, expected integers") from None
    return [
        slice(*slice(low, high).indices(extent)[:2]) for low, high in itertools.pairwise(bounds)
    ]


def _parts(ary: Operand, cuts: list[slice], axis: int) -> list[Any]:
    source = whole_array(ary, "ary")
    along = one_axis(axis, source.ndim)
    agree(source, "split", along, *cuts)
    parts = []
    for cut in cuts:
        count = max(0, cut.stop - cut.start)
        shape = tuple(count if d == along else n for d, n in enumerate(source.shape))
        part = like(source, shape, source.dtype)
        set_patches(part, lambda key, cut=cut: source[_moved(key, along, cut.start)])  # type: ignore[misc]
        parts.append(part)
    return parts


def _moved(key: Key, axis: int, by: int) -> Key:
    return tuple(slice(k.start + by, k.stop + by) if d == axis else k for d, k in enumerate(key))


@collective_over_copies
def unstack(x: Operand, /, *, axis: int = 0) -> tuple[Any, ...]:
    """Give the parts along an axis, without it: what `stack` puts together. Collective.

    >>> import atoll
    >>> [part.shape for part in atoll.unstack(atoll.ones((2, 3)))]
    [(3,), (3,)]
    """
    along = one_axis(axis, len(x.shape))
    extent = x.shape[along]
    agree(x, "unstack", along, extent)
    parts = array_split(x, extent, along) if extent else []
    return tuple(squeeze(part, along) for part in parts)


@collective_over_copies
def broadcast_arrays(*arrays: Any) -> list[Any]:
    """Repeat arrays to the shape that they broadcast to together. Collective. New arrays.

    >>> import atoll
    >>> [a.shape for a in atoll.broadcast_arrays(atoll.ones((2, 1)), atoll.ones(3))]
    [(2, 3), (2, 3)]
    """
    if not arrays:
        raise TypeError("arrays is (), expected one at least")
    members = [whole_array(x, f"arrays[{i}]") for i, x in enumerate(arrays)]
    shape = np.broadcast_shapes(*(x.shape for x in members))
    return [broadcast_to(x, shape) for x in members]


@collective_over_copies
def diff(a: Operand, /, n: int = 1, axis: int = -1) -> Any:
    """Give the differences of neighbours along an axis, `n` times over. Collective.

    >>> import atoll
    >>> atoll.diff(atoll.from_numpy([1, 4, 9]))[...]
    array([3, 5])
    """
    source = whole_array(a)
    along = one_axis(axis, source.ndim)
    times = integer(n, "n")
    if times < 0:
        raise ValueError(f"n is {n}, expected zero or more")
    agree(source, "diff", times, along)
    shape = tuple(max(0, m - times) if d == along else m for d, m in enumerate(source.shape))
    result = like(source, shape, source.dtype)

    def values(key: Key) -> NDArray[Any]:
        more = slice(key[along].start, key[along].stop + times)
        part = source[tuple(more if d == along else k for d, k in enumerate(key))]
        return np.diff(part, times, along)

    set_patches(result, values)
    return result
