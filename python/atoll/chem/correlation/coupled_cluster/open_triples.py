"""The (T) correction of coupled cluster for open shells: UHF or semicanonical ROHF references.

Tiles of virtual orbitals a, b and c are the tasks, in four cases of spins; W of each a > b, and
> c if all are of one spin, is o^3 at a time and made by products of matrices.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll import _core
from atoll._agreement import collective
from atoll.chem.correlation.coupled_cluster.open_triples_check import check
from atoll.chem.correlation.coupled_cluster.open_triples_kernel import Kernel, bytes_of_work
from atoll.chem.correlation.coupled_cluster.open_triples_operands import (
    Inputs,
    Integrals,
    Operands,
    parts_of,
)
from atoll.chem.correlation.coupled_cluster.open_triples_tasks import (
    SPINS,
    Orbitals,
    Spin,
    cases,
    make_tasks,
)
from atoll.chem.correlation.coupled_cluster.triples_fetching import Fetcher
from atoll.chem.correlation.coupled_cluster.triples_operands import probe
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
from atoll.chem.correlation.coupled_cluster.triples_tasks import cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.triples_fetching import Fetched, Part
    from atoll.chem.correlation.coupled_cluster.triples_record import Record, Saved

    Values = NDArray[np.float64]
    OfSpins = dict[Spin, Values]

__all__ = ["Integrals", "correction"]

TILE = 8
"""Virtual orbitals of a tile: products are fast from there on."""
TASKS_A_RANK = 4
METHOD = "(T) of open shells"


@collective
def correction(
    group: atoll.Group,
    singles: tuple[atoll.Array, atoll.Array],
    doubles: tuple[atoll.Array, atoll.Array, atoll.Array],
    integrals: Integrals,
    occupied_energies: tuple[Values, Values],
    virtual_energies: tuple[Values, Values],
    *,
    memory: int,
    fock: tuple[Values, Values] | None = None,
    tile: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    interval: float = INTERVAL,
    progress: Callable[[float], object] | None = None,
) -> Triples:
    """Compute the (T) and [T] corrections for open shells and real orbitals.

    Collective. Orbitals must be such that the Fock matrix of each spin is diagonal among the
    occupied and among the virtual ones: those of UHF are, and semicanonical ones of ROHF, for
    which `fock` is needed. The sum does not depend on the number of ranks nor on who computes
    what, beyond the order of operations in products. Beside the arrays given there will be eight
    more over all ranks; for o and v orbitals of each spin they take about 8 (3 v o^2 (v + o) +
    4 v^2 o (v + 2 o)) bytes.

    Args:
        group: The ranks that take part; the arrays are theirs.
        singles: Amplitudes t_i^a of spins alpha and beta, o x v and O x V, in any distribution;
            float64, as all arrays here. A spin may have no orbitals.
        doubles: Amplitudes t_ij^ab of alpha and alpha, alpha and beta, beta and beta: o x o x v x
            v, o x O x v x V (as i, J, a, B), O x O x V x V.
        integrals: In chemists' notation, named as in PySCF, none packed.
        occupied_energies: Energies of the occupied orbitals of both spins in hartree; the first
            rank's count, and so they do of the virtual ones and of `fock`.
        virtual_energies: Energies of the virtual orbitals.
        memory: Bytes a rank for the work beside the arrays; tiles that may be needed again fill it.
        fock: Blocks f_ia of the Fock matrices of both spins, o x v and O x V, in hartree; none:
            they are zero, as in UHF.
        tile: Virtual orbitals of a tile; none: as the checkpoint has it, or else eight, fewer if
            the memory or the number of tasks says so.
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
    inputs = Inputs(tuple(singles), tuple(doubles), integrals)  # type: ignore[arg-type]
    check(group, inputs, occupied_energies, virtual_energies, fock)
    check_options(memory, tile, interval)
    orbitals = inputs.orbitals
    folder = None if checkpoint is None else os.fspath(checkpoint)
    options = (memory, tile, folder, interval, orbitals, fock is not None)
    _core.enter(group, "correction", repr(options).encode())
    if not cases(orbitals):
        return nothing()
    occupied = _of_first_rank(group, occupied_energies)
    virtual = _of_first_rank(group, virtual_energies)
    blocks = None if fock is None else _of_first_rank(group, fock)
    _tile(group, orbitals, memory, tile, None)  # too little memory is told before the work

    operands = Operands(group, inputs, cases(orbitals), memory)

    def work_of(width: int) -> _Work:
        kernel = Kernel(_tiles(orbitals, width), occupied, virtual, blocks)
        return _Work(operands, orbitals, width, kernel, memory - _bytes_needed(orbitals, width))

    return gone_on_with(
        group,
        operands,
        folder,
        interval,
        progress,
        problem_of=lambda probes: _problem(orbitals, probes, occupied, virtual, blocks),
        tile_of=lambda saved: _tile(group, orbitals, memory, tile, saved),
        work_of=work_of,
        started=started,
    )


class _Work:
    """The tasks of one rank."""

    def __init__(
        self,
        operands: Operands,
        orbitals: dict[Spin, Orbitals],
        width: int,
        kernel: Kernel,
        room: int,
    ) -> None:
        tiles = _tiles(orbitals, width)
        self.tasks = make_tasks(orbitals, tiles)
        self.kernel = kernel
        self._fetcher = Fetcher(lambda part: operands.ask(part, tiles), room)

    def run(
        self,
        group: atoll.Group,
        record: Record,
        progress: Callable[[float], object] | None,
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
        return float(self.kernel.flops)

    def _begin(self, number: int) -> dict[Part, Fetched]:
        return self._fetcher.begin(parts_of(self.tasks[number]))

    def _compute(self, number: int, parts: dict[Part, Fetched]) -> tuple[float, float]:
        for part in parts.values():
            self._fetcher.values(part)  # else waiting counts as packing

        def get(*part: Any) -> Values:
            return parts[part].values()

        return self.kernel.energies(self.tasks[number], get)


def _of_first_rank(group: atoll.Group, values: tuple[Values, Values]) -> OfSpins:
    return {spin: of_first_rank(group, each) for spin, each in zip(SPINS, values, strict=True)}


def _tiles(orbitals: dict[Spin, Orbitals], width: int) -> dict[Spin, list[slice]]:
    return {spin: cut(orbitals[spin].virtual, width) for spin in SPINS}


def _problem(
    orbitals: dict[Spin, Orbitals],
    probes: Values,
    occupied: OfSpins,
    virtual: OfSpins,
    fock: OfSpins | None,
) -> Problem:
    rows = np.zeros((2, 2))
    if fock is not None:
        for row, block in zip(rows, fock.values(), strict=True):
            row[:] = probe(tuple(slice(0, n) for n in block.shape), block), np.linalg.norm(block)
    return Problem(
        " + ".join(str(orbitals[spin].occupied) for spin in SPINS),
        " + ".join(str(orbitals[spin].virtual) for spin in SPINS),
        np.concatenate([probes, rows]),
        np.concatenate([*occupied.values(), *virtual.values()]),
        METHOD,
    )


def _tile(
    group: atoll.Group,
    orbitals: dict[Spin, Orbitals],
    memory: int,
    tile: int | None,
    saved: Saved | None,
) -> int:
    """Choose the width of the tiles, and see that two tasks' fit the memory."""
    if saved is not None:
        if tile not in (None, saved.tile):
            raise ValueError(f"tile is {tile}, expected {saved.tile} as the checkpoint has")
        tile = saved.tile

    most = max(orbitals[spin].virtual for spin in SPINS)
    if tile is None:
        tile = min(TILE, most)
        if len(make_tasks(orbitals, _tiles(orbitals, tile))) < TASKS_A_RANK * group.size:
            tile = min(TILE // 2, most)
        while tile > 1 and _bytes_needed(orbitals, tile) > memory:
            tile -= 1
    tile = min(tile, most)
    needed = _bytes_needed(orbitals, tile)
    if needed > memory:
        counts = ", ".join(f"{each.occupied} and {each.virtual}" for each in orbitals.values())
        raise ValueError(
            f"memory is {memory}, expected {needed} bytes at least, for tiles of {tile} "
            f"virtual orbitals (occupied and virtual ones of both spins: {counts})"
        )
    return tile


def _bytes_needed(orbitals: dict[Spin, Orbitals], width: int) -> int:
    """Give what a rank needs for two tasks at least."""
    return max(bytes_of_work(orbitals, case, width) for case in cases(orbitals))
