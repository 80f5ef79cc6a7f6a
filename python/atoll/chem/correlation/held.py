"""Pairs of some orbitals in memory, and how to come by the part of a rank."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll

if TYPE_CHECKING:
    from numpy.typing import NDArray


class OrbitalBlock(NamedTuple):
    """Some orbitals of one rank: `orbitals` counts from the molecule's first."""

    owner: int
    orbitals: slice


@dataclass(frozen=True)
class Held:
    """B[Q, i, a] of consecutive orbitals i, distributed by i."""

    array: atoll.Array
    """Q x i x a. Each rank has all Q and a of some i."""
    first: int
    """Which orbital the array's first one is."""
    count: int
    """How many of them are in use."""

    def blocks(self, width: int) -> list[OrbitalBlock]:
        """Cut the orbitals in use into blocks of `width`, or fewer, with one owner each."""
        made: list[OrbitalBlock] = []
        capacity = self.array.shape[1]
        starts = [*_even_starts(capacity, self.array.group.size), capacity]
        for owner, (begin, end) in enumerate(pairwise(starts)):
            end = min(end, self.count)
            pieces = max(1, -(-(end - begin) // width))
            cuts = [begin + (end - begin) * piece // pieces for piece in range(pieces + 1)]
            made += [
                OrbitalBlock(owner, slice(self.first + a, self.first + b))
                for a, b in pairwise(cuts)
                if b > a
            ]
        return made

    def get(self, block: OrbitalBlock) -> NDArray[np.float64] | atoll.Request:
        """Give the block, Q x i x a: memory of my node as it is, else what is on its way."""
        here = slice(block.orbitals.start - self.first, block.orbitals.stop - self.first)
        if not self.array.group.same_node(block.owner):
            return self.array.get_async(np.s_[:, here, :])
        starts = _even_starts(self.array.shape[1], self.array.group.size)
        offset = starts[block.owner]
        view: NDArray[np.float64] = self.array.block(block.owner)
        return view[:, here.start - offset : here.stop - offset]


def hold(group: atoll.Group, shape: tuple[int, int, int], first: int) -> Held:
    """Make room for Q x i x a. Collective."""
    if 0 in shape:
        return Held(atoll.zeros(shape, group=group, name="(ia|Q)"), first, 0)
    layout = atoll.irregular([[0], _even_starts(shape[1], group.size), [0]])
    array = atoll.zeros(shape, distribution=layout, group=group, name="(ia|Q)")
    return Held(array, first, shape[1])


def _even_starts(count: int, parts: int) -> list[int]:
    """Cut into as even parts as can be, each of one or more."""
    parts = max(1, min(parts, count))
    return [count * part // parts for part in range(parts)]
