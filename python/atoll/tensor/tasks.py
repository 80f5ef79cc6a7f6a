"""How a contraction is cut: tasks whose patches are of bounded size."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    Ranges = dict[str, tuple[int, int]]

MOST_ELEMENTS = 1 << 20  # of a patch: 8 MiB of doubles, whose product hides their transfer
LEAST_INNER = 256  # a sum over fewer makes a slow product: then the result's patch is cut


def cut(ranges: Ranges, operands: tuple[str, ...], result: str, most: int) -> dict[str, int]:
    """Give extents of tiles for which no operand's patch, nor the result's, has more elements."""
    tile = {letter: max(1, end - begin) for letter, (begin, end) in ranges.items()}
    inner = {x for letters in operands for x in letters if x not in result}

    def size(letters: str) -> int:
        return math.prod(tile[x] for x in letters)

    for letters in (result, *operands):
        while size(letters) > most:
            summed = [x for x in letters if x in inner and tile[x] > 1]
            enough = math.prod(tile[x] for x in summed) > LEAST_INNER
            free = [x for x in letters if x not in inner and tile[x] > 1]
            choice = summed if summed and (enough or not free) else free
            longest = max(choice, key=lambda x: tile[x])
            tile[longest] = (tile[longest] + 1) // 2
    return tile


def tiles(ranges: Ranges, letters: str, tile: dict[str, int]) -> list[Ranges]:
    """Give the tiles of these letters, in order."""
    cuts = [
        [(x, (b, min(b + tile[x], ranges[x][1]))) for b in range(*ranges[x], tile[x])]
        for x in letters
    ]
    return [dict(chosen) for chosen in itertools.product(*cuts)]


def tasks(
    ranges: Ranges, operands: tuple[str, ...], result: str, turn: int, most: int
) -> Iterator[tuple[Ranges, bool]]:
    """Give the tasks within some ranges, each with whether the result's patch is done after it.

    Each rank begins the sum at another tile, by its `turn`: so they ask different owners.
    """
    tile = cut(ranges, operands, result, most)
    inner = "".join(sorted({x for letters in operands for x in letters if x not in result}))
    summed = tiles(ranges, inner, tile)
    if summed:
        turn %= len(summed)
        summed = summed[turn:] + summed[:turn]
    for outer in tiles(ranges, result, tile):
        for position, some in enumerate(summed):
            yield outer | some, position == len(summed) - 1
