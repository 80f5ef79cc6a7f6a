"""The task list of the (T) correction: triples of tiles of virtual orbitals, costly ones first.

Every rank makes the same list, so a task is known by its number. One tile of a task has the
orbitals that the kernel lays side by side in lanes, of which it does eight or four at a time; the
list says which, so that few lanes are empty.
"""

from __future__ import annotations

import functools
from itertools import combinations_with_replacement, pairwise
from typing import NamedTuple

LANES = 8
"""Orbitals that the kernel does together; of a rest of up to half of them, so many."""


class Task(NamedTuple):
    """Three tiles by their numbers, that of the lanes first."""

    a: int
    b: int
    c: int
    same_ab: bool
    """Tiles a and b are one: only orbitals a >= b count."""
    same_bc: bool
    cost: int
    """In lanes with work, whether it counts or not."""


def cut(orbitals: int, width: int) -> list[slice]:
    """Cut the virtual orbitals into tiles of `width`, and what is left."""
    starts = [*range(0, orbitals, width), orbitals]
    return [slice(begin, end) for begin, end in pairwise(starts)]


def make_tasks(tiles: list[slice]) -> list[Task]:
    """Give all triples of tiles, the largest cost first; neighbours share tiles."""
    widths = [tile.stop - tile.start for tile in tiles]
    triples = combinations_with_replacement(range(len(tiles)), 3)
    tasks = [min(_ways(triple, widths), key=lambda task: task.cost) for triple in triples]
    return sorted(tasks, key=lambda task: -task.cost)  # stable


def _ways(triple: tuple[int, int, int], widths: list[int]) -> list[Task]:
    """Give the choices of the tile in lanes."""
    x, y, z = triple
    if x == y == z:
        orders = [(x, x, x)]
    elif x == y or y == z:
        twice, once = (x, z) if x == y else (z, x)
        orders = [(once, twice, twice), (twice, twice, once)]
    else:
        orders = [(x, y, z), (y, x, z), (z, x, y)]
    return [
        Task(a, b, c, a == b, b == c, _cost(widths[a], widths[b], widths[c], a == b, b == c))
        for a, b, c in orders
    ]


@functools.cache
def _cost(a: int, b: int, c: int, same_ab: bool, same_bc: bool) -> int:
    """Count the lanes that the kernel works on, for tiles of such widths."""
    cost = 0
    for first in range(0, a, LANES):
        count = min(LANES, a - first)
        lanes = LANES if count > LANES // 2 else LANES // 2
        end = min(b, first + count) if same_ab else b
        cost += lanes * (end * (end + 1) // 2 if same_bc else end * c)
    return cost
