"""What a rank has at hand in a build: density tiles of recent tasks, and sums not yet given away.

Tiles are the patches of two blocks in the order of the C++ kernel. Density tiles are got from the
arrays when a task wants them, and the least recently used go when they become too many. Results
are added up in tiles of this rank, and accumulated into the arrays when those become too many and
at the end.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import atoll
    from atoll._core import DensityTile, FockKernel, FockTile, GradientKernel
    from atoll.chem.fock.two_electron import Density
    from atoll.chem.integrals.blocks import Blocks

Pair: TypeAlias = "tuple[int, int]"
Task: TypeAlias = "tuple[int, int, int, int]"
CoulombTiles: TypeAlias = "tuple[DensityTile, DensityTile, FockTile, FockTile]"
ExchangeTiles: TypeAlias = (
    "tuple[DensityTile, DensityTile, DensityTile, DensityTile,"
    " FockTile, FockTile, FockTile, FockTile]"
)


class DensityTiles(NamedTuple):
    """A patch of the densities: of their sum, and of each; one object where there is one."""

    coulomb: DensityTile
    exchange: DensityTile

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        both = self.coulomb is not self.exchange
        return self.exchange.nbytes + (self.coulomb.nbytes if both else 0)


def pairs_of(task: Task) -> tuple[Pair, Pair, Pair, Pair, Pair, Pair]:
    """Give the block pairs ij, kl, ik, il, jk, jl of a task, the larger block first."""
    i, j, k, l = task  # noqa: E741  # as in every textbook
    return (
        (i, j), (k, l), (i, k), (i, l), (j, k) if j >= k else (k, j), (j, l) if j >= l else (l, j),
    )  # fmt: skip


class DensityCache:
    """Density tiles by block pair, of bounded size. Gets are one-sided: not collective."""

    def __init__(
        self,
        kernel: FockKernel | GradientKernel,
        blocks: Blocks,
        densities: Sequence[Density],
        limit: int,
    ) -> None:
        self._kernel = kernel
        self._ranges = [blocks.function_range(block) for block in range(blocks.count)]
        self._densities = densities
        self._limit = limit
        self._tiles: OrderedDict[Pair, DensityTiles] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        """Return how many patches are at hand."""
        return len(self._tiles)

    def get(self, pair: Pair) -> DensityTiles:
        """Return a patch, from the cache or the arrays."""
        tiles = self._tiles.get(pair)
        if tiles is not None:
            self._tiles.move_to_end(pair)
            return tiles
        tiles = self._tiles[pair] = self._fetch(pair)
        self._bytes += tiles.nbytes
        while self._bytes > self._limit and len(self._tiles) > 1:
            self._bytes -= self._tiles.popitem(last=False)[1].nbytes
        return tiles

    def _fetch(self, pair: Pair) -> DensityTiles:
        p, q = pair
        place = self._ranges[p], self._ranges[q]
        patches = np.stack([density.matrix[place] for density in self._densities])
        each = self._kernel.density_tile(p, q, patches)
        if len(patches) == 1:
            return DensityTiles(each, each)
        return DensityTiles(self._kernel.density_tile(p, q, patches.sum(0, keepdims=True)), each)


class BuildTiles:
    """The tiles of one build on this rank. Not collective."""

    def __init__(
        self,
        kernel: FockKernel,
        blocks: Blocks,
        densities: Sequence[Density],
        coulomb: atoll.Array | None,
        exchange: Sequence[atoll.Array],
        limit: int,
    ) -> None:
        """Begin a build; `limit`: bytes for density tiles, and as many again for results."""
        self.densities = DensityCache(kernel, blocks, densities, limit)
        self._kernel = kernel
        self._ranges = [blocks.function_range(block) for block in range(blocks.count)]
        self._coulomb = [] if coulomb is None else [coulomb]
        self._exchange = list(exchange)
        self._coulomb_tiles: dict[Pair, FockTile] = {}
        self._exchange_tiles: dict[Pair, FockTile] = {}
        self._limit = limit
        self._bytes = 0

    def of(self, task: Task) -> tuple[CoulombTiles | None, ExchangeTiles | None]:
        """Return what the kernel wants for a task: density tiles, and tiles to add to."""
        if self._bytes > self._limit:
            self.flush()
        ij, kl, ik, il, jk, jl = pairs_of(task)
        density = self.densities.get
        coulomb = exchange = None
        if self._coulomb:
            tiles, count = self._coulomb_tiles, 1
            coulomb = (
                density(ij).coulomb, density(kl).coulomb,
                self._sum(tiles, ij, count), self._sum(tiles, kl, count),
            )  # fmt: skip
        if self._exchange:
            tiles, count = self._exchange_tiles, len(self._exchange)
            exchange = (
                density(ik).exchange, density(il).exchange,
                density(jk).exchange, density(jl).exchange,
                self._sum(tiles, ik, count), self._sum(tiles, il, count),
                self._sum(tiles, jk, count), self._sum(tiles, jl, count),
            )  # fmt: skip
        return coulomb, exchange

    def flush(self) -> None:
        """Accumulate this rank's results into the arrays."""
        for arrays, tiles in (
            (self._coulomb, self._coulomb_tiles),
            (self._exchange, self._exchange_tiles),
        ):
            for (p, q), tile in tiles.items():
                for array, patch in zip(arrays, self._kernel.unpack(tile), strict=True):
                    array.at[self._ranges[p], self._ranges[q]] += patch
            tiles.clear()
        self._bytes = 0

    def _sum(self, tiles: dict[Pair, FockTile], pair: Pair, matrices: int) -> FockTile:
        """Return the tile that gathers this rank's results for a block pair."""
        tile = tiles.get(pair)
        if tile is None:
            tile = tiles[pair] = self._kernel.fock_tile(*pair, matrices)
            self._bytes += tile.nbytes
        return tile
