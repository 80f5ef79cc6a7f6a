"""The self-consistent field: one loop for Hartree-Fock and Kohn-Sham, restricted or not."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

import atoll
from atoll._stop import stop_point
from atoll.chem.exchange_correlation.stopwatch import Stopwatch
from atoll.chem.self_consistency import open_shells
from atoll.chem.self_consistency.curvature import Curvature, axis_operator
from atoll.chem.self_consistency.extrapolation import NEAR, Extrapolation
from atoll.chem.self_consistency.settings import of_spins
from atoll.chem.self_consistency.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.self_consistency.hamiltonian import Effective, Hamiltonian
    from atoll.chem.self_consistency.occupations import Occupations
    from atoll.chem.self_consistency.orthonormal import Orbitals, OrthonormalBasis
    from atoll.chem.self_consistency.settings import Settings

BUILDS = "builds"
"""What of `Solution.seconds` goes to Fock builds and to exchange and correlation together."""
STUCK = 15
"""Iterations after which a calculation that does not come nearer goes on by the energy model."""
CLIMB = 1e-2
"""Hartree above the lowest energy so far: far from convergence, it goes on by that model, too."""
NUDGE = 1e-5
"""Hartree by which an operator orders degenerate orbitals along the axes, far from convergence."""
DEGENERATE = 1e-3
"""Hartree below which they are."""
ROUNDS = 4
"""How often it is gone on from a saddle."""
STEEP = -1e-2
"""Hartree: second derivatives below this are followed; of flatter ways down a note tells."""
SAME_ENERGY = 1e-6
"""Hartree: a way down that ends where it began is not tried again."""
HELD_TO = 1e-3
"""Error above which a way down is held to, see `HOLD`."""
HOLD = 0.5
"""Hartree by which empty orbitals are raised on the way down, so that it does not lead back."""


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
class Solution:
    """What the loop ends with, equal on every rank."""

    converged: bool
    state: State
    effective: Effective
    """Of the densities of `state`."""
    iterations: tuple[Iteration, ...]
    entropy: float
    """Times temperature, hartree; zero without smearing."""
    cycles: int
    """Steps from what was begun with, without the last one that confirms the result: PySCF's."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Of this rank from the beginning of the calculation, by what they went to."""
    curvature: float | None = None
    """The lowest second derivative of the energy, hartree, as far as its sign; None: not known."""
    saddles_left: int = 0
    """How many saddles it was gone on from."""


class _Step(NamedTuple):
    """What is made of a state: of each set of orbitals what its next ones come from."""

    effective: Effective
    operators: list[atoll.Array]
    """Whose eigenvectors the orbitals are: Fock matrices, or what couples those of two spins."""
    densities: list[atoll.Array]
    errors: list[atoll.Array]
    error: float


class _Filled(NamedTuple):
    """Orbitals in the order of their electrons, and these."""

    orbitals: tuple[Orbitals, ...]
    occupations: tuple[NDArray[np.float64], ...]


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
        watch: Stopwatch | None = None,
    ) -> None:
        self.hamiltonian, self.basis = hamiltonian, basis
        self.occupations, self.settings = occupations, settings
        self._observer, self._keeper = observer, keeper
        self._watch = watch or Stopwatch()
        self._diis = Extrapolation(settings.diis_length, settings.diis == "adiis")
        self._kept = False  # whether a restart would find something
        self._iterations: list[Iteration] = []
        self._used: list[atoll.Array] = []  # the operators of the step before
        self._ordering: atoll.Array | None = None

    def solve(self, start: State) -> Solution:
        """Go on from these densities until nothing changes, or for as long as was said.

        Between two iterations it stops where that was asked for (`atoll.heed_stop_signals`).

        Where `start` has orbitals, too, and they are a solution already, they are taken as they
        are, to the last bit.
        """
        solution = self._converge(start)
        before = np.inf
        for left in range(ROUNDS + 1):
            solution = dataclasses.replace(solution, saddles_left=left)
            curvature = self._curvature(solution)
            found = None if curvature is None else curvature.lowest()
            self._watch.lap("second derivatives")
            if curvature is None or found is None:
                return solution
            solution = dataclasses.replace(solution, curvature=found.value)
            if not found.is_saddle:
                return solution
            lower = solution.effective.energy < before - SAME_ENERGY
            steep = found.value < STEEP
            goes_on = self.settings.saddles == "follow" and left < ROUNDS and lower and steep
            before = solution.effective.energy
            if not goes_on:
                return solution
            if self._observer:
                self._observer.note(
                    f"a saddle, no minimum: second derivative {found.value:.4f} hartree; "
                    "goes on, down from there"
                )
            self._diis = Extrapolation(self.settings.diis_length, self._diis.by_energy)
            self._used = []
            solution = self._converge(curvature.down(found), HOLD)
        return solution

    def _converge(self, state: State, hold: float = 0.0) -> Solution:
        """Go on until nothing changes, or for as long as was said.

        `hold`: by so much empty orbitals are raised while the error is large.
        """
        before = len(self._iterations)
        while True:
            step = self._build(state)
            effective = step.effective
            if len(self._iterations) == 1 and self._is_solution(state, step):
                return self._solution(True, state, effective, 1)
            converged = self._is_converged(step.error)
            if converged or len(self._iterations) - before >= self.settings.max_iterations:
                break
            stop_point(self.basis.overlap.group, saved=self._kept)
            operators = self._best_operators(state, step, before, hold)
            state = self._state_of(operators, effective, in_order=step.error > NEAR)
        cycles = len(self._iterations) - 1
        if not converged and state.orbitals:  # those that the densities are of, as PySCF
            return self._solution(converged, state, effective, cycles)
        # The orbitals of the Fock matrices themselves: neither extrapolated nor shifted.
        final = self._state_of(step.operators, effective)
        if converged:
            effective = self._build(final).effective
        else:
            final = State(state.densities, final.orbitals, final.occupations)
        return self._solution(converged, final, effective, cycles)

    def _curvature(self, solution: Solution) -> Curvature | None:
        """Give what tells whether a solution is a minimum, where that is wanted and in question."""
        if self.settings.saddles == "ignore" or not solution.converged:
            return None
        curvature = Curvature(
            self.hamiltonian,
            self.occupations,
            self.basis.overlap,
            solution.state,
            solution.effective,
        )
        return curvature if curvature.smallest_gap < self.settings.sure_gap else None

    def _solution(
        self, converged: bool, state: State, effective: Effective, cycles: int
    ) -> Solution:
        self._watch.lap("other")
        iterations, seconds = tuple(self._iterations), self._watch.sums
        entropy = self.occupations.entropy(state.occupations)
        return Solution(converged, state, effective, iterations, entropy, cycles, seconds)

    def _is_converged(self, error: float) -> bool:
        last = self._iterations[-1]
        small = abs(last.change) < self.settings.convergence
        return len(self._iterations) > 1 and small and error < self.settings.largest_error

    def _is_solution(self, state: State, step: _Step) -> bool:
        """Tell whether orbitals are those of the Fock matrices that they make, the lowest full."""
        limit = self.settings.largest_error
        if not state.orbitals or step.error >= limit:
            return False
        if any(len(each.energies) != self.basis.independent for each in state.orbitals):
            return False
        lowest = self._filled(state.orbitals, step.effective)
        filled = zip(lowest.occupations, state.occupations, strict=True)
        if not all(np.allclose(expected, found, atol=1e-8) for expected, found in filled):
            return False
        pairs = zip(step.operators, lowest.orbitals, strict=True)
        return all(self.basis.residual(fock, orbitals) < limit for fock, orbitals in pairs)

    def _build(self, state: State) -> _Step:
        started = time.perf_counter()
        progress = self._observer.tasks if self._observer else None
        effective = self.hamiltonian.build(state.densities, progress)
        self._watch.lap(BUILDS)
        operators = list(effective.focks)
        densities = [density.matrix for density in state.densities]
        if self.occupations.shared:
            operators = [open_shells.coupled(operators, densities, self.basis.overlap)]
            densities = [densities[0] + densities[1]]
        pairs = zip(operators, densities, strict=True)
        errors = [self.basis.commutator(operator, density) for operator, density in pairs]
        error = max(max(float(e.max()), -float(e.min())) for e in errors)
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
        self._watch.lap("DIIS")
        if self._keeper and state.orbitals:
            self._keeper.keep(state, iteration.energy)
            self._kept = True
            self._watch.lap("checkpoints")
        return _Step(effective, operators, densities, errors, error)

    def _best_operators(
        self, state: State, step: _Step, before: int, hold: float
    ) -> list[atoll.Array]:
        """Give the matrices whose eigenvectors the next orbitals are."""
        settings, number = self.settings, len(self._iterations) - before
        operators = step.operators
        if settings.diis != "none" and number >= settings.diis_start:
            if settings.diis == "auto":
                self._mind_the_energy(before)
            matrices = [density.matrix for density in state.densities]
            focks = step.effective.focks
            operators = self._diis.extrapolate(operators, focks, matrices, step.errors)
        if self._used and step.error > NEAR:
            parts = of_spins(settings.damping)
            for operator, used, part in zip(operators, self._used, parts, strict=False):
                if part > 0.0:
                    operator.add_scaled(1.0 - part, operator, part, used)
        self._used = operators
        held = hold if step.error > HELD_TO else 0.0
        shifts = [max(shift, held) for shift in of_spins(settings.level_shift)]
        return [
            self._shifted(operator, density, shift) if shift > 0.0 else operator
            for operator, density, shift in zip(operators, step.densities, shifts, strict=False)
        ]

    def _mind_the_energy(self, before: int) -> None:
        """Go on by the energy model where errors lead up the energy, or nowhere.

        They are small at some places that are no solution. Where the energy has not fallen
        either, it alone counts, for `STUCK` iterations.
        """
        past = self._iterations[before:]
        rounds, rest = divmod(len(past), STUCK)
        if len(past) < 3:
            return
        error, near = past[-1].error, NEAR
        above = past[-1].energy - min(each.energy for each in past[1:])  # the first may be anywhere
        if rest == 0 and rounds % 2 and above > SAME_ENERGY:
            near = 0.1 * NEAR
        if error < near or (rest and (self._diis.by_energy or above < CLIMB)):
            return
        if self._observer and not self._diis.by_energy:
            self._observer.note("far from convergence: goes on by ADIIS")
        self._diis.go_by_energy(near)

    def _in_order(self, operator: atoll.Array, orbitals: Orbitals, spin: int) -> Orbitals:
        """Have degenerate orbitals an order, where some of them are full and others empty.

        It does not turn on the last digit then which are.
        """
        levels = orbitals.energies
        ends = (end for end in self.occupations.ends(spin) if 0 < end < len(levels))
        if all(levels[end] - levels[end - 1] > DEGENERATE for end in ends):
            return orbitals
        if self._ordering is None:
            self._ordering = axis_operator(self.basis.overlap, self.hamiltonian.basis.mole)
        nudged = operator.copy()
        nudged.add_scaled(1.0, operator, NUDGE, self._ordering)
        return self.basis.orbitals(nudged)

    def _shifted(self, operator: atoll.Array, density: atoll.Array, shift: float) -> atoll.Array:
        """Raise what is empty: F + shift (S - S D S), with D of one electron an orbital.

        What is half empty is raised half as far.
        """
        overlap = self.basis.overlap
        shifted = overlap @ density @ overlap
        per_orbital = -shift / self.occupations.full
        shifted.add_scaled(per_orbital, shifted, shift, overlap)
        shifted += operator
        return shifted

    def _state_of(
        self, operators: Sequence[atoll.Array], effective: Effective, *, in_order: bool = False
    ) -> State:
        self._watch.lap("DIIS")
        orbitals = [self.basis.orbitals(each) for each in operators]
        if in_order:
            pairs = enumerate(zip(operators, orbitals, strict=True))
            orbitals = [self._in_order(*pair, spin) for spin, pair in pairs]
        found = self._filled(orbitals, effective)
        of_spins = open_shells.densities_of(
            [each.coefficients for each in found.orbitals],
            found.occupations,
            self.basis.overlap,
            self.occupations.shared,
        )
        self._watch.lap("diagonalisation")
        return State(of_spins, found.orbitals, found.occupations)

    def _filled(self, orbitals: Sequence[Orbitals], effective: Effective) -> _Filled:
        """Put the electrons into these orbitals."""
        if not self.occupations.shared:
            lowest = self.occupations.of([each.energies for each in orbitals])
            return _Filled(tuple(orbitals), tuple(lowest))
        alpha = effective.focks[0]
        ordered, electrons = open_shells.filled(orbitals[0], alpha, self.occupations.electrons)
        return _Filled((ordered,), (electrons,))
