"""Coulomb and exchange matrices from integrals that are computed when they are needed.

Densities, Coulomb and exchange matrices are Atoll arrays, cut along block boundaries. Tasks are
taken from a counter; a rank gets the density blocks its task needs and adds up its results in
tiles of its own. Apart from the arrays and the counter the ranks share nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from atoll.chem.fock.builds import complete, efficiency
from atoll.chem.fock.integral_tasks import IntegralTasks
from atoll.chem.fock.two_electron import BuildStatistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    import atoll
    from atoll.chem.fock.tiles import BuildTiles
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
        self.basis, self.group = basis, basis.group
        self._integrals = IntegralTasks(basis, screening, cache_bytes, omega)
        self.tasks = self._integrals.list

    def build(
        self,
        densities: Sequence[Density],
        coulomb: atoll.Array | None,
        exchange: Sequence[atoll.Array],
        progress: Progress | None = None,
    ) -> BuildStatistics:
        """See `TwoElectron.build`. One pass over the integrals serves all densities."""
        started = time.perf_counter()
        largest, tiles = self._integrals.begin(densities, coulomb, exchange)
        numbers = self.tasks.surviving(largest)
        quartets, busy = self._run(numbers, tiles, progress)
        complete(self.group, [*([] if coulomb is None else [coulomb]), *exchange])
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
        integrals, contract = self._integrals, self._integrals.kernel.contract
        rows = integrals.rows
        quartets = 0
        for place in integrals.counter.below(len(numbers)):
            if progress:
                progress(place, len(numbers))
            number = numbers[place]
            task = integrals.task(number)
            quartets += contract(task, *tiles.of(task), 0, int(rows[number]))
        tiles.flush()
        return quartets, time.perf_counter() - started
