"""Orbitals of closed shells and their response: what gradients beyond a mean field stand on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import atoll
from atoll.chem.fock.two_electron import Density
from atoll.chem.self_consistency.orthonormal import columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.self_consistency.hamiltonian import Parts


@dataclass(frozen=True)
class ClosedShells:
    """Orbitals of Hartree-Fock, the occupied ones first, and what builds its Fock matrix."""

    basis: BlockedBasis
    parts: Parts
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

    def transformed(self, matrix: atoll.Array) -> atoll.Array:
        """Give C^T M C. Collective."""
        return atoll.matmul(self.orbitals.at[...].T, matrix @ self.orbitals)

    def over_functions(self, matrix: atoll.Array) -> atoll.Array:
        """Give C M C^T of a matrix over the orbitals, made by `BlockedBasis.matrix`. Collective."""
        found = self.basis.matrix("density")
        atoll.matmul(self.orbitals @ matrix, self.orbitals.at[...].T, found)
        return found

    def response(self, density: atoll.Array) -> atoll.Array:
        """Give J - K/2 of a symmetric density of both spins, over the functions. Collective."""
        (exchange,) = self.parts.exchange
        coulomb, K = self.basis.matrix("Coulomb"), self.basis.matrix("exchange")
        if exchange.builder is self.parts.coulomb:
            exchange.builder.build([Density(density)], coulomb, [K])
        else:
            self.parts.coulomb.build([Density(density)], coulomb, [])
            exchange.builder.build([Density(density)], None, [K])
        coulomb.add_scaled(1.0, coulomb, -0.5 * exchange.fraction, K)
        return coulomb


def closed_shells(
    basis: BlockedBasis,
    parts: Parts,
    orbitals: atoll.Array,
    energies: NDArray[np.float64],
    occupied: int,
    frozen: int,
) -> ClosedShells:
    """Split orbitals, of which the first `occupied` are filled. Collective."""
    return ClosedShells(
        basis, parts, orbitals, columns(orbitals, 0, occupied),
        columns(orbitals, occupied, len(energies)), energies, frozen,
    )  # fmt: skip
