"""Taking tasks of the (T) correction: whoever is free takes the next ones, asked for early."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

import atoll

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from atoll.chem.correlation.coupled_cluster.triples_record import Record

Parts = TypeVar("Parts")

RUNS = 8
"""Of what is left, a rank takes its share over this at once."""


def take_tasks(
    group: atoll.Group,
    record: Record,
    costs: Sequence[int],
    begin: Callable[[int], Parts],
    compute: Callable[[int, Parts], tuple[float, float]],
    progress: Callable[[float], object] | None,
) -> None:
    """Take tasks until none is pending; what the next one needs comes meanwhile.

    Or until a rank was asked to stop: then some are left.

    Collective in so far as all must call it.

    Args:
        group: The ranks that share the tasks.
        record: Knows which are pending, and keeps the energies of those that are done.
        costs: Of all tasks, by number.
        begin: Asks for the parts of a task by its number, and gives what is on its way.
        compute: Gives the energies of a task from its number and its parts.
        progress: Called by the first rank after each of its tasks with the share of the cost that
            has been dealt out.

    """
    pending = record.pending
    runs = cut_runs([costs[number] for number in pending], group.size)
    shares = np.cumsum([float(costs[number]) for number in pending])
    shares = shares / max(shares[-1:].sum(), 1.0)
    counter = atoll.Counter(group=group)

    def finish(number: int, parts: Parts, share: float) -> None:
        record.put(number, *compute(number, parts))
        if progress is not None and group.rank == 0:
            progress(share)

    def places() -> Iterator[int]:
        for number in counter.below(len(runs)):
            yield from runs[number]

    under_way: tuple[int, Parts] | None = None
    try:
        for place in places():
            begun = pending[place], begin(pending[place])
            if under_way is not None:
                finish(*under_way, float(shares[place - 1]))
            under_way = begun
            if record.stops():
                return
        if under_way is not None:
            finish(*under_way, 1.0)
    except BaseException:
        counter.next(len(pending))  # the others need not work for nothing
        raise


def cut_runs(costs: Sequence[int], ranks: int) -> list[range]:
    """Cut a list of tasks into runs that are taken at once: long ones first, single tasks last.

    Neighbours share tiles, and who asks for the next run wakes another host up.
    """
    left = float(sum(costs))
    runs: list[range] = []
    begin = 0
    while begin < len(costs):
        end, cost = begin + 1, float(costs[begin])
        most = left / (RUNS * ranks)
        while end < len(costs) and cost + costs[end] <= most:
            cost += costs[end]
            end += 1
        runs.append(range(begin, end))
        left -= cost
        begin = end
    return runs
