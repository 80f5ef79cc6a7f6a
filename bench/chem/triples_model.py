"""A model of the (T) correction on nodes of many cores, from what triples_hosts.py has measured.

The tasks are dealt out to all ranks as (T) does it, in order, with tiles kept by the same rules;
that gives the bytes and the balance. A task of the kernel, of that very size, gives the time for
computing. The rest is from a run on one host and one on two: copies of tiles in a node, processor
time for a byte that goes between hosts, the link, and the part of the transfers that is not hidden.
"""

from __future__ import annotations

import functools
import heapq
import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from atoll import _core
from atoll.chem.correlation.coupled_cluster import triples
from atoll.chem.correlation.coupled_cluster.triples_fetching import Fetcher
from atoll.chem.correlation.coupled_cluster.triples_operands import parts_of
from atoll.chem.correlation.coupled_cluster.triples_run import cut_runs
from atoll.chem.correlation.coupled_cluster.triples_tasks import LANES, Task, cut, make_tasks

SAMPLE_OPERATIONS = 2e10  # of a task of the kernel; if it has more, it gets fewer orbitals
SAMPLE_SECONDS = 0.5
FEW = 2  # orbitals b and c


@dataclass(frozen=True)
class Size:
    """A problem: occupied and virtual orbitals, and bytes of a rank for the work."""

    occupied: int
    virtual: int
    memory: int

    @property
    def operations(self) -> float:
        return 2.0 * self.virtual**3 * self.occupied**3 * (self.virtual + self.occupied)

    @property
    def operands(self) -> int:
        """Count the bytes of what tasks read, over all ranks."""
        o, v = self.occupied, self.virtual
        return 8 * v * o * (o * (v + o) + v * (v + 2 * o))

    def tile(self, ranks: int) -> int:
        """Give the width of the tiles, as (T) chooses it."""
        group: Any = SimpleNamespace(size=ranks)
        return triples._tile(group, self.occupied, self.virtual, self.memory, None, None)


@dataclass(frozen=True)
class Kernel:
    """Seconds of a core: for a lane of the processor's vectors, and to pack the tiles of a task."""

    lane: float
    packing: float


def sample_kernel(size: Size, tile: int) -> Kernel:
    """Time a task of the size's tiles by the processor, with few orbitals b and c if it is long."""
    o, v = size.occupied, size.virtual
    kernel = _core.TriplesKernel(np.linspace(-1.5, -0.5, o), v)

    def tile_of(width: int) -> Any:
        left = np.full((width, o, o, v + o), 0.01)
        return left, np.full((width, o), 0.01), np.linspace(0.2, 2.0, width)

    long = 12.0 * o**3 * (v + o) * tile**3 > SAMPLE_OPERATIONS
    others = min(FEW, tile) if long else tile
    widths = (tile, others, others)
    pairs = ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1))
    patches: Any = tuple(np.full((widths[x], widths[y], o, v + 2 * o), 0.01) for x, y in pairs)
    tiles = tuple(tile_of(width) for width in widths)
    kernel.energies(*tiles, patches, False, False)
    before, count = np.array(kernel.seconds), 0
    started, processor = time.perf_counter(), time.thread_time()
    while time.perf_counter() - started < SAMPLE_SECONDS:
        kernel.energies(*tiles, patches, False, False)
        count += 1
    share = (time.thread_time() - processor) / (time.perf_counter() - started)
    packing, products, energies = share / count * (np.array(kernel.seconds) - before)
    lanes = LANES if tile > LANES // 2 else LANES // 2
    return Kernel(float(products + energies) / (lanes * others**2), float(packing) * tile / others)


@functools.lru_cache(maxsize=1)
def tasks_of(orbitals: int, width: int) -> list[Task]:
    """Make the list of tasks; that of many nodes is the same as that of few."""
    return make_tasks(cut(orbitals, width))


@dataclass(frozen=True)
class Dealt:
    """What comes of dealing the tasks out."""

    tasks: int
    lanes: float
    """Of all tasks."""
    bytes: float
    """That all ranks ask for."""
    imbalance: float
    """The longest rank's lanes in terms of the mean."""


def deal(size: Size, ranks: int) -> Dealt:
    """Deal the tasks out to ranks that compute equally fast."""
    width = size.tile(ranks)
    tiles = cut(size.virtual, width)
    tasks = tasks_of(size.virtual, width)
    widths = [tile.stop - tile.start for tile in tiles]
    asked = 0

    def ask(part: Any) -> Any:
        nonlocal asked
        nbytes = _bytes_of(part, widths, size)
        asked += nbytes
        return SimpleNamespace(nbytes=nbytes)

    room = size.memory - triples._bytes_needed(size.occupied, size.virtual, width)
    fetchers = [Fetcher(ask, room) for _ in range(ranks)]
    free = [(0.0, rank) for rank in range(ranks)]
    for run in cut_runs([task.cost for task in tasks], ranks):
        clock, rank = heapq.heappop(free)
        for number in run:
            fetchers[rank].begin(parts_of(tasks[number]))
            clock += tasks[number].cost
        heapq.heappush(free, (clock, rank))
    lanes = float(sum(task.cost for task in tasks))
    return Dealt(len(tasks), lanes, asked, max(free)[0] * ranks / lanes)


def _bytes_of(part: Any, widths: list[int], size: Size) -> int:
    name, *numbers = part
    o, v = size.occupied, size.virtual
    row = {"left": o * o * (v + o), "right": o * (v + 2 * o), "singles": o}[name]
    return 8 * row * int(np.prod([widths[number] for number in numbers]))


@dataclass(frozen=True)
class Rates:
    """What was measured; seconds of a core for a byte, unless said otherwise."""

    copy: float
    """To ask for tiles and to copy them, in the node."""
    layout: float
    """To lay a byte of the operands out."""
    carry: float
    """For a byte from another host: sending, receiving, and all that waiting for it takes."""
    latency: float
    """Seconds of a small get from another host."""
    bandwidth: float
    """Bytes a second of a large one."""
    exposed: float
    """The part of the transfers that is waited for."""


@dataclass(frozen=True)
class Prediction:
    """Seconds of a core's computing in all, and from begin to end; bytes between hosts."""

    computing: float
    elapsed: float
    moved: float
    efficiency: float
    """Equation 1; cores that do not compute count."""


def calibrate(
    size: Size, one: dict[str, Any], two: dict[str, Any], link: dict[str, float]
) -> Rates:
    """Find the rates from the figures of a run on one host and of one on two, one rank on each."""
    alone, shared = deal(size, 1), deal(size, 2)
    beside = one["elapsed"] - one["kernel"] - one["by kind"]["layout"]
    moved = shared.bytes / 2
    carried = max(0.0, two["processor"] - one["processor"])
    transfer = moved / 2 / link["bandwidth"]
    return Rates(
        copy=max(0.0, beside) / alone.bytes,
        layout=one["by kind"]["layout"] / size.operands,
        carry=carried / moved,
        latency=link["latency"],
        bandwidth=link["bandwidth"],
        exposed=min(1.0, two["by kind"]["wait"] / 2 / transfer),
    )


def predict(
    size: Size,
    kernel: Kernel,
    rates: Rates,
    *,
    hosts: int,
    cores: float,
    computing_cores: float | None = None,
    dealt: Dealt | None = None,
) -> Prediction:
    """Predict (T) on so many hosts; a rank on each core that computes, one at least."""
    busy = cores if computing_cores is None else computing_cores
    ranks = max(1, int(busy)) * hosts
    dealt = deal(size, ranks) if dealt is None else dealt
    away = 1 - 1 / hosts
    moved = dealt.bytes * away
    computing = dealt.lanes * kernel.lane + dealt.tasks * kernel.packing
    beside = dealt.bytes * rates.copy + moved * rates.carry
    on_cores = (computing * dealt.imbalance + beside) / (hosts * busy)
    transfer = moved / hosts / rates.bandwidth
    laying = size.operands / hosts
    layout = laying * rates.layout / busy + laying * away / rates.bandwidth
    requests = dealt.tasks / ranks * rates.latency * (hosts > 1)
    elapsed = max(on_cores + rates.exposed * transfer, transfer) + layout + requests
    return Prediction(computing, elapsed, moved, computing / (elapsed * hosts * cores))
