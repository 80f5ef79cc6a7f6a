"""Coulomb and exchange matrices of a density, built by all ranks of a group.

The density, the Coulomb and the exchange matrix are Atoll arrays, cut along block boundaries. Tasks
are taken from a counter; a rank gets the density blocks its task needs, adds up its results in
tiles of its own and accumulates those into the arrays when they grow too many and at the end. Apart
from these three arrays and the counter the ranks share nothing.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem import pyscf_wheel
from atoll.chem.blocks import make_blocks, matrix_starts
from atoll.chem.one_electron import schwarz_bounds
from atoll.chem.tasks import make_tasks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from atoll._core import DensityTile, FockTile
    from atoll.chem.molecule import Molecule

CACHE_BYTES = 64 << 20
"""Memory for density tiles, and as much again for tiles of results, on each rank."""
SCREENING = 1e-13
"""Contributions below this (hartree) are left out."""


@dataclass(frozen=True)
class BuildStatistics:
    """What a build did, over all ranks."""

    tasks: int
    quartets: int
    """Shell quartets whose integrals were computed."""
    seconds: float
    efficiency: float
    """Mean over largest time that the ranks spent on tasks; 1: an even load."""


class FockBuilder:
    """Builds Coulomb and exchange matrices of symmetric densities. Collective throughout."""

    def __init__(
        self,
        molecule: Molecule,
        group: atoll.Group | None = None,
        screening: float = SCREENING,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self.group = group or atoll.world()
        mole = molecule.mole
        self.blocks = make_blocks(mole, self.group.size)
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

        functions = molecule.functions
        layout = atoll.irregular(matrix_starts(self.blocks.functions, self.group.size))

        def matrix(name: str) -> atoll.Array:
            return atoll.zeros(
                (functions, functions), distribution=layout, group=self.group, name=name
            )

        self.density = matrix("density")
        self.coulomb = matrix("Coulomb")
        self.exchange = matrix("exchange")
        self._counter = atoll.Counter(group=self.group)

    def build(
        self,
        density: NDArray[np.float64] | None,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None, BuildStatistics]:
        """Build Coulomb J_ij = sum (ij|kl) D_kl and exchange K_ij = sum (ik|jl) D_kl.

        `density` is given on rank 0 of the group, symmetric, functions x functions; J and K are
        returned there (None on the other ranks), with statistics. `progress(done, total)` is called
        before each task of this rank. Collective.
        """
        started = time.perf_counter()
        tasks = self.tasks.surviving(self._share_density(density))
        self.coulomb.fill(0)
        self.exchange.fill(0)
        self._counter.reset()
        quartets, busy = self._run(tasks, progress)
        self.group.sync()
        coulomb = exchange = None
        if self.group.rank == 0:
            coulomb, exchange = self.coulomb[...], self.exchange[...]
            coulomb += coulomb.T.copy()
            exchange += exchange.T.copy()
        most = float(self.group.reduce(busy, "max"))
        mean = float(self.group.reduce(busy, "sum")) / self.group.size
        statistics = BuildStatistics(
            tasks=len(tasks),
            quartets=int(self.group.reduce(quartets, "sum")),
            seconds=time.perf_counter() - started,
            efficiency=mean / most if most > 0 else 1.0,
        )
        return coulomb, exchange, statistics

    def close(self) -> None:
        """Free the arrays. Collective."""
        for array in (self.density, self.coulomb, self.exchange):
            array.close()

    def __enter__(self) -> FockBuilder:
        """Return the builder; its arrays go at the end of the `with` block."""
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        """Free the arrays, unless an error is on its way: then other ranks may not be here."""
        if error is None:
            self.close()

    def _share_density(self, density: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Store the density in its array; return the largest |D| of each block pair, everywhere."""
        largest: NDArray[np.float64] | int = 0
        if self.group.rank == 0:
            if density is None:
                raise ValueError("rank 0 must give a density")
            self.density[...] = density
            starts = self.blocks.functions[:-1]
            by_rows = np.maximum.reduceat(np.abs(density), starts, axis=0)
            largest = np.maximum.reduceat(by_rows, starts, axis=1)
        self._density_tiles.clear()
        self._density_bytes = 0
        self.group.sync()
        return np.asarray(self.group.broadcast(largest))

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
        tile = self._kernel.density_tile(p, q, self.density[self._ranges[p], self._ranges[q]])
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
            (self.coulomb, self._coulomb_tiles),
            (self.exchange, self._exchange_tiles),
        ):
            for (p, q), tile in tiles.items():
                array.at[self._ranges[p], self._ranges[q]] += self._kernel.unpack(tile)
            tiles.clear()
        self._fock_bytes = 0
