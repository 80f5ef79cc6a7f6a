"""The orbitals that correlation stands on, and their response: of closed shells or two spins.

What is of closed shells is that of one spin; the other has the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import atoll
from atoll.chem.fock.two_electron import Density
from atoll.chem.self_consistency.orthonormal import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.self_consistency.field import Field
    from atoll.chem.self_consistency.hamiltonian import Parts


@dataclass(frozen=True)
class SpinOrbitals:
    """Canonical orbitals of one spin, the occupied ones first."""

    basis: BlockedBasis
    orbitals: atoll.Array
    """Functions x orbitals."""
    occupied: atoll.Array
    """Functions x occupied orbitals, the frozen ones first."""
    virtual: atoll.Array
    """Functions x virtual orbitals."""
    energies: NDArray[np.float64]
    """Of all orbitals, hartree; on every rank."""
    frozen: int
    """Lowest orbitals that are not correlated."""

    @property
    def count(self) -> int:
        """Number of occupied orbitals."""
        return int(self.occupied.shape[1])

    @property
    def correlated(self) -> bool:
        """Whether there is a pair to be correlated with: an orbital i, and an a."""
        return self.frozen < self.count < len(self.energies)

    def active(self) -> atoll.Array:
        """Give the correlated occupied orbitals. Collective."""
        return columns(self.orbitals, self.frozen, self.count)

    def transformed(self, matrix: atoll.Array) -> atoll.Array:
        """Give C^T M C. Collective."""
        return atoll.matmul(self.orbitals.at[...].T, matrix @ self.orbitals)

    def over_functions(self, matrix: atoll.Array) -> atoll.Array:
        """Give C M C^T of a matrix over the orbitals, made by `BlockedBasis.matrix`. Collective."""
        found = self.basis.matrix("density")
        atoll.matmul(self.orbitals @ matrix, self.orbitals.at[...].T, found)
        return found


@dataclass(frozen=True)
class Reference:
    """Hartree-Fock: its orbitals, and what builds its Fock matrices."""

    basis: BlockedBasis
    parts: Parts
    spins: tuple[SpinOrbitals, ...]
    """One for closed shells."""

    @property
    def full(self) -> float:
        """How many spins each of `spins` stands for."""
        return 2.0 / len(self.spins)

    def response(self, densities: Sequence[atoll.Array]) -> list[atoll.Array]:
        """Give what Fock matrices change by with symmetric densities of each spin. Collective."""
        (exchange,) = self.parts.exchange
        given = [Density(density) for density in densities]
        coulomb = self.basis.matrix("Coulomb")
        found = [self.basis.matrix("exchange") for _ in given]
        if exchange.builder is self.parts.coulomb:
            exchange.builder.build(given, coulomb, found)
        else:
            self.parts.coulomb.build(given, coulomb, [])
            exchange.builder.build(given, None, found)
        for K in found:
            K.add_scaled(-exchange.fraction, K, self.full, coulomb)
        return found


def reference_of(mean_field: Field, frozen: int) -> Reference:
    """Give the orbitals of a mean field, and builders that who asks closes. Collective."""
    basis = mean_field.basis
    energies = np.reshape(np.asarray(mean_field.mo_energy), (mean_field.spins, -1))
    occupations = np.reshape(np.asarray(mean_field.mo_occ), (mean_field.spins, -1))
    spins = []
    for c, e, n in zip(mean_field.orbitals, energies, occupations, strict=True):
        count = int(np.count_nonzero(n))
        virtual = columns(c, count, len(e))
        occupied = columns(c, 0, count)
        spins.append(SpinOrbitals(basis, c, occupied, virtual, e, min(frozen, count)))
    return Reference(basis, mean_field.make_parts(), tuple(spins))
