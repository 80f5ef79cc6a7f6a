"""What the (T) corrections of closed and of open shells share: options, and what they come to."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from atoll import _core
from atoll._agreement import collective
from atoll._stop import Stopped
from atoll.chem.correlation.coupled_cluster import triples_record
from atoll.chem.correlation.coupled_cluster.triples_record import Record, Saved

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.coupled_cluster.triples_record import Problem

INTERVAL = 300.0
"""Seconds between checkpoints."""
KINDS = ("layout", "wait", "packing", "products", "energies", "checkpoint", "idle")


@dataclass(frozen=True)
class Triples:
    """What a correction has computed, the same on every rank; energies in hartree."""

    energy: float
    """(T)"""
    bracket: float
    """[T]: without the part of the singles."""
    seconds: dict[str, float]
    """Spent by all ranks together, by kind: `layout` (making operands), `wait` (for tiles),
    `packing`, `products` (of matrices), `energies`, `checkpoint`, `idle` (at the end)."""
    elapsed: float
    """Seconds from begin to end."""
    flops: float
    """Operations in products of matrices that this run needed; two for each multiply-add."""
    tile: int
    """Virtual orbitals of a tile."""
    tasks: int
    """How many tasks there are."""
    resumed: int
    """How many of them were in the checkpoint."""


class Laid(Protocol):
    """What the tasks fetch from, distributed. Its methods are collective."""

    def probes(self) -> NDArray[np.float64]:
        """Give numbers that differ if an operand does."""

    def close(self) -> None:
        """Give the arrays back."""


class Work(Protocol):
    """The tasks of one rank."""

    @property
    def tasks(self) -> Sized:
        """Those of all ranks."""

    def run(
        self, group: atoll.Group, record: Record, progress: Callable[[float], object] | None, /
    ) -> None:
        """Take tasks until there are none. Collective in so far as all must call it."""

    def end(self) -> None:
        """Wait for what is on its way, when there will be no more tasks. Not collective."""

    def seconds(self) -> list[float]:
        """Give what this rank has spent on waiting, packing, products and energies."""

    def flops(self) -> float:
        """Give what the products of this rank's tasks have needed."""


def nothing() -> Triples:
    """Give what there is without orbitals of both kinds."""
    return Triples(0.0, 0.0, dict.fromkeys(KINDS, 0.0), 0.0, 0.0, 0, 0, 0)


def gone_on_with(
    group: atoll.Group,
    operands: Laid,
    folder: str | None,
    interval: float,
    progress: Callable[[float], object] | None,
    *,
    problem_of: Callable[[NDArray[np.float64]], Problem],
    tile_of: Callable[[Saved | None], int],
    work_of: Callable[[int], Work],
    started: float,
) -> Triples:
    """Do what an earlier run has left in `folder`, or all; close the operands. Collective.

    `problem_of` takes the operands' probes, `tile_of` what is saved, `work_of` the tiles' width;
    `started` is a time of `time.perf_counter`.
    """
    laid_out = time.perf_counter() - started

    @collective
    def done(group: atoll.Group) -> Triples:
        problem = problem_of(operands.probes())
        saved = triples_record.load(group, folder, problem)
        tile = tile_of(saved)
        work = work_of(tile)
        if saved is None:
            saved = Saved(tile, np.full((len(work.tasks), 2), np.nan))
        record = Record(group, problem, saved, folder, interval)
        return _computed(
            group, work, record, progress, started=started, laid_out=laid_out, tile=tile
        )

    try:
        return done(group)
    finally:  # all ranks are here, also after an error
        operands.close()


def _computed(
    group: atoll.Group,
    work: Work,
    record: Record,
    progress: Callable[[float], object] | None,
    *,
    started: float,
    laid_out: float,
    tile: int,
) -> Triples:
    """Do the tasks that are pending, and sum up; close the record in any case. Collective.

    Args:
        group: The ranks.
        work: What this rank has for the tasks.
        record: Knows which are done; it is closed.
        progress: See `correction`.
        started: By `time.perf_counter`.
        laid_out: Seconds that the operands took.
        tile: Virtual orbitals of a tile.

    """
    try:
        connected, disconnected, idle = _done(group, work, record, progress)
    finally:  # all ranks are here, also after an error
        work.end()
        record.close()
    if progress is not None and group.rank == 0:
        progress(1.0)
    own = np.array([laid_out, *work.seconds(), record.seconds, idle])
    spent = np.asarray(group.reduce(own))
    elapsed = float(group.reduce(time.perf_counter() - started, "max"))
    flops = float(group.reduce(work.flops()))
    return Triples(
        energy=connected + disconnected,
        bracket=connected,
        seconds=dict(zip(KINDS, spent.tolist(), strict=True)),
        elapsed=elapsed,
        flops=flops,
        tile=tile,
        tasks=record.tasks,
        resumed=record.tasks - len(record.pending),
    )


@collective
def _done(
    group: atoll.Group,
    work: Work,
    record: Record,
    progress: Callable[[float], object] | None,
) -> tuple[float, float, float]:
    """Do the tasks; give both sums, and what this rank has waited for the others."""
    work.run(group, record, progress)
    if (reason := _core.stop_requested(group)) and record.leave_off():
        raise Stopped(reason, saved=record.is_saved)
    idle = time.perf_counter()
    connected, disconnected = record.total()
    return connected, disconnected, time.perf_counter() - idle


def check_options(memory: Any, tile: Any, interval: Any) -> None:
    """Raise ValueError for an option that cannot be."""
    if not isinstance(memory, int) or memory < 1:
        raise ValueError(f"memory is {memory!r}, expected a number of bytes above zero")
    if tile is not None and (not isinstance(tile, int) or tile < 1):
        raise ValueError(f"tile is {tile!r}, expected a number of orbitals above zero")
    if not isinstance(interval, int | float) or not interval >= 0:
        raise ValueError(f"interval is {interval!r}, expected seconds, 0 or more")


def of_first_rank(group: atoll.Group, values: Any) -> NDArray[np.float64]:
    """Give all ranks the numbers of the first one. Collective."""
    return np.ascontiguousarray(group.broadcast(np.asarray(values, dtype=np.float64)))
