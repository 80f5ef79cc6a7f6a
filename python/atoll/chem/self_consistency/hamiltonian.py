"""The effective Hamiltonian of a density, whoever builds its parts.

F_s = h + J(D) - x K(D_s) - y K_long(D_s) + V_xc,s, for each spin s; D is the sum of both. One
matrix for closed shells: there the exchange of the whole density counts half.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import atoll
from atoll.chem.fock.two_electron import BuildStatistics, Density

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atoll.chem.fock.two_electron import Progress, TwoElectron
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.integrals.one_electron import OneElectron

REBUILD = 10
"""Every so many builds start from the whole density, not from its change."""


class Closable(Protocol):
    """Something that holds what is distributed, or files."""

    def close(self) -> None:
        """Free it. Collective."""


class XcResult(Protocol):
    """What a build of exchange and correlation gives beside the potentials."""

    @property
    def energy(self) -> float:
        """In hartree."""

    @property
    def electrons(self) -> tuple[float, ...]:
        """Integrals of the densities over the grid."""

    @property
    def details(self) -> dict[str, float]:
        """Seconds by activity, the mean of the ranks."""


class XcBuilder(Protocol):
    """Builds exchange and correlation of densities, one or two. Collective."""

    def build(
        self,
        densities: Sequence[atoll.Array],
        potentials: Sequence[atoll.Array],
        progress: Progress | None = None,
    ) -> XcResult:
        """Overwrite the potentials."""

    def close(self) -> None:
        """Free what is distributed. Collective."""


@dataclass(frozen=True)
class ExchangePart:
    """Exact exchange from one builder, as a fraction."""

    builder: TwoElectron
    fraction: float


@dataclass(frozen=True)
class Parts:
    """What builds the matrices. `exchange` may name the builder of `coulomb`."""

    coulomb: TwoElectron
    exchange: tuple[ExchangePart, ...]
    xc: XcBuilder | None = None
    beneath: tuple[Closable, ...] = ()
    """What the builders stand on, and is closed after them."""

    def close(self) -> None:
        """Free what the builders hold. Collective."""
        builders = [self.coulomb, *(part.builder for part in self.exchange)]
        for builder in dict.fromkeys(builders):
            builder.close()
        for resource in (self.xc, *self.beneath):
            if resource is not None:
                resource.close()


@dataclass(frozen=True)
class Effective:
    """Fock matrices of a density, and its energy."""

    focks: tuple[atoll.Array, ...]
    components: dict[str, float]
    """Parts of the energy in hartree, by name; they add up to the energy."""
    statistics: BuildStatistics
    xc: XcResult | None = None
    xc_seconds: float = 0.0

    @property
    def energy(self) -> float:
        """Total energy, hartree."""
        return sum(self.components.values())


@dataclass
class _Linear:
    """Matrices that are linear in the density, kept from one build to the next."""

    builder: TwoElectron
    coulomb: atoll.Array | None
    exchange: list[atoll.Array]
    densities: list[atoll.Array] = field(default_factory=list)
    builds: int = 0

    def forget(self) -> None:
        self.densities, self.builds = [], 0

    def build(self, densities: Sequence[Density], progress: Progress | None) -> BuildStatistics:
        """Bring the matrices to these densities: by their changes, where that is less work."""
        before, number = self.densities, self.builds
        self.forget()  # unless all goes well
        if not self.builder.incremental or number % REBUILD == 0 or len(before) != len(densities):
            statistics = self.builder.build(densities, self.coulomb, self.exchange, progress)
        else:
            statistics = self._add_changes(densities, before, progress)
        self.densities = [density.matrix for density in densities]
        self.builds = number + 1
        return statistics

    def _add_changes(
        self,
        densities: Sequence[Density],
        before: Sequence[atoll.Array],
        progress: Progress | None,
    ) -> BuildStatistics:
        changes = [Density(new.matrix - old) for new, old in zip(densities, before, strict=True)]
        coulomb = None if self.coulomb is None else self.coulomb.duplicate()
        exchange = [matrix.duplicate() for matrix in self.exchange]
        statistics = self.builder.build(changes, coulomb, exchange, progress)
        if self.coulomb is not None and coulomb is not None:
            self.coulomb += coulomb
        for total, change in zip(self.exchange, exchange, strict=True):
            total += change
        return statistics


class Hamiltonian:
    """Builds Fock matrices of densities; of one for closed shells, or of two spins. Collective.

    `constant`: parts of the energy, by name, that do not depend on the density.
    """

    def __init__(
        self,
        basis: BlockedBasis,
        integrals: OneElectron,
        constant: dict[str, float],
        parts: Parts,
        spins: int,
    ) -> None:
        self.basis, self.integrals, self.parts, self.spins = basis, integrals, parts, spins
        self._constant = constant
        self._coulomb = basis.matrix("Coulomb")
        shared = [part for part in parts.exchange if part.builder is parts.coulomb]
        self._fractions: list[float] = []
        self._linear: list[_Linear] = []
        with_coulomb = self._exchange_matrices(shared[0].fraction) if shared else []
        self._linear.append(_Linear(parts.coulomb, self._coulomb, with_coulomb))
        if not shared:
            self._fractions.append(0.0)
        for part in parts.exchange:
            if part.builder is not parts.coulomb:
                matrices = self._exchange_matrices(part.fraction)
                self._linear.append(_Linear(part.builder, None, matrices))

    def _exchange_matrices(self, fraction: float) -> list[atoll.Array]:
        self._fractions.append(fraction)
        return [self.basis.matrix("exchange") for _ in range(self.spins)]

    def forget(self) -> None:
        """Build the next matrices from the whole density."""
        for linear in self._linear:
            linear.forget()

    def build(self, densities: Sequence[Density], progress: Progress | None = None) -> Effective:
        """Give the Fock matrices, in new arrays, and the energy."""
        statistics = _together([part.build(densities, progress) for part in self._linear])
        matrices = [density.matrix for density in densities]
        # With one matrix for both spins, D = 2 D_s: the exchange of D_s is half of that of D.
        share = 0.5 if self.spins == 1 else 1.0
        components = self._one_electron_energies(matrices)
        components["Coulomb"] = 0.5 * sum(_trace(D, self._coulomb) for D in matrices)
        focks = []
        exchange_energy = 0.0
        for spin, D in enumerate(matrices):
            fock = self.integrals.core + self._coulomb
            for linear, fraction in zip(self._linear, self._fractions, strict=True):
                if linear.exchange:
                    weight = -share * fraction
                    K = linear.exchange[spin]
                    fock.add_scaled(1.0, fock, weight, K)
                    exchange_energy += 0.5 * weight * _trace(D, K)
            focks.append(fock)
        if self.parts.exchange:
            components["exchange"] = exchange_energy
        seconds, result = 0.0, None
        if self.parts.xc is not None:
            started = time.perf_counter()
            potentials = [self.basis.matrix("exchange and correlation") for _ in matrices]
            result = self.parts.xc.build(matrices, potentials, progress)
            components["exchange-correlation"] = result.energy
            for fock, potential in zip(focks, potentials, strict=True):
                fock += potential
            seconds = time.perf_counter() - started
        return Effective(tuple(focks), components, statistics, result, seconds)

    def _one_electron_energies(self, matrices: Sequence[atoll.Array]) -> dict[str, float]:
        return {
            **self._constant,
            "kinetic": sum(_trace(D, self.integrals.kinetic) for D in matrices),
            "nuclear attraction": sum(_trace(D, self.integrals.attraction) for D in matrices),
        }


def _trace(left: atoll.Array, right: atoll.Array) -> float:
    """Give tr A B of symmetric matrices."""
    return float(atoll.algebra.sum_of_products(left, right))


def _together(parts: list[BuildStatistics]) -> BuildStatistics:
    seconds = sum(part.seconds for part in parts)
    details: dict[str, float] = {}
    for part in parts:
        for name, value in part.details.items():
            details[name] = details.get(name, 0.0) + value
    return BuildStatistics(
        tasks=sum(part.tasks for part in parts),
        quartets=sum(part.quartets for part in parts),
        seconds=seconds,
        efficiency=sum(part.efficiency * part.seconds for part in parts) / max(seconds, 1e-30),
        details=details,
    )
