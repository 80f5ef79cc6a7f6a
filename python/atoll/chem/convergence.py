"""How far from convergence something is, for reports, files and messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DID_NOT_CONVERGE = "did not converge"
"""In the text of a RuntimeError, on every rank: the command line has an exit status for it."""


@dataclass(frozen=True)
class Quantity:
    """What is to be below a limit at the end."""

    name: str
    value: float
    limit: float
    unit: str = " hartree"

    @property
    def is_met(self) -> bool:
        """Whether it is below."""
        return abs(self.value) < self.limit

    def text(self, form: str = ".1e") -> str:
        """Give value and limit for people."""
        return f"{abs(self.value):{form}}{self.unit}, expected below {self.limit:.1e}"


@dataclass(frozen=True)
class Unconverged:
    """Where a calculation gave up, for people.

    Attributes:
        what: Of the parts of a calculation: "self-consistent field".
        count: Of its iterations: "3 iterations".
        quantities: All that convergence is told by.

    """

    what: str
    count: str
    quantities: tuple[Quantity, ...]

    @property
    def left(self) -> tuple[Quantity, ...]:
        """What is not below its limit; where all is, one iteration was too few to tell: all."""
        return tuple(each for each in self.quantities if not each.is_met) or self.quantities

    def lines(self) -> list[str]:
        """Tell it: a headline, and a line of each quantity that is not below its limit."""
        headline = f"NOT CONVERGED after {self.count} of the {self.what}"
        return [headline, *(f"  {each.name:<22}{each.text('23.3e')}" for each in self.left)]

    def sentence(self) -> str:
        """Tell it in one line."""
        return f"after {self.count}: " + "; ".join(
            f"{each.name} {each.text()}" for each in self.left
        )

    def fields(self) -> dict[str, Any]:
        """Give it for JSON."""
        listed = [
            {"name": each.name, "value": each.value, "limit": each.limit}
            for each in self.quantities
        ]
        return {"what": self.what, "quantities": listed}


def iterations(count: int) -> str:
    """Give "1 iteration", "2 iterations"."""
    return f"{count} iteration{'' if count == 1 else 's'}"
