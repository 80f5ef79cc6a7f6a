"""Restricted Hartree-Fock, direct: integrals are computed anew in every iteration, by all ranks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import atoll
from atoll.chem.fock import SCREENING, BuildStatistics, FockBuilder
from atoll.chem.molecules import InputError
from atoll.chem.integrals.one_electron import one_electron_integrals
from atoll.chem.self_consistency.scf_state import COMPONENTS, ScfState

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from atoll.chem.molecules import Molecule


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
    build: BuildStatistics


@dataclass(frozen=True)
class Result:
    """The outcome, equal on every rank. Energies in hartree, times in seconds."""

    converged: bool
    energy: float
    components: dict[str, float]
    """Nuclear repulsion, kinetic, nuclear attraction, Coulomb, exchange; their sum is `energy`."""
    iterations: list[Iteration]
    orbital_energies: NDArray[np.float64]
    occupied: int
    """Number of doubly occupied orbitals."""
    functions: int
    removed: int
    """Nearly dependent combinations of basis functions that were left out."""
    ranks: int
    nodes: int
    setup_seconds: float
    seconds: float


class Observer(Protocol):
    """What a calculation tells while it runs; called on each rank that gave one."""

    def setup(self, builder: FockBuilder, removed: int, seconds: float) -> None:
        """Take note that integrals and bounds are ready."""

    def tasks(self, done: int, total: int) -> None:
        """Take note that this rank begins a task of a Fock build."""

    def iteration(self, iteration: Iteration) -> None:
        """Take note that an iteration has ended."""


def hartree_fock(
    molecule: Molecule,
    *,
    group: atoll.Group | None = None,
    convergence: float = 1e-9,
    max_iterations: int = 100,
    screening: float = SCREENING,
    observer: Observer | None = None,
) -> Result:
    """Compute the Hartree-Fock energy of a closed-shell molecule. Collective over the group.

    Converged is when the energy changes by less than `convergence` (hartree) and the DIIS error is
    below a tenth of its square root. Contributions below `screening` to the Fock matrix are left
    out. `observer` may be given on some ranks only; `group` is all ranks by default.

    Raises ValueError where an option makes no sense, InputError (on all ranks) when the basis is
    too small for the electrons.
    """
    if not convergence > 0.0:
        raise ValueError("convergence must be positive")
    if max_iterations < 1:
        raise ValueError("max_iterations must be at least 1")
    if not screening > 0.0:
        raise ValueError("screening must be positive")
    group = group or atoll.world()
    started = time.perf_counter()
    with FockBuilder(molecule, group, screening) as builder:
        integrals = one_electron_integrals(molecule.mole, builder.blocks, group)
        state = ScfState(molecule, integrals) if integrals is not None else None  # on rank 0
        removed = int(group.broadcast(state.basis.removed if state else 0))
        occupied = molecule.electrons // 2
        if occupied > molecule.functions - removed:
            raise InputError(
                f"basis '{molecule.basis}' has only {molecule.functions - removed} independent "
                f"functions for {occupied} occupied orbitals"
            )
        setup_seconds = time.perf_counter() - started
        if observer:
            observer.setup(builder, removed, setup_seconds)
        iterations: list[Iteration] = []
        converged = False
        while not converged and len(iterations) < max_iterations:
            iterations.append(_iterate(builder, state, iterations, observer))
            change, error = abs(iterations[-1].change), iterations[-1].error
            converged = change < convergence and error < 0.1 * convergence**0.5
            if observer:
                observer.iteration(iterations[-1])
        parts = group.broadcast(state.components() if state else 0)
        energies = group.broadcast(state.orbital_energies() if state else 0)
    return Result(
        converged=converged,
        energy=iterations[-1].energy,
        components=dict(zip(COMPONENTS, map(float, parts), strict=True)),
        iterations=iterations,
        orbital_energies=energies,
        occupied=occupied,
        functions=molecule.functions,
        removed=removed,
        ranks=group.size,
        nodes=group.nodes,
        setup_seconds=setup_seconds,
        seconds=time.perf_counter() - started,
    )


def _iterate(
    builder: FockBuilder,
    state: ScfState | None,
    past: list[Iteration],
    observer: Observer | None,
) -> Iteration:
    """Do one iteration. Collective; `state` is on rank 0 only."""
    started = time.perf_counter()
    number = len(past) + 1
    change_of_density = state.next_density(number) if state else None
    coulomb, exchange, statistics = builder.build(
        change_of_density, observer.tasks if observer else None
    )
    outcome = [0.0, 0.0]
    if state is not None and coulomb is not None and exchange is not None:
        state.add(coulomb, exchange)
        outcome = [sum(state.components()), state.error()]
    energy, error = map(float, builder.group.broadcast(outcome))
    return Iteration(
        number=number,
        energy=energy,
        change=energy - past[-1].energy if past else energy,
        error=error,
        seconds=time.perf_counter() - started,
        build=statistics,
    )
