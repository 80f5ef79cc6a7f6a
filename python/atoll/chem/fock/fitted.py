"""Coulomb and exchange matrices by density fitting (RI-J, RI-JK).

Each rank goes through its own strips of the tensor B[Q, mn] with products of matrices; what it adds
to J and K it gathers by rows of blocks and accumulates into the arrays.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll.chem.fock.panel_sums import PanelSums
from atoll.chem.fock.signed_orbitals import signed_orbitals
from atoll.chem.fock.two_electron import BuildStatistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.fock.fitting import FittedIntegrals
    from atoll.chem.fock.two_electron import Density, Progress

HALF_TRANSFORMED = 64 << 20
"""Bytes of B[Q, mi] at once, unless a strip of the tensor is larger."""


class _Orbitals(NamedTuple):
    """Adds `sign` times orbitals @ orbitals.T to a density; one copy a node."""

    values: atoll.Array
    sign: float
    density: int


class FittedFock:
    """Builds Coulomb and exchange matrices, a `TwoElectron`. Collective throughout.

    Args:
        integrals: The tensor; not closed with this object.
        exchange: Whether exchange matrices may be asked for; without, J alone (RI-J) is built, for
            those who take exchange from elsewhere.

    """

    incremental = False

    def __init__(self, integrals: FittedIntegrals, exchange: bool = True) -> None:
        self.integrals, self.group = integrals, integrals.group
        self._exchange = exchange

    def build(
        self,
        densities: Sequence[Density],
        coulomb: atoll.Array | None,
        exchange: Sequence[atoll.Array],
        progress: Progress | None = None,
    ) -> BuildStatistics:
        """See `TwoElectron.build`."""
        if exchange and not self._exchange:
            raise ValueError("exchange is asked for, expected none: this object builds J alone")
        started, waited = time.perf_counter(), self.integrals.seconds_waited
        matrices = [*exchange] if coulomb is None else [coulomb, *exchange]
        for matrix in matrices:
            matrix.fill(0)
        orbitals = self._orbitals(densities) if exchange else []
        pairs = self.integrals.pairs
        j_sums = None if coulomb is None else PanelSums(coulomb, pairs)
        k_sums = [PanelSums(matrix, pairs) for matrix in exchange]
        own = time.perf_counter()
        for number, strip in enumerate(self.integrals.strips()):
            if progress:
                progress(number, self.integrals.strips_a_rank)
            weights = np.zeros(strip.shape[1])
            for each in orbitals:
                weights += self._add_exchange(strip, each, k_sums[each.density])
            if j_sums is not None:
                if not exchange:
                    weights = self._fitted_density(strip, densities)
                self._add_coulomb(strip, weights, j_sums)
        for sums in k_sums if j_sums is None else [j_sums, *k_sums]:
            sums.flush()
        busy = time.perf_counter() - own - (self.integrals.seconds_waited - waited)
        self.group.sync()
        for each in orbitals:
            each.values.destroy()
        for matrix in matrices:
            atoll.linalg.symmetrize(matrix)
        return self._statistics(started, busy, self.integrals.seconds_waited - waited)

    def close(self) -> None:
        """Free what is distributed; the tensor is its maker's. Collective."""

    def _statistics(self, started: float, busy: float, waited: float) -> BuildStatistics:
        most = float(self.group.reduce(busy, "max"))
        mean = float(self.group.reduce(busy, "sum")) / self.group.size
        return BuildStatistics(
            tasks=int(self.group.reduce(self.integrals.strips_a_rank, "sum")),
            quartets=0,
            seconds=time.perf_counter() - started,
            efficiency=mean / most if most > 0 else 1.0,
            details={"seconds waited for the disk": float(self.group.reduce(waited, "max"))},
        )

    def _orbitals(self, densities: Sequence[Density]) -> list[_Orbitals]:
        """Give orbitals of each density on every node; natural ones where none are known."""
        made: list[_Orbitals] = []
        for number, density in enumerate(densities):
            if density.orbitals is not None:
                if density.orbitals.shape[1] > 0:
                    made.append(_Orbitals(density.orbitals.mirror(), 1.0, number))
                continue
            for values, sign in signed_orbitals(density.matrix):
                made.append(_Orbitals(values, sign, number))
        return made

    def _add_exchange(
        self, strip: NDArray[np.float64], orbitals: _Orbitals, sums: PanelSums
    ) -> NDArray[np.float64]:
        """Add B_Q C C^T B_Q of a strip; give the sum of B[Q, mn] D_mn, which comes with it."""
        functions, occupied = orbitals.values.shape
        room = max(min(HALF_TRANSFORMED, self.integrals.memory // 4) // 8, strip.size // 2)
        wide = room // max(1, functions * strip.shape[1])
        batch = max(1, min(occupied, wide))
        weights = np.zeros(strip.shape[1])
        for begin in range(0, occupied, batch):
            part = np.ascontiguousarray(orbitals.values[:, begin : begin + batch].T)
            half = self._half_transformed(strip, part)
            weights += orbitals.sign * (part.T.reshape(-1) @ half.reshape(-1, half.shape[2]))
            by_function = half.reshape(functions, -1)
            for block in range(sums.pairs.count):
                rows = sums.pairs.rows(block)
                left = by_function[rows]
                sums.add(block, left @ left.T, rows, orbitals.sign)
                if rows.start > 0:
                    below = slice(0, rows.start)
                    sums.add(block, left @ by_function[below].T, below, 2 * orbitals.sign)
        return weights

    def _half_transformed(
        self, strip: NDArray[np.float64], orbitals: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Compute the sum over n of B[Q, mn] C_ni, of i x n `orbitals`: m x i x Q."""
        pairs = self.integrals.pairs
        occupied, functions = orbitals.shape
        half = np.empty((functions, occupied, strip.shape[1]))
        for block in range(pairs.count):
            rows, part = pairs.rows(block), pairs.block(strip, block)
            np.matmul(orbitals[:, : rows.stop], part, out=half[rows])
            if rows.start > 0:  # the other half of the square
                across = part[:, : rows.start].transpose(1, 0, 2)
                half[: rows.start] += np.matmul(orbitals[:, rows], across)
        return half

    def _fitted_density(
        self, strip: NDArray[np.float64], densities: Sequence[Density]
    ) -> NDArray[np.float64]:
        """Compute the sum of B[Q, mn] D_mn of all densities."""
        pairs = self.integrals.pairs
        weights = np.zeros(strip.shape[1])
        for block in range(pairs.count):
            rows, part = pairs.rows(block), pairs.block(strip, block)
            panel = np.zeros((rows.stop - rows.start, rows.stop))
            for density in densities:
                panel += density.matrix[rows, : rows.stop]
            panel[:, : rows.start] *= 2
            weights += panel.reshape(-1) @ part.reshape(panel.size, -1)
        return weights

    def _add_coulomb(
        self, strip: NDArray[np.float64], weights: NDArray[np.float64], sums: PanelSums
    ) -> None:
        for block in range(sums.pairs.count):
            rows, part = sums.pairs.rows(block), sums.pairs.block(strip, block)
            panel = (part.reshape(-1, len(weights)) @ weights).reshape(part.shape[:2])
            panel[:, : rows.start] *= 2
            sums.add(block, panel, slice(0, rows.stop), 1.0)
