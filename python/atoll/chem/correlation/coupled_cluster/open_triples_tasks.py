"""The task list of the (T) correction of open shells: triples of tiles for each case of spins.

Every rank makes the same list, so a task is known by its number.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Spin: TypeAlias = Literal["a", "b"]
SPINS: tuple[Spin, Spin] = ("a", "b")


class Orbitals(NamedTuple):
    """How many orbitals there are of a spin."""

    occupied: int
    virtual: int

    @property
    def pairs(self) -> int:
        """Pairs of occupied orbitals."""
        return self.occupied * (self.occupied - 1) // 2


class Task(NamedTuple):
    """Three tiles by their numbers: a and b of one spin, c of the same or of the other."""

    spin: Spin
    spin_c: Spin
    a: int
    b: int
    c: int
    cost: int
    """Operations in products of matrices, of the triples that count."""

    @property
    def same_ab(self) -> bool:
        """Tiles a and b are one: only orbitals a > b count."""
        return self.a == self.b

    @property
    def same_bc(self) -> bool:
        """Tiles b and c are one: only orbitals b > c count."""
        return self.spin == self.spin_c and self.b == self.c


def cases(orbitals: dict[Spin, Orbitals]) -> list[tuple[Spin, Spin]]:
    """Give the cases with any triples: the spin of a and b, and that of c."""
    return [case for case in product(SPINS, SPINS) if _operations(*case, orbitals) > 0]


def make_tasks(orbitals: dict[Spin, Orbitals], tiles: dict[Spin, list[slice]]) -> list[Task]:
    """Give all tasks with any triples, the largest cost first; neighbours share tiles."""
    tasks = []
    for spin, spin_c in cases(orbitals):
        each = _operations(spin, spin_c, orbitals)
        for a, b, c in _triples(len(tiles[spin]), len(tiles[spin_c]), same=spin == spin_c):
            task = Task(spin, spin_c, a, b, c, 0)
            count = _count(task, [_width(tiles[spin][x]) for x in (a, b)], tiles[spin_c][c])
            if count > 0:
                tasks.append(task._replace(cost=count * each))
    return sorted(tasks, key=lambda task: -task.cost)  # stable


def _operations(spin: Spin, spin_c: Spin, orbitals: dict[Spin, Orbitals]) -> int:
    """Count the operations of one triple of virtual orbitals; 0 if there is no such triple."""
    one, other = orbitals[spin], orbitals[spin_c]
    depth = one.occupied + one.virtual
    if spin == spin_c:
        if min(one) < 3:
            return 0
        return 6 * one.pairs * one.occupied * depth
    if min(one) < 2 or min(other) < 1:
        return 0
    mixed = one.occupied**2 * other.occupied
    pairs = one.pairs * other.occupied
    return 4 * mixed * (other.occupied + other.virtual) + (4 * pairs + 2 * mixed) * depth


def _triples(count: int, count_c: int, *, same: bool) -> Iterator[tuple[int, int, int]]:
    """Give the numbers of tiles with a >= b, and b >= c if all are of one spin."""
    for b, a in combinations_with_replacement(range(count), 2):
        for c in range(b + 1 if same else count_c):
            yield a, b, c


def _count(task: Task, widths: list[int], tile_c: slice) -> int:
    """Count the triples of a task: with a > b, and b > c if all are of one spin."""
    a, b, c = *widths, _width(tile_c)
    if task.same_ab and task.same_bc:
        return a * (a - 1) * (a - 2) // 6
    if task.same_bc:
        return a * b * (b - 1) // 2
    return (a * (a - 1) // 2 if task.same_ab else a * b) * c


def _width(tile: slice) -> int:
    return int(tile.stop - tile.start)
