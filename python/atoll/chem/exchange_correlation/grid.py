"""The integration grid of a molecule, made by all ranks and distributed over them in chunks.

An atom's points are a task: a rank computes them with their Becke weights, drops those of which
the atom has no share, and cuts the rest into chunks, compact pieces whose points see much the same
basis functions. Chunks are then dealt out so that the ranks have about equal work, and each rank
holds the points of its own.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import atoll
from atoll.chem.exchange_correlation.pieces import compact_pieces
from atoll.chem.integrals import pyscf_grids
from atoll.chem.molecules.agreed import agree_on_settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Source = pyscf_grids.AtomicGrids | pyscf_grids.OwnPoints

CHUNK_POINTS = 18 * pyscf_grids.BLOCK
"""Most points of a chunk: the values of 200 functions and their gradients fit a cache of 8 MB."""
SMALLEST_SHARE = 1e-14
"""Points whose atom has a smaller share than this are dropped: they hold no charge to speak of."""
FUNCTION_CUTOFF = 1e-10
"""Shells whose functions are all smaller than this on a chunk are left out of it."""
ROWS = 4  # x, y, z and the weight of a point


class Points(NamedTuple):
    """Points of a chunk."""

    positions: NDArray[np.float64]
    """n x 3 in bohr, a column after the other in memory."""
    weights: NDArray[np.float64]
    """n, in bohr^3."""


class MolecularGrid:
    """Points and weights of a molecule in chunks, PySCF's grid. Made collectively.

    Chunks are numbered by owner, those of an owner by falling cost.

    Attributes:
        points: Points of each chunk.
        functions: Basis functions that reach each chunk.
        starts: First chunk of each rank's; at the end the number of chunks.

    """

    def __init__(self, mole: Any, group: atoll.Group, level: int = 3, settings: Any = None) -> None:
        """See `pyscf_grids.AtomicGrids`; ValueError: no such level, on all ranks."""
        if level not in pyscf_grids.LEVELS:
            raise ValueError(f"level is {level}, expected an integer from 0 to 9")
        atoms = _points_of(mole, group, level, settings)
        functions = pyscf_grids.Functions(mole)
        made: dict[int, list[NDArray[np.float64]]] = {}
        with pyscf_grids.single_thread():
            for atom in atoll.Counter(group=group).below(atoms.count):
                made[atom] = _chunks_of(atoms, atom)
            first, table = _chunk_table(made, functions, atoms.count, group)
        order, self.starts = _deal(table, group.size)
        self.points, self.functions = table[order].T.copy()
        self._ends = np.concatenate([[0], np.cumsum(self.points)])
        self._array = self._distributed(group)
        numbers = np.argsort(order)
        for atom, chunks in made.items():
            for offset, chunk in enumerate(chunks):
                self._array[self._range(int(numbers[first[atom] + offset]))] = chunk.ravel()
        group.sync()

    def __len__(self) -> int:
        """Give the number of chunks."""
        return len(self.points)

    @property
    def size(self) -> int:
        """Number of points."""
        return int(self._ends[-1])

    def chunk(self, number: int) -> Points:
        """Get a chunk's points. Not collective."""
        values = self._array[self._range(number)].reshape(ROWS, -1)
        return Points(values[:3].T, values[3])

    def close(self) -> None:
        """Free the points. Collective."""
        self._array.destroy()

    def _range(self, number: int) -> slice:
        return slice(ROWS * int(self._ends[number]), ROWS * int(self._ends[number + 1]))

    def _distributed(self, group: atoll.Group) -> atoll.Array:
        """Make the array of points, each rank's chunks in its own memory. Collective."""
        owners = np.flatnonzero(np.diff(self.starts))  # the first ones, if chunks are few
        begin = [ROWS * int(self._ends[self.starts[owner]]) for owner in owners]
        layout = atoll.irregular([begin])
        return atoll.zeros(ROWS * self.size, distribution=layout, group=group, name="grid")


def _points_of(mole: Any, group: atoll.Group, level: int, settings: Any) -> _Source:
    """Give where points come from: settings of a grid, or the first rank's own points."""
    own = settings is not None and settings.coords is not None
    shape = np.shape(settings.coords) if own else ()
    chosen = () if own else pyscf_grids.facts_of(level, settings)
    agree_on_settings(group, "the grid", (own, shape, *chosen))
    if not own:
        return pyscf_grids.AtomicGrids(mole, level, settings)
    pyscf_grids.OwnPoints(settings.coords, settings.weights)  # which checks them
    coords, weights = (
        np.asarray(group.broadcast(np.ascontiguousarray(each, dtype=np.float64))).reshape(to)
        for each, to in ((settings.coords, shape), (settings.weights, shape[:1]))
    )
    return pyscf_grids.OwnPoints(coords, weights)


def _chunks_of(atoms: _Source, atom: int) -> list[NDArray[np.float64]]:
    """Make the chunks of an atom: 4 x n, rows x, y, z and weights."""
    positions, weights = atoms.of_atom(atom, SMALLEST_SHARE)
    rows = np.vstack([positions.T, weights])
    pieces = compact_pieces(positions, CHUNK_POINTS, pyscf_grids.BLOCK)
    return [np.ascontiguousarray(rows[:, piece]) for piece in pieces]


def _chunk_table(
    made: dict[int, list[NDArray[np.float64]]],
    functions: pyscf_grids.Functions,
    atoms: int,
    group: atoll.Group,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the first chunk of each atom, and points and functions of every chunk. Collective."""
    counts = np.zeros(atoms, dtype=np.int64)
    for atom, chunks in made.items():
        counts[atom] = len(chunks)
    counts = np.asarray(group.reduce(counts))
    first = np.concatenate([[0], np.cumsum(counts)])
    table = np.zeros((int(first[-1]), 2), dtype=np.int64)
    for atom, chunks in made.items():
        for number, chunk in enumerate(chunks, int(first[atom])):
            reached = functions.screen(chunk[:3].T, FUNCTION_CUTOFF).any(axis=0)
            widths = np.diff(functions.starts)
            table[number] = chunk.shape[1], widths[reached].sum()
    return first, np.asarray(group.reduce(table))


def _deal(table: NDArray[np.int64], ranks: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Deal chunks to ranks, the costly first, each to who has least; give order and starts.

    Whole numbers and stable orders: every rank comes to the same.
    """
    points, functions = table.T
    # Products of matrices, and what grows with the functions alone: as measured, one for 50.
    cost = points * (functions * (functions + 50) + 50)
    load = [(0, rank) for rank in range(ranks)]
    owners = np.zeros(len(table), dtype=np.int64)
    falling = np.argsort(-cost, kind="stable")
    for chunk in falling:
        least, rank = load[0]
        owners[chunk] = rank
        heapq.heapreplace(load, (least + int(cost[chunk]), rank))
    order = falling[np.argsort(owners[falling], kind="stable")]
    starts = np.searchsorted(owners[order], np.arange(ranks + 1))
    return order, starts.astype(np.int64)
