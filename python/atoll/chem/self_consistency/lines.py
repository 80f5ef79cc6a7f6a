"""What a mean field says of itself in PySCF's words: lines as it goes, parts of the energy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

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


def summary_of(solution: Solution) -> dict[str, float]:
    """Give PySCF's names for the parts of the energy."""
    parts = solution.effective.components
    summary = {
        "nuc": parts["nuclear repulsion"],
        "e1": parts["kinetic"] + parts["nuclear attraction"],
        "e2": parts["Coulomb"] + parts.get("exchange", 0.0),
        "coul": parts["Coulomb"],
    }
    if "exchange-correlation" in parts:
        summary["exc"] = parts["exchange-correlation"] + parts.get("exchange", 0.0)
    if solution.entropy:
        summary["entropy"] = -solution.entropy
    return summary
