"""The (T) correction of coupled cluster for closed shells, with 2 v^3 o^3 (v + o) operations.

That is the least with products of matrices: W of each a >= b >= c once, o^3 at a time, from which
all orders of the occupied orbitals are read. Tiles of virtual orbitals a, b and c are the tasks.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll import _core
from atoll._agreement import collective
from atoll.chem.correlation.coupled_cluster.triples_fetching import Fetcher
from atoll.chem.correlation.coupled_cluster.triples_operands import (
    Inputs,
    Operands,
    bytes_of_tiles,
    parts_of,
)
from atoll.chem.correlation.coupled_cluster.triples_record import Problem
from atoll.chem.correlation.coupled_cluster.triples_result import (
    INTERVAL,
    Triples,
    check_options,
    gone_on_with,
    nothing,
    of_first_rank,
)
from atoll.chem.correlation.coupled_cluster.triples_run import take_tasks
from atoll.chem.correlation.coupled_cluster.triples_tasks import LANES, cut, make_tasks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.triples_fetching import Fetched, Part
    from atoll.chem.correlation.coupled_cluster.triples_record import Record, Saved

    Tile = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

TASKS_A_RANK = 4  # fewer, and half of the lanes do better


@collective
def correction(
    group: atoll.Group,
    t1: atoll.Array,
    t2: atoll.Array,
    ovov: atoll.Array,
    ovvv: atoll.Array,
    ovoo: atoll.Array,
    occupied_energies: NDArray[np.float64],
    virtual_energies: NDArray[np.float64],
    *,
    memory: int,
    tile: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    interval: float = INTERVAL,
    progress: Callable[[float], object] | None = None,
) -> Triples:
    """Compute the (T) and [T] corrections for closed shells and canonical real orbitals.

    Collective. The sum does not depend on the number of ranks nor on who computes what. Beside the
    arrays given there will be two more, of 8 v o^2 (v + o) and 8 v^2 o (v + 2 o) bytes over all
    ranks.

    Args:
        group: The ranks that take part; the arrays are theirs.
        t1: Amplitudes t_i^a, o x v, in any distribution; float64, as all arrays here.
        t2: Amplitudes t_ij^ab, o x o x v x v.
        ovov: Integrals (ia|jb), o x v x o x v.
        ovvv: Integrals (ia|bc), o x v x v x v.
        ovoo: Integrals (ia|jk), o x v x o x o.
        occupied_energies: Energies of the o occupied orbitals in hartree; the first rank's count,
            and so they do of the virtual ones.
        virtual_energies: Energies of the v virtual orbitals.
        memory: Bytes a rank for the work beside the arrays; tiles that may be needed again fill it.
        tile: Virtual orbitals of a tile; none: as the checkpoint has it, or else as many as are
            done at once, fewer if the memory or the number of tasks says so.
        checkpoint: A folder, seen by all ranks, where what is done is saved by `atoll.checkpoint`,
            and from where a run goes on, on any number of ranks; none: nothing is saved.
        interval: Seconds between checkpoints.
        progress: Called by the first rank after each of its tasks, and at the end, with the share
            of the work that has been dealt out, from 0 to 1. What it raises stops all ranks.

    Raises:
        TypeError: An array of another type.
        ValueError: A shape that does not fit, too little memory, a checkpoint of another problem.
        OSError: The checkpoint cannot be read, or not be written at the beginning.

    """
    started = time.perf_counter()
    inputs = Inputs(t1, t2, ovov, ovvv, ovoo)
    o, v = _check(group, inputs, occupied_energies, virtual_energies)
    check_options(memory, tile, interval)
    folder = None if checkpoint is None else os.fspath(checkpoint)
    _core.enter(group, "correction", repr((memory, tile, folder, interval, o, v)).encode())
    if o == 0 or v == 0:
        return nothing()
    occupied_energies = of_first_rank(group, occupied_energies)
    virtual_energies = of_first_rank(group, virtual_energies)
    _tile(group, o, v, memory, tile, None)  # too little memory is told before the work

    operands = Operands(group, inputs, memory)
    energies = np.concatenate([occupied_energies, virtual_energies])

    def work_of(width: int) -> _Work:
        room = memory - _bytes_needed(o, v, width)
        return _Work(operands, cut(v, width), occupied_energies, virtual_energies, room)

    return gone_on_with(
        group,
        operands,
        folder,
        interval,
        progress,
        problem_of=lambda probes: Problem(o, v, probes, energies),
        tile_of=lambda saved: _tile(group, o, v, memory, tile, saved),
        work_of=work_of,
        started=started,
    )


class _Work:
    """The tasks of one rank."""

    def __init__(
        self,
        operands: Operands,
        tiles: list[slice],
        occupied_energies: NDArray[np.float64],
        virtual_energies: NDArray[np.float64],
        room: int,
    ) -> None:
        self.tasks = make_tasks(tiles)
        o, v = len(occupied_energies), len(virtual_energies)
        self._flops_of_three = 12.0 * o**3 * (v + o)
        self.kernel = _core.TriplesKernel(occupied_energies, len(virtual_energies))
        self._fetcher = Fetcher(lambda part: operands.ask(part, tiles), room)
        self._energies = [np.ascontiguousarray(virtual_energies[tile]) for tile in tiles]

    def run(
        self, group: atoll.Group, record: Record, progress: Callable[[float], object] | None
    ) -> None:
        """Take tasks until there are none. Collective in so far as all must call it."""
        costs = [task.cost for task in self.tasks]
        take_tasks(group, record, costs, self._begin, self._compute, progress)

    def end(self) -> None:
        """Wait for what is on its way."""
        self._fetcher.end()

    def seconds(self) -> list[float]:
        """Give what this rank has spent on waiting, packing, products and energies."""
        return [self._fetcher.seconds_waited, *self.kernel.seconds]

    def flops(self) -> float:
        """Give what the products of this rank's tasks have needed."""
        return self._flops_of_three * float(self.kernel.triples)

    def _begin(self, number: int) -> dict[Part, Fetched]:
        return self._fetcher.begin(parts_of(self.tasks[number]))

    def _compute(self, number: int, parts: dict[Part, Fetched]) -> tuple[float, float]:
        task = self.tasks[number]

        def values(*part: Any) -> NDArray[np.float64]:
            return self._fetcher.values(parts[part])

        def tile(x: int) -> Tile:
            singles = np.ascontiguousarray(values("singles", x).T)
            return values("left", x), singles, self._energies[x]

        a, b, c = task.a, task.b, task.c
        pairs = ((a, b), (b, a), (a, c), (c, a), (b, c), (c, b))
        patches: Any = tuple(values("right", x, y) for x, y in pairs)
        return self.kernel.energies(tile(a), tile(b), tile(c), patches, task.same_ab, task.same_bc)


def _check(
    group: atoll.Group, inputs: Inputs, occupied_energies: Any, virtual_energies: Any
) -> tuple[int, int]:
    """Give the numbers of occupied and virtual orbitals, when all fit them."""
    for name, array in inputs._asdict().items():
        if not isinstance(array, atoll.Array):
            raise TypeError(f"{name} is a {type(array).__name__}, expected an Atoll array")
        if array.dtype != np.float64:
            raise TypeError(f"{name} is of {array.dtype}, expected float64")
        if array.group != group:
            raise ValueError(f"{name} is on {array.group}, expected on {group}")
    if inputs.t1.ndim != 2:
        raise ValueError(f"t1 has shape {inputs.t1.shape}, expected occupied x virtual orbitals")
    o, v = inputs.occupied, inputs.virtual
    shapes = {"t2": (o, o, v, v), "ovov": (o, v, o, v), "ovvv": (o, v, v, v), "ovoo": (o, v, o, o)}
    for name, shape in shapes.items():
        found = getattr(inputs, name).shape
        if found != shape:
            raise ValueError(f"{name} has shape {found}, expected {shape} as t1 has ({o}, {v})")
    for name, energies, count in (
        ("occupied_energies", occupied_energies, o),
        ("virtual_energies", virtual_energies, v),
    ):
        if np.shape(energies) != (count,):
            raise ValueError(f"{name} has shape {np.shape(energies)}, expected ({count},)")
        if not np.isfinite(energies).all():
            raise ValueError(f"{name} is {np.asarray(energies)}, expected finite numbers")
    return o, v


def _tile(
    group: atoll.Group, o: int, v: int, memory: int, tile: int | None, saved: Saved | None
) -> int:
    """Choose the width of the tiles, and see that two tasks' fit the memory."""
    if saved is not None:
        if tile not in (None, saved.tile):
            raise ValueError(f"tile is {tile}, expected {saved.tile} as the checkpoint has")
        tile = saved.tile

    if tile is None:
        tile = min(LANES, v)
        count = -(-v // tile)
        if count * (count + 1) * (count + 2) // 6 < TASKS_A_RANK * group.size:
            tile = min(LANES // 2, v)
        while tile > 1 and _bytes_needed(o, v, tile) > memory:
            tile -= 1
    tile = min(tile, v)
    needed = _bytes_needed(o, v, tile)
    if needed > memory:
        raise ValueError(
            f"memory is {memory}, expected {needed} bytes at least, for tiles of {tile} "
            f"virtual orbitals, {o} occupied and {v} virtual ones"
        )
    return tile


def _bytes_needed(o: int, v: int, width: int) -> int:
    """Give what a rank needs for two tasks at least."""
    return bytes_of_tiles(o, v, width) + int(_core.TriplesKernel.bytes(o, v, width))
