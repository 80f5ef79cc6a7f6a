"""Coulomb and exchange matrices from integrals that are computed when they are needed.

Densities, Coulomb and exchange matrices are Atoll arrays, cut along block boundaries. Tasks are
taken from a counter; a rank gets the density blocks its task needs, adds up its results in tiles of
its own and accumulates those into the arrays when they grow too many and at the end. Apart from
these arrays and the counter the ranks share nothing.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.fock.tasks import make_tasks
from atoll.chem.fock.two_electron import BuildStatistics
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.one_electron import schwarz_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll._core import DensityTile, FockTile
    from atoll.chem.fock.two_electron import Density, Progress
    from atoll.chem.integrals.blocked_basis import BlockedBasis

CACHE_BYTES = 64 << 20
"""Memory for density tiles, and as much again for tiles of results, on each rank."""
SCREENING = 1e-13
"""Contributions below this (hartree) are left out."""


class DirectFock:
    """Builds Coulomb and exchange matrices, a `TwoElectron`. Collective throughout."""

    incremental = True

    def __init__(
        self,
        basis: BlockedBasis,
        screening: float = SCREENING,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self.basis, self.group, self.blocks = basis, basis.group, basis.blocks
        mole = basis.mole
        bounds = schwarz_bounds(mole, self.blocks, screening, self.group)
        self.tasks = make_tasks(mole, self.blocks, bounds, screening)
        self._kernel, self._optimizer = pyscf_wheel.make_fock_kernel(
            mole, self.blocks.shells, screening
        )
        self._kernel.set_bounds(bounds, screening)
        self._ranges = [self.blocks.function_range(block) for block in range(self.blocks.count)]
        self._cache_bytes = cache_bytes
        self._density_tiles: OrderedDict[tuple[int, int], DensityTile] = OrderedDict()
        self._density_bytes = 0
        self._coulomb_tiles: dict[tuple[int, int], FockTile] = {}
        self._exchange_tiles: dict[tuple[int, int], FockTile] = {}
        self._fock_bytes = 0
        self._counter = atoll.Counter(group=self.group)

    def build(
        self,
        densities: Sequence[Density],
        coulomb: atoll.Array | None,
        exchange: Sequence[atoll.Array],
        progress: Progress | None = None,
    ) -> BuildStatistics:
        """See `TwoElectron.build`."""
        started = time.perf_counter()
        tasks_done = quartets = 0
        busy = 0.0
        spare = None if exchange else self.basis.matrix("exchange that nobody wants")
        unwanted = self.basis.matrix("Coulomb that nobody wants") if coulomb is None else coulomb
        for matrix in (unwanted, *exchange):
            matrix.fill(0)
        for number, density in enumerate(densities):
            self._density, self._coulomb = density.matrix, unwanted
            self._exchange = exchange[number] if spare is None else spare
            self._density_tiles.clear()
            self._density_bytes = 0
            tasks = self.tasks.surviving(self._largest_of_blocks(density.matrix))
            self._counter.reset()
            done, seconds = self._run(tasks, progress)
            tasks_done, quartets, busy = tasks_done + len(tasks), quartets + done, busy + seconds
        self.group.sync()
        for matrix in ([] if coulomb is None else [coulomb]) + list(exchange):
            atoll.linalg.symmetrize(matrix)
            matrix.scale(2.0)
        most = float(self.group.reduce(busy, "max"))
        mean = float(self.group.reduce(busy, "sum")) / self.group.size
        return BuildStatistics(
            tasks=tasks_done,
            quartets=int(self.group.reduce(quartets, "sum")),
            seconds=time.perf_counter() - started,
            efficiency=mean / most if most > 0 else 1.0,
        )

    def close(self) -> None:
        """Free what is distributed. Collective."""

    def _largest_of_blocks(self, density: atoll.Array) -> NDArray[np.float64]:
        """Give the largest |D| of each pair of blocks, on every rank. Collective."""
        largest = np.zeros((self.blocks.count, self.blocks.count))
        for (rows, columns), part in density.blocks():
            row_blocks, row_starts = self._blocks_in(rows)
            column_blocks, column_starts = self._blocks_in(columns)
            by_rows = np.maximum.reduceat(np.abs(part), row_starts, axis=0)
            largest[row_blocks, column_blocks] = np.maximum.reduceat(
                by_rows, column_starts, axis=1
            )
        return np.asarray(self.group.reduce(largest, "max"))

    def _blocks_in(self, functions: slice) -> tuple[slice, NDArray[np.int32]]:
        """Give the blocks of a range that begins and ends with one, and where they begin in it."""
        starts = self.blocks.functions
        first, end = np.searchsorted(starts, [functions.start, functions.stop])
        return slice(int(first), int(end)), starts[first:end] - functions.start

    def _run(
        self, tasks: NDArray[np.int32], progress: Callable[[int, int], None] | None
    ) -> tuple[int, float]:
        """Do tasks while there are any; return the shell quartets computed and the seconds."""
        started = time.perf_counter()
        density, fock = self._density_tile, self._fock_tile
        coulomb, exchange = self._coulomb_tiles, self._exchange_tiles
        contract = self._kernel.contract
        quartets = 0
        for number in self._counter.below(len(tasks)):
            i, j, k, l = tasks[number].tolist()  # noqa: E741  # as in every textbook
            ij, kl, ik, il = (i, j), (k, l), (i, k), (i, l)
            jk = (j, k) if j >= k else (k, j)
            jl = (j, l) if j >= l else (l, j)
            if progress:
                progress(number, len(tasks))
            quartets += contract(
                i, j, k, l,
                density(ij), density(kl), density(ik), density(il), density(jk), density(jl),
                fock(coulomb, ij), fock(coulomb, kl),
                fock(exchange, ik), fock(exchange, il), fock(exchange, jk), fock(exchange, jl),
            )  # fmt: skip
            if self._fock_bytes > self._cache_bytes:
                self._flush()
        self._flush()
        return quartets, time.perf_counter() - started

    def _density_tile(self, pair: tuple[int, int]) -> DensityTile:
        """Get the density of a block pair, from the cache or the array."""
        tiles = self._density_tiles
        tile = tiles.get(pair)
        if tile is not None:
            tiles.move_to_end(pair)
            return tile
        p, q = pair
        tile = self._kernel.density_tile(p, q, self._density[self._ranges[p], self._ranges[q]])
        tiles[pair] = tile
        self._density_bytes += tile.nbytes
        while self._density_bytes > self._cache_bytes and len(tiles) > 1:
            self._density_bytes -= tiles.popitem(last=False)[1].nbytes
        return tile

    def _fock_tile(self, tiles: dict[tuple[int, int], FockTile], pair: tuple[int, int]) -> FockTile:
        """Return the tile that gathers this rank's results for a block pair."""
        tile = tiles.get(pair)
        if tile is None:
            tile = tiles[pair] = self._kernel.fock_tile(*pair)
            self._fock_bytes += tile.nbytes
        return tile

    def _flush(self) -> None:
        """Accumulate this rank's results into the arrays."""
        for array, tiles in (
            (self._coulomb, self._coulomb_tiles),
            (self._exchange, self._exchange_tiles),
        ):
            for (p, q), tile in tiles.items():
                array.at[self._ranges[p], self._ranges[q]] += self._kernel.unpack(tile)
            tiles.clear()
        self._fock_bytes = 0
