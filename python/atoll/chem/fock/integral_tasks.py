"""What direct and stored builds share: the kernel, the list of tasks, and how a build begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.fock.builds import block_maxima, check_arguments
from atoll.chem.fock.tasks import make_tasks
from atoll.chem.fock.tiles import BuildTiles
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.one_electron import schwarz_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.fock.tasks import BlockMaxima
    from atoll.chem.fock.tiles import Task
    from atoll.chem.fock.two_electron import Density
    from atoll.chem.integrals.blocked_basis import BlockedBasis


class IntegralTasks:
    """The two-electron integrals of a molecule, cut into tasks that any rank can take.

    Attributes:
        kernel: Computes a task's integrals and what they contribute.
        list: All tasks; a task is known by its number there.
        rows: For each task, how many rows (bra pairs of shells) it has.
        bounds: Schwarz bounds of all pairs of shells.
        counter: Hands out tasks.

    """

    def __init__(
        self, basis: BlockedBasis, screening: float, cache_bytes: int, omega: float
    ) -> None:
        """Compute Schwarz bounds and make the list of tasks. Collective."""
        if not screening > 0.0:
            raise ValueError(f"screening is {screening!r}, expected a positive number")
        self.basis, self.group, self.screening = basis, basis.group, screening
        mole, blocks = basis.mole, basis.blocks
        with mole.with_range_coulomb(omega):
            self.bounds = schwarz_bounds(mole, blocks, screening, self.group)
            self.kernel, self._optimizer = pyscf_wheel.make_fock_kernel(
                mole, blocks.shells, screening
            )
        self.kernel.set_bounds(self.bounds, screening)
        self.list = make_tasks(mole, blocks, self.bounds, screening)
        rows = np.zeros((blocks.count, blocks.count), dtype=np.int32)
        for p, q in zip(*np.tril_indices(blocks.count), strict=True):
            rows[p, q] = self.kernel.rows(int(p), int(q))
        bra = self.list.quartets[:, :2]
        self.rows: NDArray[np.int32] = rows[bra[:, 0], bra[:, 1]]
        self.counter = atoll.Counter(group=self.group)
        self._cache_bytes = cache_bytes

    def task(self, number: int) -> Task:
        """Return the blocks of a task."""
        i, j, k, l = self.list.quartets[number].tolist()  # noqa: E741  # as in every textbook
        return i, j, k, l

    def begin(
        self,
        densities: Sequence[Density],
        coulomb: atoll.Array | None,
        exchange: Sequence[atoll.Array],
    ) -> tuple[BlockMaxima, BuildTiles]:
        """Check the arguments of a build and clear its matrices. Collective.

        Returns the largest elements of the densities, and this rank's tiles.
        """
        check_arguments(self.basis, densities, coulomb, exchange)
        largest = block_maxima(
            self.basis, densities, coulomb=coulomb is not None, exchange=len(exchange) > 0
        )
        for matrix in (*([] if coulomb is None else [coulomb]), *exchange):
            matrix.fill(0)
        self.counter.reset()
        tiles = BuildTiles(
            self.kernel, self.basis.blocks, densities, coulomb, exchange, self._cache_bytes
        )
        return largest, tiles
