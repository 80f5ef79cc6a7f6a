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
_IRREPS = 8


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
    irrep: int
    """Product of the representations of the occupied orbitals; 0 without symmetry."""
    electrons: int
    holes: int
    particles: int
    first: int
    """The first one's number among all strings of these holes, particles and irrep."""
    strings: NDArray[np.uint64]
    """A bit for each occupied orbital, the first orbital the lowest."""

    @cached_property
    def key(self) -> tuple[int, ...]:
        """What the strings are known by: blocks of either spin may hold the same."""
        grade = self.electrons, self.holes, self.particles, self.irrep
        return *grade, self.first, len(self.strings)


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


class Symmetry(NamedTuple):
    """Representations of D2h or a subgroup, as numbers whose product is their exclusive or."""

    irreps: tuple[int, ...]
    """Of the orbitals."""
    wanted: int
    """Of the states."""


class Space:
    """All segments, the same on every rank.

    Args:
        orbitals: How many of each kind.
        electrons: Of alpha and of beta spin.
        segment_bytes: Segments have at most so many, as doubles, or one determinant.
        symmetry: Of states that are wanted alone; none: all.

    """

    def __init__(
        self,
        orbitals: Orbitals,
        electrons: tuple[int, int],
        segment_bytes: int = 4 << 20,
        symmetry: Symmetry | None = None,
    ) -> None:
        known = symmetry or Symmetry((0,) * sum(orbitals), 0)
        self.orbitals, self.electrons = orbitals, electrons
        edge = max(1, math.isqrt(segment_bytes // 8))
        alpha, beta = (list(_blocks(orbitals, known.irreps, n, edge)) for n in electrons)
        self.segments: list[Segment] = []
        offset = 0
        for a, b in itertools.product(alpha, beta):
            excited = max(a.holes + b.holes, a.particles + b.particles)
            if excited <= _MOST_EXCITED and a.irrep ^ b.irrep == known.wanted:
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


def count_determinants(
    orbitals: Orbitals, electrons: tuple[int, int], symmetry: Symmetry | None = None
) -> int:
    """Give the number of determinants without making them."""
    known = symmetry or Symmetry((0,) * sum(orbitals), 0)
    classes = [
        [(h, p, _class_sizes(orbitals, known.irreps, count, h, p)) for h, p in _grades()]
        for count in electrons
    ]
    return sum(
        sum(m[irrep] * n[irrep ^ known.wanted] for irrep in range(_IRREPS))
        for (h, p, m), (g, q, n) in itertools.product(*classes)
        if h + g <= _MOST_EXCITED and p + q <= _MOST_EXCITED
    )


def _grades() -> Iterator[tuple[int, int]]:
    few = range(_MOST_EXCITED + 1)
    return itertools.product(few, few)


def _counts(
    orbitals: Orbitals, electrons: int, holes: int, particles: int
) -> tuple[int, int, int] | None:
    """Electrons in inactive, active and external orbitals; None where there are no such strings."""
    inactive = orbitals.inactive - holes
    counts = inactive, electrons - inactive - particles, particles
    fit = all(0 <= count <= most for count, most in zip(counts, orbitals, strict=True))
    return counts if fit else None


def _class_sizes(
    orbitals: Orbitals, irreps: tuple[int, ...], electrons: int, holes: int, particles: int
) -> list[int]:
    """How many strings there are of each representation."""
    counts = _counts(orbitals, electrons, holes, particles)
    sizes = [1] + [0] * (_IRREPS - 1)
    if counts is None:
        return [0] * _IRREPS
    first = 0
    for orbitals_of_kind, count in zip(orbitals, counts, strict=True):
        ways = _ways(irreps[first : first + orbitals_of_kind], count)
        sizes = [
            sum(sizes[irrep] * ways[irrep ^ product] for irrep in range(_IRREPS))
            for product in range(_IRREPS)
        ]
        first += orbitals_of_kind
    return sizes


def _ways(irreps: tuple[int, ...], electrons: int) -> list[int]:
    """In how many ways electrons occupy orbitals, for each product of representations."""
    ways = [[0] * _IRREPS for _ in range(electrons + 1)]
    ways[0][0] = 1
    for irrep in irreps:
        for count in range(electrons, 0, -1):
            before = ways[count - 1]
            ways[count] = [ways[count][g] + before[g ^ irrep] for g in range(_IRREPS)]
    return ways[electrons]


def _blocks(
    orbitals: Orbitals, irreps: tuple[int, ...], electrons: int, edge: int
) -> Iterator[StringBlock]:
    number = 0
    for holes, particles in _grades():
        all_strings = _strings(orbitals, electrons, holes, particles)
        products = _products(all_strings, irreps)
        for irrep in range(_IRREPS):
            strings = all_strings[products == irrep]
            pieces = -(-len(strings) // edge)
            for piece in range(pieces):
                begin, end = (len(strings) * cut // pieces for cut in (piece, piece + 1))
                some = np.ascontiguousarray(strings[begin:end])
                yield StringBlock(number, irrep, electrons, holes, particles, begin, some)
                number += 1


def _products(strings: NDArray[np.uint64], irreps: tuple[int, ...]) -> NDArray[np.uint64]:
    """Multiply the representations of the occupied orbitals of each string."""
    products = np.zeros(len(strings), dtype=np.uint64)
    for orbital, irrep in enumerate(irreps):
        occupied = (strings >> np.uint64(orbital)) & np.uint64(1)
        products ^= occupied * np.uint64(irrep)
    return products


def _strings(orbitals: Orbitals, electrons: int, holes: int, particles: int) -> NDArray[np.uint64]:
    """Make all strings of so many holes and particles, by their external orbitals."""
    counts = _counts(orbitals, electrons, holes, particles)
    if counts is None:
        return np.zeros(0, dtype=np.uint64)
    inactive, active, external = orbitals
    parts = [
        _combinations(inactive + active, external, counts[2])[:, None, None],
        _combinations(0, inactive, counts[0])[None, :, None],
        _combinations(inactive, active, counts[1])[None, None, :],
    ]
    return (parts[0] | parts[1] | parts[2]).ravel()


def _combinations(first: int, orbitals: int, electrons: int) -> NDArray[np.uint64]:
    """All ways to put electrons into so many orbitals from `first` on, as bits."""
    bits = range(first, first + orbitals)
    ways = itertools.combinations(bits, electrons)
    return np.array([sum(1 << orbital for orbital in way) for way in ways], dtype=np.uint64)
