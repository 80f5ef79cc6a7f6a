"""Coulomb and exchange matrices from integrals that are kept after the first build.

Each rank records what it has computed of the tasks it took, in memory and on a file of its own, and
replays its own records in later builds; what is not stored is computed, in tasks from the counter.
Which integrals are stored depends on Schwarz bounds and cost alone, so every build stands on the
same records whatever its density. Records that cannot be written or read are computed like others.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll._core import Quartets
from atoll.chem.fock.builds import complete, efficiency
from atoll.chem.fock.direct import CACHE_BYTES, SCREENING
from atoll.chem.fock.integral_tasks import IntegralTasks
from atoll.chem.fock.record_store import Entry, open_stores
from atoll.chem.fock.storage_plan import (
    bytes_of_panels,
    least_cost_to_store,
    too_slow_to_read,
)
from atoll.chem.fock.two_electron import BuildStatistics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from numpy.typing import NDArray

    from atoll.chem.fock.tasks import BlockMaxima
    from atoll.chem.fock.tiles import BuildTiles
    from atoll.chem.fock.two_electron import Density, Progress
    from atoll.chem.integrals.blocked_basis import BlockedBasis

MEMORY = 256 << 20
"""Bytes of records in memory on each rank."""
RECORD = 2 << 20
"""Bytes of a record, about: rows of a task are added until it has so many."""


REPLAY = 0.1
"""Seconds to digest a record that is at hand, for one that it took to compute; measured."""
EVEN = 0.9
"""Of the memory of all ranks: what surely fits, though some have more records than others."""
BITS = 16
"""Parts of a task between which a rank looks whether its reads are done."""


class StoredFock:
    """Builds Coulomb and exchange matrices, a `TwoElectron`. Collective throughout."""

    incremental = True

    def __init__(
        self,
        basis: BlockedBasis,
        screening: float = SCREENING,
        mode: Literal["disk", "auto"] = "auto",
        memory: int = MEMORY,
        disk: int | None = None,
        scratch: str | os.PathLike[str] | None = None,
        cache_bytes: int = CACHE_BYTES,
        omega: float = 0.0,
    ) -> None:
        """Compute Schwarz bounds, make the list of tasks and open a file. Collective.

        Args:
            basis: The molecule's functions in blocks.
            screening: Contributions to a matrix element below this (hartree) are left out.
            mode: "disk": store all integrals that there is room for, costly or not, and read them
                in every build. "auto": store the costliest, and read what the disk gives sooner
                than the processor; where the memory holds all as they are, they are not packed.
            memory: Bytes of records that a rank keeps in memory.
            disk: Bytes of records on each rank's file; None: what the file system has room for.
            scratch: The folder of the files; None: `ATOLL_SCRATCH`.
            cache_bytes: Memory for density tiles, and as much again for results, on each rank.
            omega: As in `DirectFock`.

        Raises:
            ValueError: On all ranks, for a bad argument, or a file that cannot be made.

        """
        if mode not in ("disk", "auto"):
            raise ValueError(f"mode is {mode!r}, expected 'disk' or 'auto'")
        for name, amount in (("memory", memory), ("disk", disk)):
            if amount is not None and amount < 0:
                raise ValueError(f"{name} is {amount!r}, expected a number of bytes, 0 or more")
        self.basis, self.group = basis, basis.group
        self._integrals = IntegralTasks(basis, screening, cache_bytes, omega)
        self.tasks = self._integrals.list
        self._adaptive = mode == "auto"
        self._store = open_stores(self.group, memory, disk, scratch)
        self._tolerance = 0.0
        self._least_cost = 0.0
        self._rows_recorded = np.zeros(len(self.tasks.quartets), dtype=np.int32)
        self._first = True
        self._read_back = 0

    def build(
        self,
        densities: Sequence[Density],
        coulomb: atoll.Array | None,
        exchange: Sequence[atoll.Array],
        progress: Progress | None = None,
    ) -> BuildStatistics:
        """See `TwoElectron.build`. The first one stores integrals, the others use them."""
        started = time.perf_counter()
        largest, tiles = self._integrals.begin(densities, coulomb, exchange)
        self._read_back = 0
        waited = self._store.waited
        if self._first:
            self._plan(largest)
            count, quartets, busy = self._compute_and_record(largest, tiles, progress)
        else:
            count, quartets, busy = self._replay_and_compute(largest, tiles, progress)
        complete(self.group, [*([] if coulomb is None else [coulomb]), *exchange])
        self._first = False
        return BuildStatistics(
            tasks=count,
            quartets=int(self.group.reduce(quartets, "sum")),
            seconds=time.perf_counter() - started,
            efficiency=efficiency(self.group, busy),
            details=self._details(self._store.waited - waited),
        )

    def close(self) -> None:
        """Free what is stored; a build afterwards computes everything. Collective."""
        self._store.close()
        self._rows_recorded[:] = 0
        self.group.sync()

    def _plan(self, largest: BlockMaxima) -> None:
        """Fix which quartets records hold, before the first build; the same on all ranks."""
        met = max(
            0.0 if largest.coulomb is None else 4.0 * float(largest.coulomb.max()),
            0.0 if largest.exchange is None else float(largest.exchange.max()),
        )
        # Room for densities like the first, up to twice as large; what only larger ones make
        # matter is computed. A power of two: the set does not hang on the density's last digits.
        self._tolerance = self._integrals.screening / 2.0 ** math.ceil(math.log2(max(2 * met, 8)))
        least, panels = 0.0, False
        if self._adaptive:
            least, panels = self._what_to_store()
        # One rank's word: the last digits may differ between processors.
        self._least_cost = float(self.group.broadcast(least))
        panels = bool(self.group.broadcast(panels))
        self._integrals.kernel.set_storage(self._tolerance, self._least_cost, panels)

    def _what_to_store(self) -> tuple[float, bool]:
        """Give the least cost of what is stored, and whether it is as it is. Collective."""
        basis, bounds, store = self.basis, self._integrals.bounds, self._store
        room = np.array([store.memory, store.capacity], dtype=np.float64)
        # Each rank keeps what it computes: that with least room is full first.
        least_room = np.asarray(self.group.reduce(room, "min"))
        in_memory, capacity = (self.group.size * least_room).tolist()
        least, packed = least_cost_to_store(basis.mole, bounds, self._tolerance, capacity)
        in_memory *= EVEN
        # Panels take more bytes than what is packed, so that they need not be counted where that
        # has no room.
        if packed > in_memory:
            return least, False
        as_panels = bytes_of_panels(basis.mole, basis.blocks, bounds, self._tolerance)
        return (0.0, True) if as_panels <= in_memory else (least, False)

    def _compute_and_record(
        self, largest: BlockMaxima, tiles: BuildTiles, progress: Progress | None
    ) -> tuple[int, int, float]:
        """Compute all tasks that matter now or may later; how many, quartets, seconds."""
        integrals, store = self._integrals, self._store
        needed = self.tasks.largest_contributions(largest) > self.tasks.tolerance
        numbers = np.flatnonzero(needed | (self.tasks.bounds > self._tolerance))
        quartets = 0
        started = time.perf_counter()
        for place in integrals.counter.below(len(numbers)):
            if progress:
                progress(place, len(numbers))
            number = int(numbers[place])
            quartets += self._record_task(number, tiles)
            computing = time.perf_counter() - started - store.seconds_writing
            if self._adaptive and store.seconds_writing > max(0.5, 0.5 * computing):
                store.stop_writing()  # a disk this slow does not read sooner than we compute
        tiles.flush()
        store.flush()
        busy = time.perf_counter() - started
        self._count_recorded_rows()
        if self._adaptive:
            store.measure_bandwidth()
            self._balance_by_estimate(busy)
        self._warn_of_failure()
        return len(numbers), quartets, busy

    def _record_task(self, number: int, tiles: BuildTiles) -> int:
        """Compute a task; record its rows while there is room. Returns the quartets computed."""
        integrals, kernel, store = self._integrals, self._integrals.kernel, self._store
        task, rows, row, quartets = integrals.task(number), int(integrals.rows[number]), 0, 0
        storable = self.tasks.bounds[number] > self._tolerance
        while row < rows and storable and not store.full:
            started = time.perf_counter()
            data, end, computed, bound = kernel.record(task, *tiles.of(task), row, RECORD)
            seconds = time.perf_counter() - started
            quartets += computed
            store.add(Entry(number, row, end, data.nbytes, bound, seconds), data)
            row = end
        if row < rows:
            quartets += kernel.contract(task, *tiles.of(task), row, rows)
        return quartets

    def _replay_and_compute(
        self, largest: BlockMaxima, tiles: BuildTiles, progress: Progress | None
    ) -> tuple[int, int, float]:
        """Replay this rank's records, compute what no rank has; tasks, quartets, seconds."""
        recorded = np.asarray(self.group.reduce(self._rows_recorded, "max"))
        started = time.perf_counter()
        contributions = self.tasks.largest_contributions(largest)
        numbers = np.flatnonzero(
            (contributions > self.tasks.tolerance) & self._has_unrecorded(recorded, contributions)
        )
        computing = self._compute_rest(numbers, recorded, tiles, progress)
        quartets = self._replay(contributions, tiles, computing)
        quartets += sum(computing)
        tiles.flush()
        return len(numbers), quartets, time.perf_counter() - started

    def _compute_rest(
        self,
        numbers: NDArray[np.intp],
        recorded: NDArray[np.int32],
        tiles: BuildTiles,
        progress: Progress | None,
    ) -> Iterator[int]:
        """Compute what records do not hold, tasks from the counter; yields quartets bit by bit."""
        integrals, contract = self._integrals, self._integrals.kernel.contract
        for place in integrals.counter.below(len(numbers)):
            if progress:
                progress(place, len(numbers))
            number = int(numbers[place])
            task, rows = integrals.task(number), int(integrals.rows[number])
            middle = min(int(recorded[number]), rows)
            for begin, end, which in (
                (0, middle, Quartets.others),
                (middle, rows, Quartets.all),
            ):
                for first, last in _bits(begin, end):
                    yield contract(task, *tiles.of(task), first, last, which)

    def _has_unrecorded(
        self, recorded: NDArray[np.int32], contributions: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Tell for each task whether quartets that no record holds may matter."""
        rows_left = recorded < self._integrals.rows
        if self._least_cost > 0.0:
            return np.ones_like(rows_left)
        # What records leave out of recorded rows is below their tolerance.
        of_the_rest = contributions * np.minimum(1.0, self._tolerance / self.tasks.bounds)
        result: NDArray[np.bool_] = rows_left | (of_the_rest > self.tasks.tolerance)
        return result

    def _replay(
        self, contributions: NDArray[np.float64], tiles: BuildTiles, computing: Iterator[int]
    ) -> int:
        """Add what this rank's records hold, and compute where the disk has nothing ready.

        Returns the quartets computed: those of `computing`, and those of records that are lost.
        """
        integrals, kernel, store = self._integrals, self._integrals.kernel, self._store
        met, tolerance = contributions / self.tasks.bounds, self.tasks.tolerance
        wanted = [e for e in store.entries if e.largest_bound * met[e.task] > tolerance]
        quartets, lost = 0, []

        def compute_a_bit() -> bool:
            nonlocal quartets
            computed = next(computing, None)
            quartets += computed or 0
            return computed is not None

        on_file, waited, started = 0, store.waited, 0.0
        for entry, data in store.read(wanted, compute_a_bit):
            if entry.data is None and on_file == 0:
                started = time.perf_counter()  # those in memory come first
            on_file += entry.nbytes if entry.data is None else 0
            task, rows = integrals.task(entry.task), (entry.begin, entry.end)
            digested = None
            if data is not None:
                digested = kernel.replay(task, *tiles.of(task), *rows, data, entry.data is None)
            if digested is None:
                lost.append(entry)
                quartets += kernel.contract(task, *tiles.of(task), *rows, Quartets.recorded)
            else:
                self._read_back += digested
        if lost:
            self._give_up(lost)
        seconds, idle = time.perf_counter() - started, store.waited - waited
        if self._adaptive and on_file > 0 and idle > 0.05 * seconds:
            self._drop(too_slow_to_read(store.entries, idle, on_file / seconds))
        return quartets

    def _give_up(self, lost: list[Entry]) -> None:
        """Warn of records that could not be read, and forget them."""
        warnings.warn(
            f"{len(lost)} records of integrals could not be read back "
            f"({self._store.failure or 'wrong checksum'}); they are computed from now on",
            RuntimeWarning,
            stacklevel=5,
        )
        self._store.failure = None
        self._drop(lost)

    def _balance_by_estimate(self, busy: float) -> None:
        """Forget records on the file if reading them will take longer than all the computing.

        `busy`: the seconds of the first build.
        """
        entries, bandwidth = self._store.entries, self._store.bandwidth
        if bandwidth > 0.0:
            reading = sum(entry.nbytes for entry in entries if entry.offset >= 0) / bandwidth
            stored = sum(entry.seconds for entry in entries)
            computing = max(0.0, busy - stored) + REPLAY * stored
            if reading > 1.1 * computing:
                self._drop(too_slow_to_read(entries, reading - computing, bandwidth))

    def _drop(self, unwanted: Sequence[Entry]) -> None:
        """Forget records, and those of later rows of the same tasks; from the next build on."""
        self._store.drop(unwanted)
        self._count_recorded_rows()

    def _count_recorded_rows(self) -> None:
        """Note for each task up to which row this rank has records; others are of no use."""
        rows = self._rows_recorded
        rows[:] = 0
        useless = []
        for entry in self._store.entries:
            if entry.begin == rows[entry.task]:
                rows[entry.task] = entry.end
            else:
                useless.append(entry)
        self._store.drop(useless)

    def _warn_of_failure(self) -> None:
        if self._store.failure is not None:
            warnings.warn(
                f"integrals could not be stored ({self._store.failure}); "
                "the others are computed in every iteration",
                RuntimeWarning,
                stacklevel=4,
            )
            self._store.failure = None

    def _details(self, waited: float) -> dict[str, float]:
        """Add up what all ranks have stored and read. Collective."""
        store = self._store
        mine = [self._read_back, store.memory_used, store.disk_used, waited, store.bandwidth]
        names = (
            "quartets read back",
            "bytes in memory",
            "bytes on disk",
            "seconds waited for reads",
            "bytes read a second",
        )
        totals = np.asarray(self.group.reduce(np.array(mine, dtype=np.float64), "sum"))
        return dict(zip(names, map(float, totals), strict=True))


def _bits(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut rows into a few parts."""
    step = max(1, -(-(end - begin) // BITS))
    for first in range(begin, end, step):
        yield first, min(first + step, end)
