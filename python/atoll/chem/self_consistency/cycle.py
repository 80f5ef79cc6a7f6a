"""The self-consistent field: one loop for Hartree-Fock and Kohn-Sham, restricted or not."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

import atoll
from atoll.chem.fock.two_electron import Density
from atoll.chem.self_consistency.extrapolation import NEAR, Extrapolation
from atoll.chem.self_consistency.orthonormal import density_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.self_consistency.hamiltonian import Effective, Hamiltonian
    from atoll.chem.self_consistency.occupations import Occupations
    from atoll.chem.self_consistency.orthonormal import Orbitals, OrthonormalBasis

STUCK = 15
"""Iterations after which a calculation that does not come nearer goes on by the energy model."""


@dataclass(frozen=True)
class Settings:
    """How the loop goes on, and when it ends.

    Attributes:
        convergence: Largest change of the energy in the last iteration, hartree.
        gradient: Largest element of the error then, hartree; None: a tenth of the root of
            `convergence`.
        max_iterations: At most so many, 1 or more.
        level_shift: By so much empty orbitals are raised, hartree.
        damping: Share of the Fock matrix before, 0 to below 1, as long as the error is large.
        diis: "diis", "adiis" (by an energy model far from the solution), "none", or "auto": "diis",
            and "adiis" where that gets stuck.
        diis_length: Iterations that it looks back.
        diis_start: The first iteration (from 1) that is extrapolated.

    """

    convergence: float = 1e-9
    gradient: float | None = None
    max_iterations: int = 100
    level_shift: float = 0.0
    damping: float = 0.0
    diis: str = "auto"
    diis_length: int = 8
    diis_start: int = 1

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not self.convergence > 0.0:
            raise ValueError(f"convergence is {self.convergence!r}, expected more than 0")
        if self.gradient is not None and not self.gradient > 0.0:
            raise ValueError(f"gradient is {self.gradient!r}, expected more than 0")
        if self.max_iterations < 1:
            raise ValueError(f"max_iterations is {self.max_iterations!r}, expected 1 or more")
        if not self.level_shift >= 0.0:
            raise ValueError(f"level_shift is {self.level_shift!r}, expected 0 or more")
        if not 0.0 <= self.damping < 1.0:
            raise ValueError(f"damping is {self.damping!r}, expected 0 to below 1")
        if self.diis not in ("auto", "diis", "adiis", "none"):
            raise ValueError(f"diis is {self.diis!r}, expected 'auto', 'diis', 'adiis' or 'none'")
        if self.diis_length < 2:
            raise ValueError(f"diis_length is {self.diis_length!r}, expected 2 or more")

    @property
    def largest_error(self) -> float:
        """The error below which the loop may end."""
        return 0.1 * self.convergence**0.5 if self.gradient is None else self.gradient


@dataclass(frozen=True)
class Iteration:
    """One iteration: energies in hartree, times in seconds."""

    number: int
    energy: float
    change: float
    """Of the energy since the last iteration (in the first: the energy)."""
    error: float
    """DIIS error: the largest element of F D S - S D F in an orthonormal basis."""
    seconds: float
    effective: Effective


@dataclass(frozen=True)
class State:
    """Where a calculation stands: all that is needed to go on, or to use the result."""

    densities: tuple[Density, ...]
    orbitals: tuple[Orbitals, ...]
    """Eigenvectors of the Fock matrices of the densities before; empty where there are none yet."""
    occupations: tuple[NDArray[np.float64], ...]


@dataclass(frozen=True)
class Solution:
    """What the loop ends with, equal on every rank."""

    converged: bool
    state: State
    effective: Effective
    """Of the densities of `state`."""
    iterations: tuple[Iteration, ...]
    entropy: float
    """Times temperature, hartree; zero without smearing."""


class Observer(Protocol):
    """What a calculation tells while it runs, on the ranks that gave one."""

    def tasks(self, done: int, total: int) -> None:
        """Take note that this rank begins a task of a build."""

    def iteration(self, iteration: Iteration) -> None:
        """Take note that an iteration has ended."""

    def note(self, text: str) -> None:
        """Take note of something that a person might want to know."""


class Keeper(Protocol):
    """Keeps the state after each iteration, for a restart. Collective."""

    def keep(self, state: State, energy: float) -> None:
        """Write it, so that what was kept before is there until this is."""


class SelfConsistency:
    """The loop, over a Hamiltonian and the orthonormal basis. Collective throughout."""

    def __init__(
        self,
        hamiltonian: Hamiltonian,
        basis: OrthonormalBasis,
        occupations: Occupations,
        settings: Settings,
        observer: Observer | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        self.hamiltonian, self.basis = hamiltonian, basis
        self.occupations, self.settings = occupations, settings
        self._observer, self._keeper = observer, keeper
        self._diis = Extrapolation(settings.diis_length, settings.diis == "adiis")
        self._iterations: list[Iteration] = []
        self._used: list[atoll.Array] = []  # the Fock matrices of the step before

    def solve(self, start: State) -> Solution:
        """Go on from these densities until nothing changes, or for as long as was said.

        Where `start` has orbitals, too, and they are a solution already, they are taken as they
        are, to the last bit.
        """
        state = start
        while True:
            effective, error = self._build(state)
            if len(self._iterations) == 1 and self._is_solution(state, effective, error):
                entropy = self.occupations.entropy(state.occupations)
                return Solution(True, state, effective, tuple(self._iterations), entropy)
            converged = self._is_converged(error)
            if converged or len(self._iterations) >= self.settings.max_iterations:
                break
            state = self._state_of(self._best_focks(state, effective, error))
        # The orbitals of the Fock matrices themselves: neither extrapolated nor shifted.
        final = self._state_of(effective.focks)
        if converged:
            effective, _ = self._build(final)
        else:
            final = State(state.densities, final.orbitals, final.occupations)
        entropy = self.occupations.entropy(final.occupations)
        return Solution(converged, final, effective, tuple(self._iterations), entropy)

    def _is_converged(self, error: float) -> bool:
        last = self._iterations[-1]
        small = abs(last.change) < self.settings.convergence
        return len(self._iterations) > 1 and small and error < self.settings.largest_error

    def _is_solution(self, state: State, effective: Effective, error: float) -> bool:
        """Tell whether orbitals are those of the Fock matrices that they make, the lowest full."""
        limit = self.settings.largest_error
        if not state.orbitals or error >= limit:
            return False
        if any(len(each.energies) != self.basis.independent for each in state.orbitals):
            return False
        lowest = self.occupations.of([orbitals.energies for orbitals in state.orbitals])
        filled = zip(lowest, state.occupations, strict=True)
        if not all(np.allclose(expected, found, atol=1e-8) for expected, found in filled):
            return False
        pairs = zip(effective.focks, state.orbitals, strict=True)
        return all(self.basis.residual(fock, orbitals) < limit for fock, orbitals in pairs)

    def _build(self, state: State) -> tuple[Effective, float]:
        started = time.perf_counter()
        progress = self._observer.tasks if self._observer else None
        effective = self.hamiltonian.build(state.densities, progress)
        self._errors = [
            self.basis.commutator(fock, density.matrix)
            for fock, density in zip(effective.focks, state.densities, strict=True)
        ]
        error = max(max(float(e.max()), -float(e.min())) for e in self._errors)
        past = self._iterations
        iteration = Iteration(
            number=len(past) + 1,
            energy=effective.energy,
            change=effective.energy - past[-1].energy if past else effective.energy,
            error=error,
            seconds=time.perf_counter() - started,
            effective=effective,
        )
        past.append(iteration)
        if self._observer:
            self._observer.iteration(iteration)
        if self._keeper and state.orbitals:
            self._keeper.keep(state, iteration.energy)
        return effective, error

    def _best_focks(self, state: State, effective: Effective, error: float) -> list[atoll.Array]:
        """Give the Fock matrices whose orbitals come next."""
        settings, number = self.settings, len(self._iterations)
        focks = list(effective.focks)
        if settings.diis != "none" and number >= settings.diis_start:
            if settings.diis == "auto" and number == STUCK and error > NEAR:
                self._diis = Extrapolation(settings.diis_length, by_energy=True)
                if self._observer:
                    self._observer.note("far from convergence: goes on by ADIIS")
            matrices = [density.matrix for density in state.densities]
            focks = self._diis.extrapolate(focks, matrices, self._errors)
        if settings.damping > 0.0 and self._used and error > NEAR:
            for fock, used in zip(focks, self._used, strict=True):
                part = settings.damping
                fock.add_scaled(1.0 - part, fock, part, used)
        self._used = focks
        if settings.level_shift > 0.0:
            focks = [self._shifted(fock, D) for fock, D in zip(focks, state.densities, strict=True)]
        return focks

    def _shifted(self, fock: atoll.Array, density: Density) -> atoll.Array:
        """Raise what is empty: F + shift (S - S D S), with D of one electron an orbital."""
        overlap, shift = self.basis.overlap, self.settings.level_shift
        shifted = overlap @ density.matrix @ overlap
        per_orbital = -shift / self.occupations.full
        shifted.add_scaled(per_orbital, shifted, shift, overlap)
        shifted += fock
        return shifted

    def _state_of(self, focks: Sequence[atoll.Array]) -> State:
        orbitals = tuple(self.basis.orbitals(fock) for fock in focks)
        occupations = tuple(self.occupations.of([of_spin.energies for of_spin in orbitals]))
        densities = tuple(
            Density(*density_of(of_spin.coefficients, filled, self.basis.overlap))
            for of_spin, filled in zip(orbitals, occupations, strict=True)
        )
        return State(densities, orbitals, occupations)
