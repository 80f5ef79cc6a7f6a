"""What of a correlated method has not converged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atoll.chem.convergence import Quantity, Unconverged, iterations

if TYPE_CHECKING:
    from atoll.chem import cc, mrci


def of_amplitudes(correlation: cc.RCCSD | cc.UCCSD) -> Unconverged | None:
    """Tell it of coupled cluster; None: the amplitudes are converged."""
    if correlation.converged or not correlation.iterations:
        return None
    last = correlation.iterations[-1]
    return Unconverged(
        "amplitudes",
        iterations(last.number),
        (
            Quantity("energy change", last.change, correlation.conv_tol),
            Quantity("step", last.step, correlation.conv_tol_normt, ""),
        ),
    )


def of_states(states: mrci.MRCI) -> Unconverged | None:
    """Tell it of configuration interaction; None: all states are converged."""
    if states.converged or not states.iterations:
        return None
    last = states.iterations[-1]
    found = [Quantity("largest residual", float(max(last.residuals)), states.conv_tol_residual)]
    if len(states.iterations) > 1:
        change = abs(last.values - states.iterations[-2].values).max()
        found.insert(0, Quantity("largest energy change", float(change), states.conv_tol))
    return Unconverged("states", iterations(len(states.iterations)), tuple(found))
