"""Index arrays and masks: which elements a key selects, element by element.

NumPy itself decides what a key means: applied to an array of coordinates (broadcast, so that it
takes no memory) it gives the coordinate of every selected element, in the result's shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll._core import ArrayBase
from atoll._signatures import shortly

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll._core import LazyMirrorBase


# From so many elements a row it is better moved by a patch than element by element.
_LONG_ROW = 16


def _refused(error: IndexError, key: Any) -> IndexError:
    """Give NumPy's error with the key, where it does not say which index it means."""
    text = str(error)
    return error if "out of bounds" in text else IndexError(f"{text}; key is {shortly(key)}")


def _index_arrays(
    shape: tuple[int, ...], key: Any
) -> tuple[NDArray[np.int64], tuple[int, ...]] | None:
    """`positions` of a key with integers or an array of them for each axis; None for other keys.

    Its cost is that of the key, whatever the extents: an axis may have 10^10 elements.
    """
    entries = key if isinstance(key, tuple) else (key,)
    if len(entries) != len(shape):
        return None
    columns = [np.asarray(entry) for entry in entries]
    if any(column.dtype.kind not in "iu" for column in columns):
        return None
    try:
        found = np.broadcast_shapes(*(column.shape for column in columns))
    except ValueError:
        return None  # NumPy says what is wrong
    result = np.empty((*found, len(shape)), dtype=np.int64)
    for axis, (column, extent) in enumerate(zip(columns, shape, strict=True)):
        if column.size and not (-extent <= column.min() and column.max() < extent):
            wrong = column[(column < -extent) | (column >= extent)].flat[0]
            raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {extent}")
        result[..., axis] = column
        if column.dtype.kind == "i" and column.size and column.min() < 0:
            result[..., axis] += np.where(column < 0, extent, 0)
    return result.reshape(-1, len(shape)), found


def positions(shape: tuple[int, ...], key: Any) -> tuple[NDArray[np.int64], tuple[int, ...]]:
    """Give the positions that `key` selects, one a row, and the shape of the result.

    Raises:
        IndexError: as NumPy does for this shape and key.

    """
    if (found := _index_arrays(shape, key)) is not None:
        return found
    columns = []
    for axis, extent in enumerate(shape):
        along = np.arange(extent).reshape([-1 if d == axis else 1 for d in range(len(shape))])
        try:
            columns.append(np.asarray(np.broadcast_to(along, shape)[key]))
        except IndexError as error:
            raise _refused(error, key) from None
    result = np.empty((columns[0].size, len(shape)), dtype=np.int64)
    for axis, column in enumerate(columns):
        result[:, axis] = column.ravel()
    return result, columns[0].shape


def _rows(shape: tuple[int, ...], key: Any) -> Iterator[tuple[Any, Any]] | None:
    """Split a key with one list of indices among slices into (patch, its place in the result).

    None for other keys, and where the patches would be small.
    """
    entries = list(key) if isinstance(key, tuple) else [key]
    at = [i for i, e in enumerate(entries) if isinstance(e, (list, np.ndarray))]
    if len(at) != 1 or any(
        not isinstance(e, slice) and e is not Ellipsis for i, e in enumerate(entries) if i != at[0]
    ):
        return None
    indices = np.asarray(entries[at[0]])
    ellipses = [i for i, e in enumerate(entries) if e is Ellipsis]
    if indices.ndim != 1 or indices.dtype.kind not in "iu" or len(ellipses) > 1:
        return None
    used = len(entries) - len(ellipses)
    if used > len(shape):
        return None
    where = ellipses[0] if ellipses else len(entries)
    filling = [slice(None)] * (len(shape) - used)
    entries[where : where + len(ellipses)] = filling
    axis = at[0] if at[0] < where else at[0] + len(filling) - 1
    lengths = [
        len(range(*e.indices(n)))
        for d, (e, n) in enumerate(zip(entries, shape, strict=True))
        if d != axis
    ]
    if np.prod(lengths, dtype=np.int64) < _LONG_ROW:
        return None
    before, after = tuple(entries[:axis]), tuple(entries[axis + 1 :])
    lead = (slice(None),) * axis
    numbers = np.arange(shape[axis])[indices]  # negative ones resolved, bounds checked
    return (
        ((*before, slice(int(n), int(n) + 1), *after), (*lead, slice(i, i + 1)))
        for i, n in enumerate(numbers)
    )


def _result_shape(shape: tuple[int, ...], key: Any) -> tuple[int, ...]:
    nothing = np.broadcast_to(np.empty((1,) * len(shape), dtype=np.int8), shape)
    return np.shape(nothing[key])


def _fit(
    array: ArrayBase, value: Any, shape: tuple[int, ...], *, to_add: bool = False
) -> NDArray[Any]:
    values = array.elements_from(value, to_add)
    while values.ndim > len(shape) and values.shape[0] == 1:
        values = values[0]
    return np.broadcast_to(values, shape)


def _of_numpy(key: Any) -> Any:
    """Give a key with the Atoll arrays in it read: what it selects is as large."""
    if isinstance(key, tuple):
        return tuple(map(_of_numpy, key))
    return key[...] if isinstance(key, ArrayBase) else key


def get(array: ArrayBase | LazyMirrorBase, key: Any) -> Any:
    """Read the elements that `key` selects."""
    key = _of_numpy(key)
    if array.shape == ():
        return np.asarray(array[()])[key]
    if (rows := _rows(array.shape, key)) is not None:
        result = np.empty(_result_shape(array.shape, key), dtype=array.dtype)
        for patch, place in rows:
            array.get_into(patch, result[place])
        return result
    where, shape = positions(array.shape, key)
    values = array.gather_elements(where)
    return values.reshape(shape) if shape else values[0]


def put(array: ArrayBase, key: Any, value: Any) -> None:
    """Store `value`, broadcast, to the elements that `key` selects."""
    key = _of_numpy(key)
    if array.shape == ():
        whole = np.array(array[()])
        whole[key] = array.elements_from(value)
        array[()] = whole
        return
    if (rows := _rows(array.shape, key)) is not None:
        values = _fit(array, value, _result_shape(array.shape, key))
        for patch, place in rows:
            array[patch] = values[place]
        return
    where, shape = positions(array.shape, key)
    array.scatter_elements(where, np.ascontiguousarray(_fit(array, value, shape)).reshape(-1))


def add(array: ArrayBase, key: Any, value: Any, alpha: Any = None) -> None:
    """Add `alpha * value` to the elements that `key` selects; equal ones add up."""
    key = _of_numpy(key)
    if array.shape == ():
        chosen = np.zeros((), np.int64)
        np.add.at(chosen, key, 1)
        if chosen:
            array.accumulate((), value, alpha)
        return
    if (rows := _rows(array.shape, key)) is not None:
        values = _fit(array, value, _result_shape(array.shape, key), to_add=True)
        for patch, place in rows:
            array.accumulate(patch, values[place], alpha)
        return
    where, shape = positions(array.shape, key)
    values = np.ascontiguousarray(_fit(array, value, shape, to_add=True)).reshape(-1)
    array.scatter_accumulate_elements(where, values, alpha)
