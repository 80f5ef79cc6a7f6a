"""The three-index tensor B[Q, mn] of density fitting, in memory or on disk, read by strips of Q.

(mn|kl) is the sum over Q of B[Q, mn] B[Q, kl]. The tensor is made in strips of pairs mn, since the
metric mixes all Q of a pair, and used in strips of Q. It is an array of pairs x Q; a rank's strip
has all pairs and some Q, so that what is read of a disk is a column of the file.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll._agreement import collective
from atoll.chem.integrals import fitting_sets, pyscf_fitting
from atoll.chem.integrals.metric import metric_factor
from atoll.chem.integrals.pair_blocks import PairTask, pair_blocks
from atoll.chem.integrals.runs import range_runs
from atoll.chem.integrals.scratch import ScratchArray

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.integrals.metric import MetricFactor

MEMORY = 1 << 30
"""Bytes a rank for the tensor and the work on it."""
STRIP = 128
"""Q of a strip in memory: as many as products of matrices want."""
TASKS_PER_RANK = 12
MOST_INTEGRALS = 1 << 22  # of a task, in doubles: 32 MiB
TILE = 1 << 16  # of the file, in doubles: 512 KiB


class FittedIntegrals:
    """B[Q, mn] of a molecule, over the ranks of its basis. Collective where not said otherwise.

    It stays in memory, distributed, if a rank's part fits `memory`; else it goes to a disk array,
    of which two strips are in memory at a time. The factor of the metric is kept once a node while
    the tensor is made, beside `memory`.

    Args:
        basis: The molecule.
        auxbasis: Fitting set, as PySCF names it; none: PySCF's choice
            for `density_fit()` of Hartree-Fock.
        memory: Bytes a rank.
        scratch: A folder for the disk array, seen by all ranks, or with "{node}" in its name one
            for each node; none: the first one of `ATOLL_SCRATCH`, which each node has.
        omega: Above zero: integrals are of the long range, erf(omega r) / r, as range-separated
            functionals have them in their exchange; 1 / bohr.

    Attributes:
        functions: Number of fitting functions.
        pairs: How pairs mn are ordered.
        memory: Bytes a rank.
        on_disk: Whether the tensor is on disk.
        seconds_waited: What this rank has waited for the disk so far.

    Raises:
        OSError: On all ranks: the disk is full, or failed.

    """

    @collective
    def __init__(
        self,
        basis: BlockedBasis,
        auxbasis: Any = None,
        *,
        memory: int = MEMORY,
        scratch: str | os.PathLike[str] | None = None,
        omega: float = 0.0,
    ) -> None:
        if not isinstance(memory, int) or memory < 1:
            raise ValueError(f"memory is {memory!r}, expected a number of bytes above zero")
        if not omega >= 0:
            raise ValueError(f"omega is {omega!r}, expected zero or above (1 / bohr)")
        self.basis, self.group = basis, basis.group
        self.pairs = pair_blocks(basis.mole)
        auxiliary = fitting_sets.functions(basis.mole, auxbasis, omega)
        self.functions = int(auxiliary.nao_nr())
        self.seconds_waited = 0.0
        self.memory = memory
        ranks = self.group.size
        a_rank = -(-self.functions // ranks)
        # In memory a strip's work needs about as much as the strip beside the tensor.
        work = 8 * self.pairs.size * min(STRIP, a_rank) // 2
        self.on_disk = 8 * self.pairs.size * a_rank + work > memory
        self._strips = self._count_strips(a_rank) if self.on_disk else 1
        self.width = -(-self.functions // (ranks * self._strips))
        """Q of a rank's strip; the last strips are filled up with zeros."""
        self._disk: ScratchArray | None = None
        self._tensor: atoll.Array | None = None
        if self.on_disk:
            self._disk = self._make_scratch(scratch)
        else:
            self._tensor = self._columns(self.width, "B")
        self._fill(pyscf_fitting.ThreeCentre(basis.mole, auxiliary), auxiliary)

    @property
    def nbytes(self) -> int:
        """Bytes of the tensor, over all ranks."""
        return 8 * self.pairs.size * self.width * self.group.size * self._strips

    @property
    def strips_a_rank(self) -> int:
        """How many strips `strips` gives; the same on all ranks if they are on disk."""
        return self._strips if self.on_disk else -(-self.width // STRIP)

    def strips(self) -> Iterator[NDArray[np.float64]]:
        """Give this rank's part of the tensor: pairs x some Q, until the next one is asked for.

        All ranks go through all of their strips. On disk that is collective, and the next strips
        are on their way while one is used; in memory each rank goes by itself.
        """
        if self._disk is not None:
            yield from self._strips_on_disk(self._disk.array)
        elif self._tensor is not None:
            own = self._tensor.local()
            for begin in range(0, self.width, STRIP):
                yield own[:, begin : begin + STRIP]
        else:
            raise RuntimeError("the integrals are closed")

    @collective
    def close(self) -> None:
        """Free the tensor, and remove its file."""
        if self._tensor is not None:
            self._tensor.destroy()
            self._tensor = None
        if self._disk is not None:
            self._disk.close()
            self._disk = None

    def _count_strips(self, a_rank: int) -> int:
        """Choose so many that two strips and the work on one fit the memory."""
        most = max(1, self.memory // (8 * 3 * self.pairs.size))
        return -(-a_rank // most)

    def _columns(self, width: int, name: str) -> atoll.Array:
        """Make an array in which each rank has all pairs and `width` Q."""
        shape = (self.pairs.size, width * self.group.size)
        starts = [[0], [width * rank for rank in range(self.group.size)]]
        return atoll.zeros(shape, distribution=atoll.irregular(starts), group=self.group, name=name)

    def _make_scratch(self, folder: str | os.PathLike[str] | None) -> ScratchArray:
        shape = (self.pairs.size, self.width * self.group.size * self._strips)
        tile = (max(1, min(shape[0], TILE // self.width)), self.width)
        return ScratchArray(self.group, shape, tile, folder, "integrals (Q|mn)")

    def _fill(self, integrals: pyscf_fitting.ThreeCentre, auxiliary: Any) -> None:
        tasks = self.pairs.tasks(self._pairs_of_a_task())
        counter = atoll.Counter(group=self.group)
        if self._tensor is not None:
            factor = self._fill_tensor(self._tensor, tasks, counter, integrals, auxiliary)
        elif self._disk is not None:
            factor = metric_factor(auxiliary, self.group)
            try:
                self._fill_disk(self._disk.array, tasks, counter, integrals, factor)
            except OSError as error:
                self._disk.discard()
                raise self._disk.explained(error) from None
        factor.matrix.destroy()

    def _fill_tensor(
        self,
        tensor: atoll.Array,
        tasks: list[PairTask],
        counter: atoll.Counter,
        integrals: pyscf_fitting.ThreeCentre,
        auxiliary: Any,
    ) -> MetricFactor:
        """Fill the tensor; ranks that wait for the factor begin with integrals."""
        numbers = counter.below(len(tasks))
        begun: list[tuple[PairTask, NDArray[np.float64]]] = []

        def begin_one() -> bool:
            room = self.memory // 4 - sum(raw.nbytes for _, raw in begun)
            number = next(numbers, None) if room > 0 else None
            if number is not None:
                begun.append((tasks[number], self._integrals(integrals, tasks[number])))
            return number is not None

        factor = metric_factor(auxiliary, self.group, begin_one)
        for task, raw in begun:
            tensor[task.pairs, :] = self._fitted(raw, factor)
        begun.clear()
        for number in numbers:
            task = tasks[number]
            tensor[task.pairs, :] = self._fitted(self._integrals(integrals, task), factor)
        self.group.sync()
        return factor

    def _pairs_of_a_task(self) -> int:
        """So many that the load is even, and integrals and result take a quarter of the memory."""
        even = self.pairs.size // (TASKS_PER_RANK * self.group.size)
        room = min(MOST_INTEGRALS, self.memory // (4 * 2 * 8)) // self.functions
        return max(1, min(even, room))

    def _integrals(
        self, integrals: pyscf_fitting.ThreeCentre, task: PairTask
    ) -> NDArray[np.float64]:
        """Compute (P|mn) of some pairs: P x pairs."""
        return integrals.strip(task.shells, task.end).reshape(self.functions, -1)

    def _fitted(self, raw: NDArray[np.float64], factor: MetricFactor) -> NDArray[np.float64]:
        """Compute B of some pairs: pairs x Q."""
        fitted = np.zeros((raw.shape[1], self.width * self.group.size * self._strips))
        for rows, panel in factor.panels():
            np.matmul(raw[: panel.shape[1]].T, panel.T, out=fitted[:, rows])
        return fitted

    def _fill_disk(
        self,
        disk: atoll.disk.DiskArray,
        tasks: list[PairTask],
        counter: atoll.Counter,
        integrals: pyscf_fitting.ThreeCentre,
        factor: MetricFactor,
    ) -> None:
        """Write strips of pairs; those of the last round while others are computed."""
        columns = disk.shape[1]
        room = self.memory // 4 // (8 * columns) * self.group.size
        rounds = [tasks[run] for run in range_runs([task.pairs for task in tasks], room)]
        rows = max(some[-1].pairs.stop - some[0].pairs.start for some in rounds)
        buffers = [
            atoll.zeros((rows, columns), distribution=atoll.blocked((0, columns)), group=self.group)
            for _ in range(min(2, len(rounds)))
        ]
        requests: list[Any] = []
        for number, some in enumerate(rounds):
            buffer = buffers[number % 2]
            if len(requests) == 2:
                self._wait(requests.pop(0))
            counter.reset()
            begin, end = some[0].pairs.start, some[-1].pairs.stop
            for task in (some[offset] for offset in counter.below(len(some))):
                place = slice(task.pairs.start - begin, task.pairs.stop - begin)
                buffer[place, :] = self._fitted(self._integrals(integrals, task), factor)
            self.group.sync()
            requests.append(
                disk.write_async(buffer, np.s_[begin:end, :], source=np.s_[: end - begin, :])
            )
        for request in requests:
            self._wait(request)

    def _strips_on_disk(self, disk: atoll.disk.DiskArray) -> Iterator[NDArray[np.float64]]:
        across = self.width * self.group.size
        buffers = [self._columns(self.width, "strips of B") for _ in range(min(2, self._strips))]

        def begin(strip: int) -> Any:
            key = np.s_[:, strip * across : (strip + 1) * across]
            return disk.read_async(buffers[strip % 2], key)

        requests = [begin(0)]
        try:
            for strip in range(self._strips):
                self._wait(requests.pop(0))
                if strip + 1 < self._strips:
                    requests.append(begin(strip + 1))
                yield buffers[strip % 2].local()
        finally:
            for request in requests:
                request.wait()

    def _wait(self, request: Any) -> None:
        started = time.perf_counter()
        request.wait()
        self.seconds_waited += time.perf_counter() - started
