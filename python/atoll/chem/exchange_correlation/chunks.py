"""What a rank needs of a chunk of the grid: its points, the functions there, and their values.

Values of functions may be kept from one build to the next, as far as a budget of bytes goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from atoll.chem.exchange_correlation.grid import FUNCTION_CUTOFF
from atoll.chem.exchange_correlation.patch import Patch
from atoll.chem.integrals import pyscf_grids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from atoll.chem.exchange_correlation.grid import MolecularGrid


class Chunk(NamedTuple):
    """A chunk of the grid with the values of the functions that reach it."""

    weights: NDArray[np.float64]
    patch: Patch
    values: NDArray[np.float64]
    """Components x functions x points; valid until the next chunk is asked for."""


class _Place(NamedTuple):
    """Which shells reach a chunk, and where their functions stand in matrices."""

    shells: NDArray[np.intp]
    screen: NDArray[np.uint8]
    functions: NDArray[np.int32]


class ChunkValues:
    """Gives chunks with the values of their functions. Nothing here is collective."""

    def __init__(self, mole: Any, grid: MolecularGrid, keep_bytes: int) -> None:
        """Keep at most `keep_bytes` of values for the next time."""
        self._grid = grid
        self._functions = pyscf_grids.Functions(mole)
        self._places: dict[int, _Place] = {}
        self._patches: dict[tuple[int, int], Patch] = {}
        self._kept: dict[tuple[int, int], tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        self._room = keep_bytes
        self._buffer = np.empty(0)

    def get(self, number: int, derivatives: int, *, narrow: int, keep: bool) -> Chunk:
        """Get a chunk with the values of its functions and their derivatives.

        `narrow` is that of its patch; `keep` says that the values will be asked for again.
        """
        weights, values = self._values(number, derivatives, keep)
        patch = self._patches.get((number, narrow))
        if patch is None:
            patch = Patch(self._places[number].functions, narrow)
            self._patches[number, narrow] = patch
        return Chunk(weights, patch, values)

    def _values(
        self, number: int, derivatives: int, keep: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give the weights of a chunk's points and the values of its functions."""
        kept = self._kept.get((number, derivatives))
        if kept is not None:
            return kept
        points = self._grid.chunk(number)
        place = self._places.get(number)
        if place is None:
            place = self._places[number] = self._place(points.positions)
        components = (1, 4, 10)[derivatives]
        size = components * len(place.functions) * len(points.weights)
        room = keep and 8 * size <= self._room
        memory = np.empty(size) if room else self._memory(size)
        values = self._functions.evaluate(
            points.positions, place.shells, place.screen, derivatives, memory
        )
        if room:
            self._room -= memory.nbytes
            self._kept[number, derivatives] = points.weights, values
        return points.weights, values

    def _place(self, positions: NDArray[np.float64]) -> _Place:
        screen = self._functions.screen(positions, FUNCTION_CUTOFF)
        starts = self._functions.starts
        shells = np.flatnonzero(screen.any(axis=0))
        functions = np.concatenate(
            [np.arange(starts[shell], starts[shell + 1], dtype=np.int32) for shell in shells]
            or [np.empty(0, dtype=np.int32)]
        )
        return _Place(shells, np.ascontiguousarray(screen[:, shells]), functions)

    def _memory(self, size: int) -> NDArray[np.float64]:
        """Give memory that is used again for every chunk."""
        if len(self._buffer) < size:
            self._buffer = np.empty(size)
        return self._buffer[:size]
