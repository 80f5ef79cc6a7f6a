"""Integers in numbered bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective

if TYPE_CHECKING:
    from atoll._core import ArrayBase


@collective
def bin_index(
    contents: ArrayBase,
    counts: ArrayBase,
    offsets: ArrayBase,
    values: Any,
    bins: Any,
    *,
    sort: bool = False,
) -> int:
    """Put integers into numbered bins, and give how many there are of all ranks.

    Afterwards bin `b` is `contents[offsets[b] : offsets[b] + counts[b]]`, bin after bin.

    Args:
        contents: Vector of integers with room for the values of all ranks.
        counts: Vector of integers, one a bin.
        offsets: The same.
        values: The integers that this rank brings.
        bins: Where each goes, counted from 0.
        sort: Sort each bin; else the order inside a bin is left to chance.

    >>> import atoll
    >>> contents, counts, offsets = (atoll.zeros(4, dtype=int) for _ in range(3))
    >>> mine = [7, 5, 6] if atoll.rank() == 0 else []
    >>> bin_index(contents, counts, offsets, mine, [3, 0, 0][: len(mine)], sort=True)
    3
    >>> contents[...], counts[...], offsets[...]
    (array([5, 6, 7, 0]), array([2, 0, 0, 1]), array([0, 2, 2, 2]))

    """
    return _core.bin_index(contents, counts, offsets, _integers(values), _integers(bins), sort)


@collective
def bin_sort(contents: ArrayBase, counts: ArrayBase, offsets: ArrayBase) -> None:
    """Sort the contents of each bin in ascending order.

    Raises:
        ValueError: The bins overlap or are not in the order of their offsets.

    """
    _core.bin_sort(contents, counts, offsets)


def _integers(values: Any) -> Any:
    array = np.asarray(values)
    return array if array.size else array.astype(np.int64)  # NumPy takes [] for floats
