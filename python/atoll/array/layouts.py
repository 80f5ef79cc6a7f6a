"""How to cut an array: the values of `distribution=` in the functions that create arrays."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from atoll._core import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Extents = int | Iterable[int]


def extents(value: Extents, name: str = "shape") -> tuple[int, ...]:
    """Give a shape as a tuple; one number stands for one dimension."""
    wrong = f"{name} is {value!r} ({type(value).__name__}), expected integers, one a dimension"
    try:
        numbers: tuple[int, ...] = (operator.index(value),)  # type: ignore[arg-type]
    except TypeError:
        if isinstance(value, (dict, str, bytes)):  # that might give integers, or nothing at all
            raise TypeError(wrong) from None
        try:
            numbers = tuple(operator.index(extent) for extent in value)  # type: ignore[union-attr]
        except TypeError:
            raise TypeError(wrong) from None
    if any(abs(number) >= 1 << 63 for number in numbers):
        raise OverflowError(f"{wrong}, of less than 64 bits")
    return numbers


def blocked(minimum_block: Extents = (), *, halo: Extents = ()) -> Layout:
    """Cut into a grid of blocks of nearly equal size, one a rank; what arrays have by default.

    Args:
        minimum_block: No block gets smaller than this, per dimension; 0 leaves it free, and the
            whole extent keeps a dimension in one piece.
        halo: Room around every block for copies of what lies next to it: its width per dimension,
            or one for all; see `Array.update_halo`.

    >>> import atoll
    >>> a = atoll.zeros((500, 100), distribution=atoll.blocked((0, 100)))  # whole rows
    >>> a.local().shape[1]
    100

    """
    return Layout.blocked(extents(minimum_block, "minimum_block")).with_halo(extents(halo, "halo"))


def irregular(starts: Sequence[Sequence[int]], *, halo: Extents = ()) -> Layout:
    """Cut where told.

    Args:
        starts: For each dimension the first index of every block; begins with 0 and ascends.
            At most as many blocks in all as ranks.
        halo: As for `blocked`.

    >>> import atoll
    >>> a = atoll.zeros((6, 4), distribution=atoll.irregular([[0], [0]]))
    >>> a.owner(5, 3)
    0

    """
    try:
        cuts = [[operator.index(start) for start in axis] for axis in starts]
    except TypeError:
        wrong = f"starts is {starts!r}, expected for each dimension a sequence of integers"
        raise TypeError(wrong) from None
    layout = Layout.irregular(cuts)
    return layout.with_halo(extents(halo, "halo"))


def block_cyclic(block: Extents, grid: Extents = ()) -> Layout:
    """Deal blocks of fixed size round robin to a grid of ranks (ScaLAPACK's layout).

    Args:
        block: Size of a block, per dimension.
        grid: Ranks per dimension; chosen when left out.

    """
    return Layout.block_cyclic(extents(block, "block"), extents(grid, "grid"))


def tiled(tile: Extents, grid: Extents = ()) -> Layout:
    """Deal tiles like `block_cyclic`, each contiguous in memory.

    >>> import atoll
    >>> a = atoll.zeros((8, 8), distribution=atoll.tiled((4, 4)))
    >>> all(tile.shape == (4, 4) for _, tile in a.blocks())
    True
    """
    return Layout.tiled(extents(tile, "tile"), extents(grid, "grid"))
