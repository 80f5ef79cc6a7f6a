"""Sorting one long line of elements over all ranks: sample sort.

Every rank sorts its share, proposes elements at equal distances, and sends what lies between two of
the chosen ones to one rank, which sorts it again (regular sampling: Shi, Schaeffer, J. Parallel
Distrib. Comput. 14, 1992). Equal elements are told apart by their places: no rank gets more than
twice its share, and the order of equals stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll.array.copies import like

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from atoll._core import ArrayBase, Group


def all_rows(group: Group, mine: NDArray[Any]) -> NDArray[Any]:
    """Give what every rank has brought, a row each, bit by bit. Collective."""
    if group.size == 1:
        return mine[np.newaxis]
    rows = np.zeros((group.size, mine.nbytes), np.uint8)
    rows[group.rank] = np.ascontiguousarray(mine).reshape(-1).view(np.uint8)
    told = np.asarray(group.reduce(rows)).astype(np.uint8)
    return told.view(mine.dtype).reshape(group.size, *mine.shape)


def share(group: Group, count: int, rank: int | None = None) -> slice:
    """Give the part of a line that a rank sorts."""
    r = group.rank if rank is None else rank
    return slice(count * r // group.size, count * (r + 1) // group.size)


def sort_line(
    model: ArrayBase,
    count: int,
    read: Callable[[slice], NDArray[Any]],
    write: Callable[[slice, NDArray[Any], NDArray[Any]], None],
    *,
    places: bool,
) -> None:
    """Sort a line of elements, equal ones in the order of their places. Collective.

    Args:
        model: An array of the line's type, on the ranks that sort.
        count: Of elements.
        read: Gives those of a range.
        write: Takes a range of the sorted line, its values and the places where they stood.
        places: Whether `write` wants places; else it gets none.

    """
    group = model.group
    mine = share(group, count)
    values = np.asarray(read(mine))
    if places:
        order = np.argsort(values, kind="stable")
        values, stood = values[order], order + mine.start
    else:  # any places will do that tell equal elements apart
        values, stood = np.sort(values), np.arange(mine.start, mine.stop)
    if group.size == 1:
        write(mine, values, stood)
        return
    bounds = _bounds(group, values, stood)
    sent = np.diff(bounds)
    counts = all_rows(group, sent)
    begins = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    inbox = like(model, (count,), model.dtype)
    box_of_places = like(model, (count,), np.int64) if places else None
    for to in range(group.size):
        first = int(begins[to] + counts[: group.rank, to].sum())
        part, target = slice(bounds[to], bounds[to + 1]), slice(first, first + int(sent[to]))
        if sent[to]:
            inbox[target] = values[part]
            if box_of_places is not None:
                box_of_places[target] = stood[part]
    group.sync()
    bucket = slice(int(begins[group.rank]), int(begins[group.rank + 1]))
    values = inbox[bucket]
    if box_of_places is not None:
        stood = box_of_places[bucket]
        order = np.lexsort((stood, values))
        write(bucket, values[order], stood[order])
    else:
        write(bucket, np.sort(values, kind="stable"), stood[:0])


def _bounds(group: Group, values: NDArray[Any], stood: NDArray[Any]) -> NDArray[Any]:
    """Give where my sorted elements are cut, into a part for each rank."""
    picks = np.arange(group.size) * len(values) // group.size
    picked = np.zeros(group.size, values.dtype)
    numbers = np.full(group.size, -1, np.int64)
    if len(values):
        picked[:], numbers[:] = values[picks], stood[picks]
    samples, at = all_rows(group, picked).reshape(-1), all_rows(group, numbers).reshape(-1)
    samples, at = samples[at >= 0], at[at >= 0]
    order = np.lexsort((at, samples))
    chosen = order[np.arange(1, group.size) * len(order) // group.size] if len(order) else order
    cuts = [0]
    for value, place in zip(samples[chosen], at[chosen], strict=True):
        low = int(np.searchsorted(values, value, "left"))
        high = int(np.searchsorted(values, value, "right"))
        cuts.append(low + int(np.searchsorted(stood[low:high], place, "left")))
    cuts += [0] * (group.size - len(cuts))
    return np.array([*cuts, len(values)])
