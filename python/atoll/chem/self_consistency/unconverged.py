"""What of a self-consistent field has not converged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atoll.chem.convergence import Quantity, Unconverged, iterations
from atoll.chem.self_consistency.settings import Settings

if TYPE_CHECKING:
    from atoll.chem.self_consistency.mean_field import MeanField


def unconverged(mean_field: MeanField) -> Unconverged | None:
    """Tell it of a self-consistent field; None: it is converged."""
    solution = mean_field.solution
    if mean_field.converged or solution is None:
        return None
    last = solution.iterations[-1]
    settings = Settings(mean_field.conv_tol, mean_field.conv_tol_grad)
    found = [Quantity("DIIS error", last.error, settings.largest_error)]
    if last.number > 1:
        found.insert(0, Quantity("energy change", last.change, mean_field.conv_tol))
    return Unconverged("self-consistent field", iterations(last.number), tuple(found))
