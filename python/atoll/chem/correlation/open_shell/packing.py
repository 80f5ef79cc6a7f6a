"""All amplitudes of open shells as one matrix, which closed shells' DIIS takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes
from atoll.chem.correlation.coupled_cluster.extrapolation import Extrapolation
from atoll.chem.correlation.coupled_cluster.shares import Shares

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.open_shell.amplitudes import OpenShellAmplitudes
    from atoll.chem.correlation.open_shell.integrals import Blocks

    Matrix = NDArray[np.float64]


class PackedExtrapolation:
    """`Extrapolation` of open-shell amplitudes. Collective throughout.

    A rank's doubles of all spins are one column, as long as that of the rank that has most.
    """

    def __init__(
        self,
        like: OpenShellAmplitudes,
        group: atoll.Group,
        space: int,
        *,
        on_disk: bool,
        scratch: str | os.PathLike[str] | None,
    ) -> None:
        self._shares = Shares(group, group.size)
        self._amplitudes, self._change = (
            Amplitudes(
                _flat(like.singles)[:, None],
                self._shares.rows(1, _most(like, group), "amplitudes of all spins"),
            )
            for _ in range(2)
        )
        self._extrapolation = Extrapolation(
            self._amplitudes, self._shares, space, on_disk=on_disk, scratch=scratch
        )

    @property
    def seconds_waited(self) -> float:
        """For the disk, of this rank."""
        return self._extrapolation.seconds_waited

    def extrapolate(
        self, amplitudes: OpenShellAmplitudes, singles_change: Mapping[int, Matrix], change: Blocks
    ) -> None:
        """Replace amplitudes by the best combination with those before."""
        self._amplitudes.singles = _flat(amplitudes.singles)[:, None]
        for target, source in (
            (self._amplitudes.doubles, amplitudes.doubles),
            (self._change.doubles, change),
        ):
            begin = 0
            for array in source.values():
                part = array.local().ravel()
                target.local()[begin : begin + part.size, 0] = part
                begin += part.size
        self._extrapolation.extrapolate(
            self._amplitudes, _flat(singles_change)[:, None], self._change.doubles
        )
        self._unpack(amplitudes)

    def close(self) -> None:
        """Free the memory, and remove the file. Collective."""
        self._extrapolation.close()
        self._amplitudes.doubles.destroy()
        self._change.doubles.destroy()

    def _unpack(self, amplitudes: OpenShellAmplitudes) -> None:
        begin = 0
        for spin, old in amplitudes.singles.items():
            values = self._amplitudes.singles[begin : begin + old.size]
            amplitudes.singles[spin] = np.ascontiguousarray(values).reshape(old.shape)
            begin += old.size
        column, begin = self._amplitudes.doubles.local(), 0
        for array in amplitudes.doubles.values():
            local = array.local()
            if local.size > 0:
                local[...] = column[begin : begin + local.size, 0].reshape(local.shape)
            begin += local.size


def _flat(singles: Mapping[int, Matrix]) -> Matrix:
    return np.concatenate([each.ravel() for each in singles.values()])


def _most(amplitudes: OpenShellAmplitudes, group: atoll.Group) -> int:
    mine = sum(array.local().size for array in amplitudes.doubles.values())
    return max(1, int(group.reduce(float(mine), "max")))
