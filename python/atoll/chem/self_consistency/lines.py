"""What a mean field says of itself in PySCF's words: lines as it goes, parts of the energy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from atoll.chem.self_consistency import saddles

if TYPE_CHECKING:
    from atoll.chem.self_consistency.cycle import Iteration, Solution


class Lines:
    """Prints a line an iteration, as PySCF at `verbose = 4`."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def tasks(self, done: int, total: int) -> None:
        """Say nothing."""

    def iteration(self, iteration: Iteration) -> None:
        """Print the line."""
        if iteration.number == 1:
            print(f"init E= {iteration.energy:.15g}", file=self._stream, flush=True)
            return
        print(
            f"cycle= {iteration.number - 1} E= {iteration.energy:.15g}  "
            f"delta_E= {iteration.change:4.3g}  DIIS error= {iteration.error:4.3g}",
            file=self._stream,
            flush=True,
        )

    def note(self, text: str) -> None:
        """Print it."""
        print(text, file=sys.stderr, flush=True)


def say_result(energy: float, converged: bool, found: Solution | None, stream: Any) -> None:
    """Print the energy, and whether it is at a saddle, as PySCF at `verbose = 3`."""
    state = "converged SCF energy" if converged else "SCF not converged. SCF energy"
    print(f"{state} = {energy:.15g}", file=stream, flush=True)
    if found is not None and found.curvature is not None and saddles.is_saddle(found.curvature):
        print(saddles.line(found.curvature, found.saddles_left), file=stream, flush=True)


def summary_of(solution: Solution) -> dict[str, float]:
    """Give PySCF's names for the parts of the energy."""
    parts = solution.effective.components
    exchange = parts.get("exchange", 0.0) + parts.get("exchange-correlation", 0.0)
    summary = {
        "nuc": parts["nuclear repulsion"],
        "e1": parts["kinetic"] + parts["nuclear attraction"],
        "e2": parts["Coulomb"] + exchange,
        "coul": parts["Coulomb"],
        "exc": exchange,
    }
    if "dispersion" in parts:
        summary["dispersion"] = parts["dispersion"]
    if solution.entropy:
        summary["entropy"] = -solution.entropy
    return summary
