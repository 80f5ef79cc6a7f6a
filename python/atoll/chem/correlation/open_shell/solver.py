"""The iterations of open-shell CCSD: residual, step, extrapolation, until nothing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.correlation.coupled_cluster.solver import iterate
from atoll.chem.correlation.open_shell.amplitudes import divide, energy, own_square

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.fock_matrix import OrbitalFock
    from atoll.chem.correlation.coupled_cluster.solver import Iteration, Tolerances
    from atoll.chem.correlation.open_shell.amplitudes import Energies, OpenShellAmplitudes
    from atoll.chem.correlation.open_shell.equations import OpenShellEquations
    from atoll.chem.correlation.open_shell.integrals import Blocks, OpenShellIntegrals
    from atoll.chem.correlation.open_shell.packing import PackedExtrapolation

    Matrix = NDArray[np.float64]


def solve(
    equations: OpenShellEquations,
    integrals: OpenShellIntegrals,
    amplitudes: OpenShellAmplitudes,
    fock: Mapping[int, OrbitalFock],
    extrapolation: PackedExtrapolation,
    tolerances: Tolerances,
    after: Callable[[Iteration, bool], None],
) -> tuple[list[Iteration], bool]:
    """Improve amplitudes until they solve the equations, as `coupled_cluster.solver`'s does."""
    energies = {spin: fock[spin].energies for spin in integrals.spins}

    def improve() -> float:
        singles, doubles = equations.residual(amplitudes)
        _make_steps(singles, doubles, energies, integrals)
        length = _add(amplitudes, singles, doubles, integrals)
        extrapolation.extrapolate(amplitudes, singles, doubles)
        return length

    return iterate(improve, lambda: energy(amplitudes, integrals, fock), tolerances, after)


def _make_steps(
    singles: dict[int, Matrix], doubles: Blocks, energies: Energies, integrals: OpenShellIntegrals
) -> None:
    """Divide residuals by differences of orbital energies, in place."""
    for spin, residual in singles.items():
        occupied, virtual = energies[spin]
        residual /= occupied - virtual[:, None]
    for both, array in doubles.items():
        rows = own_square(array, singles, both)
        np.negative(rows, out=rows)
        divide(rows, energies, integrals.shares[both[0]], both)


def _add(
    amplitudes: OpenShellAmplitudes,
    singles: Mapping[int, Matrix],
    doubles: Blocks,
    integrals: OpenShellIntegrals,
) -> float:
    """Add steps to amplitudes; give the length of a step that has each pair of electrons once."""
    squares = 0.0
    for both, array in doubles.items():
        step, rows = own_square(array, singles, both), amplitudes.own(both)
        rows += step
        squares += (0.25 if both[0] == both[1] else 1.0) * float(np.vdot(step, step))
    total = float(integrals.group.reduce(squares))
    for spin, step in singles.items():
        amplitudes.singles[spin] = amplitudes.singles[spin] + step
        total += float(np.vdot(step, step))
    return float(np.sqrt(total))
