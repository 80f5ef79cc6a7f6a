"""DIIS for amplitudes: the combination of recent ones whose changes cancel best (Pulay 1980)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.correlation.coupled_cluster.shares import Shares, own
from atoll.chem.integrals.scratch import ScratchArray

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes

    Matrix = NDArray[np.float64]

TILE = 1 << 17  # of a file, in doubles: 1 MiB


class Extrapolation:
    """Recent amplitudes and their changes, in memory or on a disk array. Collective throughout.

    Args:
        like: Amplitudes of the kind that come.
        shares: How they are distributed.
        space: How many are kept; below two nothing is extrapolated.
        on_disk: Whether they lie there.
        scratch: Folder of the disk array.

    Attributes:
        seconds_waited: For the disk, of this rank.

    """

    def __init__(
        self,
        like: Amplitudes,
        shares: Shares,
        space: int,
        *,
        on_disk: bool,
        scratch: str | os.PathLike[str] | None,
    ) -> None:
        self._space, self._group = space, shares.group
        self._count = 0
        self.seconds_waited = 0.0
        self._singles: dict[int, tuple[Matrix, Matrix]] = {}
        self._dots = np.zeros((space, space))
        self._kept: dict[int, Matrix] = {}
        self._disk: ScratchArray | None = None
        self._buffer: atoll.Array | None = None
        if on_disk and space > 1:
            rows, columns = like.doubles.shape
            tile = (max(1, min(rows, TILE // columns)), columns)
            shape = (2 * space * rows, columns)
            what = "amplitudes of DIIS"
            self._disk = ScratchArray(self._group, shape, tile, scratch, what)
            self._buffer = shares.rows(columns, rows // shares.count, what)

    def extrapolate(
        self, amplitudes: Amplitudes, singles_change: Matrix, change: atoll.Array
    ) -> None:
        """Replace amplitudes by the best combination with those before.

        `change`, and that of the singles, is what the last step has added to them.
        """
        if self._space < 2:
            return
        slot = self._count % self._space
        self._count += 1
        self._put(2 * slot, amplitudes.doubles)
        self._put(2 * slot + 1, change)
        self._singles[slot] = (amplitudes.singles.copy(), singles_change.copy())
        present = list(self._singles)
        latest = own(change, change.shape[1])
        dots = np.array(
            [np.vdot(latest if x == slot else self._get(2 * x + 1), latest) for x in present]
        )
        totals = np.asarray(self._group.reduce(dots))
        for other, total in zip(present, totals, strict=True):
            both = float(total) + float(np.vdot(self._singles[other][1], singles_change))
            self._dots[other, slot] = self._dots[slot, other] = both
        if len(present) < 2:
            return
        weights = np.asarray(self._group.broadcast(_weights(self._dots[np.ix_(present, present)])))
        self._combine(amplitudes, present, weights)

    def close(self) -> None:
        """Free the memory, and remove the file. Collective."""
        self._kept.clear()
        if self._buffer is not None:
            self._buffer.destroy()
            self._buffer = None
        if self._disk is not None:
            self._disk.close()
            self._disk = None

    def _combine(self, amplitudes: Amplitudes, present: list[int], weights: Matrix) -> None:
        doubles = own(amplitudes.doubles, amplitudes.doubles.shape[1])
        newest = (self._count - 1) % self._space
        doubles *= weights[present.index(newest)]  # they are there already
        for slot, weight in zip(present, weights, strict=True):
            if slot != newest:
                doubles += weight * self._get(2 * slot)
        kept = zip(present, weights, strict=True)
        amplitudes.singles = np.sum([w * self._singles[slot][0] for slot, w in kept], axis=0)

    def _put(self, place: int, array: atoll.Array) -> None:
        if self._disk is None:
            values = own(array, array.shape[1])
            if place in self._kept:
                self._kept[place][...] = values
            else:
                self._kept[place] = values.copy()
            return
        rows = array.shape[0]
        started = time.perf_counter()
        try:
            self._disk.array.write(array, np.s_[place * rows : (place + 1) * rows])
        except OSError as error:
            raise self._disk.explained(error) from None
        self.seconds_waited += time.perf_counter() - started

    def _get(self, place: int) -> Matrix:
        """Give this rank's rows; good until the next call."""
        if self._disk is None:
            return self._kept[place]
        assert self._buffer is not None
        rows, columns = self._buffer.shape
        started = time.perf_counter()
        self._disk.array.read(self._buffer, np.s_[place * rows : (place + 1) * rows])
        self.seconds_waited += time.perf_counter() - started
        return own(self._buffer, columns)


def _weights(dots: Matrix) -> Matrix:
    """Give weights that add up to one and make the combined change as short as can be."""
    count = len(dots)
    matrix = np.ones((count + 1, count + 1))
    # Of order one, however small the changes are.
    matrix[:count, :count] = dots / max(float(np.max(np.abs(dots))), np.finfo(float).tiny)
    matrix[count, count] = 0
    right = np.zeros(count + 1)
    right[count] = 1
    solution = np.linalg.lstsq(matrix, right, rcond=1e-15)[0]
    return np.asarray(solution[:count], dtype=np.float64)
