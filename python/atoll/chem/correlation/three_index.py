"""Three-index integrals over pairs of orbitals, B[Q, i, a], distributed in memory or on disk.

All correlated methods share them: (ia|jb) is the sum over Q of B[Q, i, a] B[Q, j, b]. They are made
from strips of fitting functions P, and used by orbitals i.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.correlation.held import Held, hold
from atoll.chem.integrals import pyscf_fitting
from atoll.chem.integrals.metric import metric_factor
from atoll.chem.integrals.runs import range_runs, shell_runs
from atoll.chem.integrals.scratch import ScratchArray

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

MOST_INTEGRALS = 1 << 22  # of a task, in doubles: 32 MiB
TASKS_PER_RANK = 8
TILE = 1 << 15  # of a file, in doubles: 256 KiB


class FittingSet:
    """The integrals (P|mn) of a molecule and a fitting set, and the factor of its metric."""

    def __init__(self, mole: Any, auxiliary: Any, group: atoll.Group) -> None:
        self.group = group
        self.functions = int(auxiliary.nao_nr())
        self.factor = metric_factor(auxiliary, group)
        self._first = auxiliary.ao_loc_nr()
        self._basis_functions = int(mole.nao_nr())
        self.integrals = pyscf_fitting.ThreeCentre(mole, auxiliary)

    def tasks(self, memory: int) -> list[tuple[tuple[int, int], slice]]:
        """Cut the fitting set into runs of shells, with their functions; `memory`: bytes each."""
        room = min(MOST_INTEGRALS, memory // 8) // self._basis_functions**2
        even = self.functions // (TASKS_PER_RANK * self.group.size)
        cuts = shell_runs(self._first, max(1, min(room, even)))
        return [
            ((begin, end), slice(int(self._first[begin]), int(self._first[end])))
            for begin, end in pairwise(cuts)
        ]

    def transformed(
        self, shells: tuple[int, int], left: NDArray[np.float64], right: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Compute (P|ia): P x i x a; i and a are columns of `left` and `right`."""
        half = np.matmul(left.T, self.integrals.square(shells))
        fitting, occupied, functions = half.shape
        whole: NDArray[np.float64] = half.reshape(-1, functions) @ right
        return whole.reshape(fitting, occupied, -1)

    def fit(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply (P|ia), P x pairs, by the factor of the metric."""
        fitted = np.empty(columns.shape)
        for rows, panel in self.factor.panels():
            np.matmul(panel, columns[: panel.shape[1]], out=fitted[rows])
        return fitted

    def fit_back(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply fitted columns by the transpose of the factor."""
        found = np.zeros(columns.shape)
        for rows, panel in self.factor.panels():
            found[: panel.shape[1]] += panel.T @ columns[rows]
        return found

    def solved(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply (P|ia), P x pairs, by the inverse of the metric."""
        return self.fit_back(self.fit(columns))

    def close(self) -> None:
        """Free the factor. Collective."""
        self.factor.matrix.destroy()


class PairTensor:
    """B[Q, i, a] of orbitals i and a, columns of `left` and `right`. Collective throughout.

    In memory, `memory` bytes a rank are for the work beside the tensor. On a disk array, in the
    folder `scratch`, they are for what is read of it, too; less than what a few orbitals i need is
    as if it were that.

    Raises:
        OSError: On all ranks: the disk is full, or failed.

    """

    def __init__(
        self,
        fitting: FittingSet,
        left: NDArray[np.float64],
        right: NDArray[np.float64],
        memory: int,
        *,
        on_disk: bool = False,
        scratch: str | os.PathLike[str] | None = None,
    ) -> None:
        self.group = fitting.group
        self.shape = (fitting.functions, left.shape[1], right.shape[1])
        self.seconds_waited = 0.0
        self._memory = memory
        self._disk: ScratchArray | None = None
        self._held: Held | None = None
        tasks = fitting.tasks(memory // 4)
        if 0 in self.shape or not on_disk:
            self._held = hold(self.group, self.shape, 0)
        if 0 in self.shape:  # a spin without electrons, or without room for them
            return
        if self._held is not None:
            self._fill(fitting, tasks, left, right)
        else:
            tile = (max(1, min(self.shape[0], TILE // self.shape[2])), 1, self.shape[2])
            self._disk = ScratchArray(self.group, self.shape, tile, scratch, "integrals (ia|Q)")
            try:
                self._write(self._disk.array, fitting, tasks, left, right)
                self._fit_on_disk(self._disk.array, fitting)
            except OSError as error:
                self._disk.discard()
                raise self._disk.explained(error) from None

    @property
    def whole(self) -> Held | None:
        """All of it, if it is in memory."""
        return self._held

    @property
    def bytes_of_orbital(self) -> int:
        """Bytes of the pairs of one orbital i."""
        functions, _, virtual = self.shape
        return int(8 * functions * virtual)

    def load(self, orbitals: slice) -> Held:
        """Read the pairs of some orbitals i from the disk."""
        held = self._empty(orbitals.stop - orbitals.start, orbitals.start)
        self._wait(self._read(held, orbitals))
        return held

    def stream(self, end: int, width: int) -> Iterator[Held]:
        """Give the pairs of the orbitals before `end`, `width` at a time, the next on their way.

        What is given is good until the next one is asked for.
        """
        starts = list(range(0, end, width))
        buffers = [self._empty(width, 0) for _ in starts[:2]]
        requests: list[Any] = []

        def begin(number: int) -> None:
            start = starts[number]
            orbitals = slice(start, min(start + width, end))
            requests.append(self._read(buffers[number % 2], orbitals))

        if starts:
            begin(0)
        try:
            for number, start in enumerate(starts):
                self._wait(requests.pop(0))
                if number + 1 < len(starts):
                    begin(number + 1)
                count = min(start + width, end) - start
                yield Held(buffers[number % 2].array, start, count)
                self.group.sync()  # nobody uses it any more
        finally:
            for request in requests:
                request.wait()

    def close(self) -> None:
        """Free it, and remove its file."""
        if self._held is not None:
            self._held.array.destroy()
            self._held = None
        if self._disk is not None:
            self._disk.close()
            self._disk = None

    def _empty(self, count: int, first: int) -> Held:
        return hold(self.group, (self.shape[0], count, self.shape[2]), first)

    def _read(self, held: Held, orbitals: slice) -> Any:
        assert self._disk is not None
        count = orbitals.stop - orbitals.start
        return self._disk.array.read_async(
            held.array, np.s_[:, orbitals, :], target=np.s_[:, :count, :]
        )

    def _wait(self, request: Any) -> None:
        started = time.perf_counter()
        request.wait()
        self.seconds_waited += time.perf_counter() - started

    def _fill(
        self,
        fitting: FittingSet,
        tasks: list[tuple[tuple[int, int], slice]],
        left: NDArray[np.float64],
        right: NDArray[np.float64],
    ) -> None:
        assert self._held is not None
        array = self._held.array
        for number in atoll.Counter(group=self.group).below(len(tasks)):
            shells, rows = tasks[number]
            array[rows, :, :] = fitting.transformed(shells, left, right)
        self.group.sync()
        self._fit_own(array, fitting)
        self.group.sync()

    def _fit_own(self, array: atoll.Array, fitting: FittingSet) -> None:
        """Multiply this rank's part, some orbitals at a time."""
        own = array.local()
        if own.size == 0:
            return
        width = max(1, min(MOST_INTEGRALS * 8, self._memory // 8) // self.bytes_of_orbital)
        for begin in range(0, own.shape[1], width):
            part = own[:, begin : begin + width]
            part[...] = fitting.fit(part.reshape(self.shape[0], -1)).reshape(part.shape)

    def _write(
        self,
        disk: atoll.disk.DiskArray,
        fitting: FittingSet,
        tasks: list[tuple[tuple[int, int], slice]],
        left: NDArray[np.float64],
        right: NDArray[np.float64],
    ) -> None:
        """Write (P|ia) in strips of P; the last ones' are written while others are computed."""
        _, occupied, virtual = self.shape
        room = self._memory // 4 // (8 * occupied * virtual) * self.group.size
        rounds = [tasks[run] for run in range_runs([rows for _, rows in tasks], room)]
        most = max(some[-1][1].stop - some[0][1].start for some in rounds)
        whole_rows = atoll.blocked((0, occupied, virtual))
        buffers = [
            atoll.zeros((most, occupied, virtual), distribution=whole_rows, group=self.group)
            for _ in rounds[:2]
        ]
        counter = atoll.Counter(group=self.group)
        requests: list[Any] = []
        for number, some in enumerate(rounds):
            buffer, start, stop = buffers[number % 2], some[0][1].start, some[-1][1].stop
            if len(requests) == 2:
                self._wait(requests.pop(0))
            counter.reset()
            for offset in counter.below(len(some)):
                shells, rows = some[offset]
                place = slice(rows.start - start, rows.stop - start)
                buffer[place, :, :] = fitting.transformed(shells, left, right)
            self.group.sync()
            requests.append(
                disk.write_async(buffer, np.s_[start:stop], source=np.s_[: stop - start])
            )
        for request in requests:
            self._wait(request)

    def _fit_on_disk(self, disk: atoll.disk.DiskArray, fitting: FittingSet) -> None:
        """Read strips of orbitals, multiply them, and write them back."""
        ranks, orbitals = self.group.size, self.shape[1]
        width = min(orbitals, ranks * max(1, self._memory // 4 // self.bytes_of_orbital))
        starts = list(range(0, orbitals, width))
        buffers = [self._empty(width, 0) for _ in starts[:2]]
        strips = [slice(start, min(start + width, orbitals)) for start in starts]
        reading = self._read(buffers[0], strips[0])
        writing: list[Any] = []
        for number, strip in enumerate(strips):
            self._wait(reading)
            if writing:  # from the buffer that is read into next
                self._wait(writing.pop())
            if number + 1 < len(strips):
                reading = self._read(buffers[(number + 1) % 2], strips[number + 1])
            array = buffers[number % 2].array
            self._fit_own(array, fitting)
            self.group.sync()
            source = np.s_[:, : strip.stop - strip.start, :]
            writing.append(disk.write_async(array, np.s_[:, strip, :], source=source))
        for request in writing:
            self._wait(request)
