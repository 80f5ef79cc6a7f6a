"""Arrays put together, repeated, padded and split; new arrays, blocked, collective.

Each rank reads what it keeps. NumPy arrays may be among what is joined, the same on every rank.
"""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies
from atoll._core import get_periodic
from atoll._signatures import shortly
from atoll.api.arguments import agree, one_axis, whole_array
from atoll.api.cuts import set_patches
from atoll.api.operands import SHAPED, bases, described, part_of
from atoll.api.reshaping import broadcast_to, expand_dims, ravel, reshape, squeeze
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
    kind = np.dtype(dtype) if dtype is not None else np.result_type(*map(described, members))
    first = bases(members)[0]
    agree(first, "concat", *members, along, str(kind))
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
def tile(a: Operand, repetitions: int | Sequence[int], /) -> Any:
    """Repeat an array as a whole, along its axes and new ones before. Collective.

    >>> import atoll
    >>> atoll.tile(atoll.arange(2), (2, 2))[...]
    array([[0, 1, 0, 1],
           [0, 1, 0, 1]])
    """
    source = whole_array(a)
    given = repetitions if isinstance(repetitions, (tuple, list)) else (repetitions,)
    try:
        times = [operator.index(n) for n in given]
    except TypeError:
        raise TypeError(f"repetitions is {repetitions!r}, expected integers") from None
    if any(n < 0 for n in times):
        raise ValueError(f"repetitions is {repetitions!r}, expected zero or more")
    ndim = max(len(times), source.ndim)
    times = [1] * (ndim - len(times)) + times
    agree(source, "tile", times)
    if source.ndim < ndim:
        source = reshape(source, (1,) * (ndim - source.ndim) + source.shape)
    shape = tuple(n * extent for n, extent in zip(times, source.shape, strict=True))
    result = like(source, shape, source.dtype)
    set_patches(result, lambda key: get_periodic(source, key))
    return result


@collective_over_copies
def repeat(a: Operand, repeats: int | Sequence[int], /, axis: int | None = None) -> Any:
    """Repeat every element along an axis. Collective.

    Args:
        a: Array or view.
        repeats: How many times, for all or for each index along the axis.
        axis: None for all elements, as a vector.

    >>> import atoll
    >>> atoll.repeat(atoll.arange(3), [2, 0, 1])[...]
    array([0, 0, 2])

    """
    source = ravel(a) if axis is None and len(a.shape) != 1 else whole_array(a)
    along = one_axis(0 if axis is None else axis, source.ndim)
    times = np.asarray(repeats)
    if times.dtype.kind not in "iu" or times.ndim > 1:
        raise TypeError(f"repeats is {shortly(repeats)}, expected integers")
    if times.size not in (1, source.shape[along]) or (times < 0).any():
        raise ValueError(
            f"repeats is {shortly(repeats)}, expected one number of zero or more, or "
            f"{source.shape[along]}"
        )
    agree(source, "repeat", along, times.tolist())
    ends = np.cumsum(np.broadcast_to(times.reshape(-1), source.shape[along]))
    total = int(ends[-1]) if ends.size else 0
    shape = tuple(total if d == along else n for d, n in enumerate(source.shape))
    result = like(source, shape, source.dtype)

    def values(key: Key) -> NDArray[Any]:
        lines = np.searchsorted(ends, np.arange(key[along].start, key[along].stop), "right")
        return read_lines(source, key, {along: lines})

    set_patches(result, values)
    return result


def read_lines(a: Any, key: Key, lines: dict[int, NDArray[Any]]) -> NDArray[Any]:
    """Read a patch, of some axes the lines that are listed: what spans them, once."""
    box, inner = list(key), [slice(None)] * len(key)
    for axis, numbers in lines.items():
        low, high = (int(numbers.min()), int(numbers.max()) + 1) if numbers.size else (0, 0)
        box[axis] = slice(low, high)
    part: NDArray[Any] = a[tuple(box)]
    for axis, numbers in lines.items():
        inner[axis] = numbers - box[axis].start
        part = part[tuple(inner)]
        inner[axis] = slice(None)
    return part


_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


@collective_over_copies
def pad(
    array: Operand, pad_width: Any, mode: str = "constant", *, constant_values: complex = 0
) -> Any:
    """Put elements around an array. Collective.

    Args:
        array: Array or view.
        pad_width: How many, before and behind: a number, a pair, or a pair for each axis.
        mode: "constant", "edge", "reflect", "symmetric" or "wrap", as in NumPy.
        constant_values: The number that "constant" puts there.

    >>> import atoll
    >>> atoll.pad(atoll.arange(3), 1, mode="wrap")[...]
    array([2, 0, 1, 2, 0])

    """
    source = whole_array(array, "array")
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}, expected one of {', '.join(_MODES)}")
    widths = np.asarray(pad_width)
    if widths.dtype.kind not in "iu" or (widths < 0).any():
        raise TypeError(f"pad_width is {shortly(pad_width)}, expected numbers of zero or more")
    try:
        widths = np.broadcast_to(widths, (source.ndim, 2))
    except ValueError:
        raise ValueError(
            f"pad_width is {shortly(pad_width)}, expected a pair for each of {source.ndim} axes"
        ) from None
    agree(source, "pad", widths.tolist(), mode, constant_values)
    index = "edge" if mode == "constant" else mode
    maps = [
        np.pad(np.arange(n), pair, mode=index) if n else np.zeros(pair.sum(), int)  # type: ignore[call-overload]
        for n, pair in zip(source.shape, widths, strict=True)
    ]
    result = like(source, tuple(len(m) for m in maps), source.dtype)

    def values(key: Key) -> NDArray[Any]:
        if source.size == 0:
            return np.full([k.stop - k.start for k in key], constant_values, source.dtype)
        lines = {d: maps[d][k] for d, k in enumerate(key)}
        part = np.array(read_lines(source, key, lines))
        if mode == "constant":
            for d, k in enumerate(key):
                place = np.arange(k.start, k.stop) - widths[d, 0]
                outside = (place < 0) | (place >= source.shape[d])
                part[(slice(None),) * d + (outside,)] = constant_values
        return part

    if source.size == 0 and mode != "constant" and widths.any():
        raise ValueError(f"mode is {mode!r}, which needs elements; array has none")
    set_patches(result, values)
    return result


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
    times = operator.index(n)
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
