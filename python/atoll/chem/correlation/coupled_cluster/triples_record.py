"""Energies of the tasks of the (T) correction: summed in the tasks' order, saved from time to time.

They are in a small distributed array, where a task that is not done yet has NaN. The first rank
alone saves them, between two of its tasks: nobody waits for it.
"""

from __future__ import annotations

import math
import time
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import atoll
from atoll import _core
from atoll.chem.correlation.same_problem import OtherCalculationError

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

PUT_SECONDS = 1.0
"""Between messages to those whose part of the table it is, each of which wakes a host up."""
LOOK_SECONDS = 1.0
"""Between looks for whether another rank was asked to stop, likewise."""
SAME = 1e-10
"""Probes of one problem differ by less, in units of the norm: sums in another order do."""


class Problem(NamedTuple):
    """What must be the same for a checkpoint to be gone on from."""

    occupied: int | str
    """Orbitals; of both spins as text."""
    virtual: int | str
    probes: NDArray[np.float64]
    """Sums of amplitudes and integrals with weights, each beside the norm."""
    energies: NDArray[np.float64]
    """Of the orbitals, in hartree."""
    method: str = "(T) of closed shells"

    def is_that_of(self, saved: dict[str, Any]) -> bool:
        """Tell whether a checkpoint is of this problem."""
        same = ("method", "occupied", "virtual")
        if any(saved.get(name) != getattr(self, name) for name in same):
            return False
        difference = np.abs(saved["probes"] - self.probes)[:, 0]
        same_orbitals = np.allclose(saved["energies of orbitals"], self.energies, SAME, SAME)
        return same_orbitals and bool((difference <= SAME * (1 + self.probes[:, 1])).all())


class Saved(NamedTuple):
    """What a checkpoint has."""

    tile: int
    """Width of the tiles."""
    energies: NDArray[np.float64]
    """Tasks x 2: connected and disconnected, in hartree; NaN: not done."""


def load(
    group: atoll.Group, folder: str | os.PathLike[str] | None, problem: Problem
) -> Saved | None:
    """Give what an earlier run has saved there, if anything. Collective.

    Raises:
        OtherCalculationError: On all ranks: it is of another problem.
        OSError: On all ranks: it is damaged, or cannot be read.

    """
    if folder is None:
        return None
    try:
        found = atoll.checkpoint.load(folder, group=group)
    except FileNotFoundError:
        return None
    if not problem.is_that_of(found):
        what = f"{found.get('occupied')} occupied and {found.get('virtual')} virtual orbitals"
        raise OtherCalculationError(
            f"checkpoint is {str(folder)!r}, where another calculation is saved ({what}; or other "
            f"amplitudes or integrals), expected one of the same {problem.occupied} and "
            f"{problem.virtual} orbitals, or a folder without any"
        )
    return Saved(int(found["tile"]), np.asarray(found["energies"]))


class Record:
    """The energies of all tasks. Making and closing it is collective, and so is `total`."""

    def __init__(
        self,
        group: atoll.Group,
        problem: Problem,
        start: Saved,
        folder: str | os.PathLike[str] | None,
        interval: float,
    ) -> None:
        self.pending = [int(n) for n in np.flatnonzero(np.isnan(start.energies).any(axis=1))]
        self.tasks = len(start.energies)
        self.seconds = 0.0
        self._table = atoll.from_numpy(start.energies, group=group, name="(T) of tasks")
        self._stop = atoll.zeros(1, np.int32, group=group, name="(T) stops")
        self._stopping, self._looked_at = False, time.monotonic()
        self._problem, self._tile = problem, start.tile
        self._folder, self._interval = folder, interval
        self._alone = group.split(0 if group.rank == 0 else -1)
        self._found: dict[int, tuple[float, float]] = {}  # not yet in the table
        self._saved_at = self._put_at = time.monotonic()
        if folder is not None and self.pending:
            self._save(first=True)  # a folder that cannot be written is known before the work
        group.sync()

    def put(self, task: int, connected: float, disconnected: float) -> None:
        """Keep the energies of a task, and save all of them if it is time. Not collective."""
        self._found[task] = connected, disconnected
        now = time.monotonic()
        if now - self._put_at >= min(PUT_SECONDS, self._interval):
            self._put_all()
        if now - self._saved_at >= self._interval:
            self._save()

    def stops(self) -> bool:
        """Tell whether any rank was asked to stop; all hear of it soon. Not collective."""
        now = time.monotonic()
        if self._stopping or now - self._looked_at < min(LOOK_SECONDS, self._interval):
            return self._stopping
        self._looked_at = now
        if _core.stop_due():
            self._stop[0] = 1
            self._stopping = True
        else:
            self._stopping = bool(self._stop[0])
        return self._stopping

    def leave_off(self) -> bool:
        """Save what is done; tell whether anything is left to do. Collective."""
        self._put_all()
        self._table.group.sync()
        left = bool(np.isnan(self._table[...]).any())
        if left:
            self._save()
        self._table.group.sync()
        return left

    @property
    def is_saved(self) -> bool:
        """Whether there is a folder for it."""
        return self._folder is not None

    def total(self) -> tuple[float, float]:
        """Sum connected and disconnected parts, when all are done; save them. Collective."""
        self._put_all()
        self._table.group.sync()
        energies = self._table[...]
        if self.pending:
            self._save()
        return math.fsum(energies[:, 0]), math.fsum(energies[:, 1])

    def close(self) -> None:
        """Free the array."""
        self._table.destroy()
        self._stop.destroy()

    def _put_all(self) -> None:
        for task, energies in self._found.items():
            self._table[task] = energies
        self._found.clear()
        self._put_at = time.monotonic()

    def _save(self, *, first: bool = False) -> None:
        """Save what is done; a disk that fails later on costs the checkpoint, not the work."""
        if self._folder is None or self._alone is None:
            return
        started = time.monotonic()
        contents = {
            "method": self._problem.method,
            "occupied": self._problem.occupied,
            "virtual": self._problem.virtual,
            "probes": self._problem.probes,
            "energies of orbitals": self._problem.energies,
            "tile": self._tile,
            "energies": self._table[...],
        }
        try:
            atoll.checkpoint.save(self._folder, contents, group=self._alone)
        except OSError as error:
            if first:
                raise
            warnings.warn(f"(T) goes on without its checkpoint: {error}", stacklevel=2)
        self._saved_at = time.monotonic()
        self.seconds += self._saved_at - started
