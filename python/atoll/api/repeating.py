"""Arrays repeated and padded; new arrays, blocked, collective.

Each rank reads what it keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._agreement import collective_over_copies
from atoll._core import get_periodic
from atoll._signatures import shortly
from atoll.api.arguments import agree, integer, one_axis, whole_array
from atoll.api.cuts import set_patches
from atoll.api.reshaping import ravel, reshape
from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.algebra.elementwise import Operand
    from atoll.api.arguments import Key


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
    times = [integer(n, "repetitions") for n in given]
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
    if not isinstance(constant_values, (int, float, complex, np.number)):
        raise TypeError(f"constant_values is {shortly(constant_values)}, expected a number")
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
