"""The iterations of CCSD: residual, step, extrapolation, until nothing changes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from atoll.chem.correlation.coupled_cluster.amplitudes import divide, energy

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes
    from atoll.chem.correlation.coupled_cluster.extrapolation import Extrapolation
    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.integrals import Integrals


@dataclass(frozen=True)
class Iteration:
    """One iteration, as all ranks know it. Energies in hartree."""

    number: int
    energy: float
    change: float
    """Of the energy."""
    step: float
    """Length of the change of the amplitudes."""
    seconds: float


@dataclass(frozen=True)
class Tolerances:
    """When the amplitudes are good enough."""

    energy: float
    """Largest change of the energy, hartree."""
    step: float
    """Largest length of the change of the amplitudes."""
    iterations: int
    """At most so many."""

    def are_met_by(self, change: float, step: float) -> bool:
        """Tell whether an iteration that changed so much is the last one."""
        return abs(change) < self.energy and step < self.step


class ToSolve(Protocol):
    """Equations of amplitudes, or of what is like them."""

    def residual(self, amplitudes: Amplitudes, /) -> tuple[NDArray[np.float64], atoll.Array]:
        """Give what is left of them, as the amplitudes are. Collective."""


def solve(
    equations: ToSolve,
    integrals: Integrals,
    amplitudes: Amplitudes,
    fock: OrbitalFock,
    extrapolation: Extrapolation,
    tolerances: Tolerances,
    after: Callable[[Iteration, bool], None],
) -> tuple[list[Iteration], bool]:
    """Improve amplitudes until they solve the equations. Collective.

    `after` is called by all ranks after each iteration, with whether it was the last one. Gives
    the iterations, and whether they have converged.
    """
    energies = fock.energies
    occupied, virtual = energies

    def improve() -> float:
        singles, doubles = equations.residual(amplitudes)
        singles_step = -singles / (virtual[:, None] - occupied)
        step = doubles.local().reshape(-1, *amplitudes.own().shape[1:])
        np.negative(step, out=step)
        divide(step, energies, integrals.shares)
        amplitudes.singles = amplitudes.singles + singles_step
        rows = amplitudes.own()
        rows += step
        squares = float(integrals.group.reduce(float(np.vdot(step, step))))
        extrapolation.extrapolate(amplitudes, singles_step, doubles)
        return float(np.sqrt(squares + np.vdot(singles_step, singles_step)))

    return iterate(improve, lambda: energy(amplitudes, integrals, fock), tolerances, after)


def iterate(
    improve: Callable[[], float],
    energy: Callable[[], float],
    tolerances: Tolerances,
    after: Callable[[Iteration, bool], None],
) -> tuple[list[Iteration], bool]:
    """Improve amplitudes until neither they nor the energy change. Collective.

    `improve` gives the length of its step; for the rest see `solve`.
    """
    before = energy()
    iterations: list[Iteration] = []
    converged = False
    for number in range(1, tolerances.iterations + 1):
        started = time.perf_counter()
        length, now = improve(), energy()
        seconds = time.perf_counter() - started
        iterations.append(Iteration(number, now, now - before, length, seconds))
        converged = tolerances.are_met_by(now - before, length)
        before = now
        after(iterations[-1], converged)
        if converged:
            break
    return iterations, converged
