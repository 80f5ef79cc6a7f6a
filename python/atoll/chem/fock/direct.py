"""Coulomb and exchange matrices from integrals that are computed when they are needed.

Densities, Coulomb and exchange matrices are Atoll arrays, cut along block boundaries. Tasks are
taken from a counter; a rank gets the density blocks its task needs and adds up its results in
tiles of its own. Apart from the arrays and the counter the ranks share nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import atoll
from atoll.chem.fock.builds import block_maxima, check_arguments, complete, efficiency
from atoll.chem.fock.tasks import make_tasks
from atoll.chem.fock.tiles import BuildTiles
from atoll.chem.fock.two_electron import BuildStatistics
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.one_electron import schwarz_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

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
        omega: float = 0.0,
    ) -> None:
        """Compute Schwarz bounds and make the list of tasks. Collective.

        Args:
            basis: The molecule's functions in blocks.
            screening: Contributions to a matrix element below this (hartree) are left out.
            cache_bytes: Memory for density tiles, and as much again for results, on each rank.
            omega: 0: the Coulomb interaction 1/r. Above: its long range erf(omega r)/r alone, in
                1/bohr; below: its short range erfc(|omega| r)/r.

        """
        if not screening > 0.0:
            raise ValueError(f"screening is {screening!r}, expected a positive number")
        self.basis, self.group, self.blocks = basis, basis.group, basis.blocks
        mole = basis.mole
        with mole.with_range_coulomb(omega):
            bounds = schwarz_bounds(mole, self.blocks, screening, self.group)
            self._kernel, self._optimizer = pyscf_wheel.make_fock_kernel(
                mole, self.blocks.shells, screening
            )
        self._kernel.set_bounds(bounds, screening)
        self.tasks = make_tasks(mole, self.blocks, bounds, screening)
        self._rows = {
            (p, q): self._kernel.rows(p, q) for p in range(self.blocks.count) for q in range(p + 1)
        }
        self._cache_bytes = cache_bytes
        self._counter = atoll.Counter(group=self.group)

    def build(
        self,
        densities: Sequence[Density],
        coulomb: atoll.Array | None,
        exchange: Sequence[atoll.Array],
        progress: Progress | None = None,
    ) -> BuildStatistics:
        """See `TwoElectron.build`. One pass over the integrals serves all densities."""
        started = time.perf_counter()
        check_arguments(self.basis, densities, coulomb, exchange)
        matrices = [*([] if coulomb is None else [coulomb]), *exchange]
        for matrix in matrices:
            matrix.fill(0)
        largest = block_maxima(
            self.basis, densities, coulomb=coulomb is not None, exchange=len(exchange) > 0
        )
        numbers = self.tasks.surviving(largest)
        self._counter.reset()
        tiles = BuildTiles(
            self._kernel, self.blocks, densities, coulomb, exchange, self._cache_bytes
        )
        quartets, busy = self._run(numbers, tiles, progress)
        self.group.sync()
        complete(matrices)
        return BuildStatistics(
            tasks=len(numbers),
            quartets=int(self.group.reduce(quartets, "sum")),
            seconds=time.perf_counter() - started,
            efficiency=efficiency(self.group, busy),
        )

    def close(self) -> None:
        """Free what is distributed. Collective."""

    def _run(
        self, numbers: NDArray[np.intp], tiles: BuildTiles, progress: Progress | None
    ) -> tuple[int, float]:
        """Do tasks while there are any; return the shell quartets computed and the seconds."""
        started = time.perf_counter()
        contract, rows = self._kernel.contract, self._rows
        quartets = 0
        for number in self._counter.below(len(numbers)):
            if progress:
                progress(number, len(numbers))
            i, j, k, l = self.tasks.quartets[numbers[number]].tolist()  # noqa: E741
            task = (i, j, k, l)
            quartets += contract(task, *tiles.of(task), 0, rows[i, j])
        tiles.flush()
        return quartets, time.perf_counter() - started
