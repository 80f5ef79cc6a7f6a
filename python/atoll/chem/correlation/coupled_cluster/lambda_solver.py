"""Solving for the multipliers, with the equations' memory made for it and freed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atoll.chem.correlation.coupled_cluster.equations import Equations
from atoll.chem.correlation.coupled_cluster.lambda_equations import LambdaEquations
from atoll.chem.correlation.coupled_cluster.solver import solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes
    from atoll.chem.correlation.coupled_cluster.assembly import Parts
    from atoll.chem.correlation.coupled_cluster.extrapolation import Extrapolation
    from atoll.chem.correlation.coupled_cluster.solver import Iteration, Tolerances


def solve_multipliers(
    amplitudes: Amplitudes,
    multipliers: Amplitudes,
    of: Parts,
    extrapolation: Extrapolation,
    tolerances: Tolerances,
    after: Callable[[Iteration, bool], None],
) -> tuple[list[Iteration], bool]:
    """Improve multipliers of amplitudes until they solve the equations. Collective.

    Gives what `solve` does; energies are those with the multipliers for amplitudes.
    """
    integrals, ladder, fock = of
    equations, derived = Equations(integrals, ladder, fock), None
    try:
        derived = LambdaEquations(equations, integrals, ladder, fock, amplitudes)
        return solve(derived, integrals, multipliers, fock, extrapolation, tolerances, after)
    finally:
        if derived is not None:
            derived.close()
        equations.close()
