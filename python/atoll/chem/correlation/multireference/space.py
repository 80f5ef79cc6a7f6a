"""Determinants that single and double excitations reach from a complete active space.

Orbitals are inactive (full in the reference), active (occupied in all ways) and external (empty).
A string, the orbitals of one spin, has up to two holes among the inactive ones and up to two
particles in external ones; so has a determinant, with both spins together. Strings are in blocks of
equally many holes and particles, and a block of alpha strings with one of beta strings makes a
segment: the piece in which vectors are kept, moved and computed.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MOST_ORBITALS = 64
"""As many as a string has bits."""
_MOST_EXCITED = 2


class Orbitals(NamedTuple):
    """How many orbitals of each kind there are, in this order."""

    inactive: int
    active: int
    external: int


@dataclass(frozen=True, eq=False)
class StringBlock:
    """Strings of one spin with equally many holes and particles."""

    number: int
    """Among the blocks of its spin."""
    electrons: int
    holes: int
    particles: int
    first: int
    """The first one's number among all strings of so many holes and particles."""
    strings: NDArray[np.uint64]
    """A bit for each occupied orbital, the first orbital the lowest."""

    @cached_property
    def key(self) -> tuple[int, int, int, int, int]:
        """What the strings are known by: blocks of either spin may hold the same."""
        return self.electrons, self.holes, self.particles, self.first, len(self.strings)


class Segment(NamedTuple):
    """A block of determinants: a matrix of alpha strings x beta strings."""

    number: int
    alpha: StringBlock
    beta: StringBlock
    offset: int
    """Of its first determinant among all."""
    shape: tuple[int, int]
    """How many alpha and beta strings there are."""
    size: int
    """How many determinants."""

    @property
    def end(self) -> int:
        """The number behind its last determinant among all."""
        return self.offset + self.size

    @property
    def is_reference(self) -> bool:
        """Whether its determinants have neither holes nor particles."""
        return not (
            self.alpha.holes or self.beta.holes or self.alpha.particles or self.beta.particles
        )


class Space:
    """All segments, the same on every rank.

    Args:
        orbitals: How many of each kind.
        electrons: Of alpha and of beta spin.
        segment_bytes: Segments have at most so many, as doubles, or one determinant.

    """

    def __init__(
        self, orbitals: Orbitals, electrons: tuple[int, int], segment_bytes: int = 4 << 20
    ) -> None:
        self.orbitals, self.electrons = orbitals, electrons
        edge = max(1, math.isqrt(segment_bytes // 8))
        alpha, beta = (list(_blocks(orbitals, count, edge)) for count in electrons)
        self.segments: list[Segment] = []
        offset = 0
        for a, b in itertools.product(alpha, beta):
            if a.holes + b.holes <= _MOST_EXCITED and a.particles + b.particles <= _MOST_EXCITED:
                shape = len(a.strings), len(b.strings)
                segment = Segment(len(self.segments), a, b, offset, shape, math.prod(shape))
                self.segments.append(segment)
                offset = segment.end
        self.size = offset
        """Determinants."""

    @cached_property
    def references(self) -> list[Segment]:
        """Segments of the complete active space."""
        return [segment for segment in self.segments if segment.is_reference]


def count_determinants(orbitals: Orbitals, electrons: tuple[int, int]) -> int:
    """Give the number of determinants without making them."""
    classes = [
        [(h, p, _class_size(orbitals, count, h, p)) for h, p in _grades()] for count in electrons
    ]
    return sum(
        m * n
        for (h, p, m), (g, q, n) in itertools.product(*classes)
        if h + g <= _MOST_EXCITED and p + q <= _MOST_EXCITED
    )


def _grades() -> Iterator[tuple[int, int]]:
    few = range(_MOST_EXCITED + 1)
    return itertools.product(few, few)


def _active_electrons(orbitals: Orbitals, electrons: int, holes: int, particles: int) -> int:
    return electrons - (orbitals.inactive - holes) - particles


def _class_size(orbitals: Orbitals, electrons: int, holes: int, particles: int) -> int:
    active = _active_electrons(orbitals, electrons, holes, particles)
    if active < 0:
        return 0
    return (
        math.comb(orbitals.inactive, holes)
        * math.comb(orbitals.active, active)
        * math.comb(orbitals.external, particles)
    )


def _blocks(orbitals: Orbitals, electrons: int, edge: int) -> Iterator[StringBlock]:
    number = 0
    for holes, particles in _grades():
        strings = _strings(orbitals, electrons, holes, particles)
        count = len(strings)
        pieces = -(-count // edge)
        for piece in range(pieces):
            begin, end = count * piece // pieces, count * (piece + 1) // pieces
            yield StringBlock(number, electrons, holes, particles, begin, strings[begin:end])
            number += 1


def _strings(orbitals: Orbitals, electrons: int, holes: int, particles: int) -> NDArray[np.uint64]:
    """Make all strings of so many holes and particles, by their external orbitals."""
    if _class_size(orbitals, electrons, holes, particles) == 0:
        return np.zeros(0, dtype=np.uint64)
    inactive, active, external = orbitals
    in_active = _active_electrons(orbitals, electrons, holes, particles)
    parts = [
        _combinations(inactive + active, external, particles)[:, None, None],
        _combinations(0, inactive, inactive - holes)[None, :, None],
        _combinations(inactive, active, in_active)[None, None, :],
    ]
    return np.ascontiguousarray((parts[0] | parts[1] | parts[2]).ravel())


def _combinations(first: int, orbitals: int, electrons: int) -> NDArray[np.uint64]:
    """All ways to put electrons into so many orbitals from `first` on, as bits."""
    bits = range(first, first + orbitals)
    ways = itertools.combinations(bits, electrons)
    return np.array([sum(1 << orbital for orbital in way) for way in ways], dtype=np.uint64)
