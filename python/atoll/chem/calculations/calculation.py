"""What every method promises: that it can be run, and what it then tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import atoll
    from atoll.chem.convergence import Unconverged
    from atoll.chem.grad import Gradients
    from atoll.chem.integrals.fitting_sets import Fit
    from atoll.chem.self_consistency.mean_field import MeanField


UNCORRELATED = "of the mean field, uncorrelated"
"""What properties of a correlated method may be of."""


@dataclass(frozen=True)
class Outcome:
    """What a calculation ends with, equal on every rank. Energies in hartree, times in seconds."""

    converged: bool
    """Whether all parts of it are."""
    energy: float
    components: dict[str, float]
    """Parts of the energy, by name; they add up to it."""
    seconds: dict[str, float]
    """What the time went to, by name."""
    within: dict[str, dict[str, float]] = field(default_factory=dict)
    """What of these times went to waiting, moving and so on; means of the ranks."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What else is to be told, by name."""
    unconverged: Unconverged | None = None
    """What is not converged, if something is."""
    missing: str = ""
    """Why there is no energy, which is NaN then; empty: there is one."""


@dataclass(frozen=True)
class Needs:
    """What a correlated method would take beside its mean field."""

    lines: tuple[str, ...] = ()
    """For people."""
    disk: float = 0.0
    """Bytes over all ranks."""


class Calculation(Protocol):
    """A method for a molecule, ready to run."""

    correlated: bool
    """Whether orbitals of a mean field are correlated."""
    title: str
    """For people: "Restricted Hartree-Fock, direct"."""
    method: str
    """The method's short name, for files."""
    mean_field: MeanField
    fits: list[Fit]
    """What is fitted, and by which sets."""

    def run(self) -> Outcome:
        """Compute. Collective."""

    def gradients(self) -> Gradients:
        """Give what computes the gradient. Collective.

        Raises InputError where there is none.
        """

    def needs(self, group: atoll.Group) -> Needs:
        """Estimate what correlation takes. Not collective."""

    def properties(self) -> dict[str, Any] | None:
        """Give moments and charges by name, of what `run` has come to. Collective.

        `density` says of what density, where it is not plain; None: there is no result.
        """


def readable(count: float) -> str:
    """Give a number of bytes with three digits and a unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
