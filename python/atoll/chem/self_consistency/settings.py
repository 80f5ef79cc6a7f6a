"""How a self-consistent field goes on, and when it ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How the loop goes on, and when it ends.

    Attributes:
        convergence: Largest energy change in the last iteration, hartree.
        gradient: Largest DIIS error then, hartree; None: a tenth of the root of `convergence`.
        max_iterations: At most so many, 1 or more; the first is that of what is begun with.
        level_shift: By so much empty orbitals are raised, hartree; or of alpha and of beta.
        damping: Share of the Fock matrix before, 0 to below 1, as long as the error is large; or
            of alpha and of beta.
        diis: "diis", "adiis" (by an energy model far from the solution), "none", or "auto": "diis",
            and "adiis" where that gets stuck or leads up the energy.
        diis_length: Iterations that it looks back.
        diis_start: The first iteration (from 1) that is extrapolated.
        saddles: What is done of a solution that is none where the energy is a minimum: "follow" the
            way down, "tell" of it, or "ignore": do not look.
        sure_gap: Hartree between occupied and empty orbitals from which on it is taken for one.

    """

    convergence: float = 1e-9
    gradient: float | None = None
    max_iterations: int = 100
    level_shift: float | tuple[float, float] = 0.0
    damping: float | tuple[float, float] = 0.0
    diis: str = "auto"
    diis_length: int = 8
    diis_start: int = 1
    saddles: str = "ignore"
    sure_gap: float = float("inf")

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not self.convergence > 0.0:
            raise ValueError(f"convergence is {self.convergence!r}, expected more than 0")
        if self.gradient is not None and not self.gradient > 0.0:
            raise ValueError(f"gradient is {self.gradient!r}, expected more than 0")
        if self.max_iterations < 1:
            raise ValueError(f"max_iterations is {self.max_iterations!r}, expected 1 or more")
        if not all(shift >= 0.0 for shift in of_spins(self.level_shift)):
            raise ValueError(f"level_shift is {self.level_shift!r}, expected 0 or more")
        if not all(0.0 <= part < 1.0 for part in of_spins(self.damping)):
            raise ValueError(f"damping is {self.damping!r}, expected 0 to below 1")
        if self.diis not in ("auto", "diis", "adiis", "none"):
            raise ValueError(f"diis is {self.diis!r}, expected 'auto', 'diis', 'adiis' or 'none'")
        if self.saddles not in ("follow", "tell", "ignore"):
            raise ValueError(f"saddles is {self.saddles!r}, expected 'follow', 'tell' or 'ignore'")
        if self.diis_length < 2:
            raise ValueError(f"diis_length is {self.diis_length!r}, expected 2 or more")

    @property
    def largest_error(self) -> float:
        """The error below which the loop may end."""
        return 0.1 * self.convergence**0.5 if self.gradient is None else self.gradient


def of_spins(setting: float | tuple[float, float]) -> tuple[float, float]:
    """Give a setting of alpha and of beta; of closed shells alpha's is that of all."""
    return setting if isinstance(setting, tuple) else (setting, setting)
