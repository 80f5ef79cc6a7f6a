"""Dipole and quadrupole moments of nuclei and electrons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.integrals import pyscf_wheel
from atoll.chem.integrals.own_blocks import own_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    import atoll
    from atoll.chem.integrals.blocked_basis import BlockedBasis

DEBYE = pyscf_wheel.DEBYE
"""Debye in an atomic unit of the dipole moment."""
ANGSTROM = pyscf_wheel.BOHR
"""Angstrom in a bohr."""


def expectation(
    basis: BlockedBasis,
    densities: Sequence[atoll.Array],
    name: str,
    components: int,
    origin: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Give tr D M of each component of a one-electron operator, by libcint's name. Collective.

    Every rank computes the integrals of the blocks of the density that it owns.

    Args:
        basis: The basis functions.
        densities: Their sum is the density; made by `BlockedBasis.matrix`.
        name: Such as "int1e_r".
        components: How many the operator has.
        origin: Position that the operator is relative to, bohr.

    """
    total = np.zeros(components)
    for density in densities:
        for block in own_blocks(density, basis.blocks):
            rows = basis.blocks.shell_range(block.row)
            columns = basis.blocks.shell_range(block.column)
            shells = (rows.start, rows.stop, columns.start, columns.stop)
            integrals = pyscf_wheel.moments(basis.mole, name, shells, origin)
            total += np.einsum("xij,ij->x", integrals, block.values)
    return np.asarray(basis.group.reduce(total))


def dipole(
    basis: BlockedBasis, densities: Sequence[atoll.Array], origin: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Give the dipole moment, 3 numbers in atomic units. Collective."""
    at = _position(origin)
    charges, positions = _nuclei(basis, at)
    electrons = expectation(basis, densities, "int1e_r", 3, at)
    return np.asarray(charges @ positions - electrons)


def quadrupole(
    basis: BlockedBasis, densities: Sequence[atoll.Array], origin: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Give the traceless quadrupole moment, 3 x 3 in atomic units. Collective.

    It is (3 Q - tr Q) / 2 of the second moments Q.
    """
    at = _position(origin)
    charges, positions = _nuclei(basis, at)
    electrons = expectation(basis, densities, "int1e_rr", 9, at).reshape(3, 3)
    second = np.einsum("a,ax,ay->xy", charges, positions, positions) - electrons
    return np.asarray((3.0 * second - np.eye(3) * np.trace(second)) / 2.0)


def _position(origin: ArrayLike | None) -> NDArray[np.float64]:
    at = np.zeros(3) if origin is None else np.asarray(origin, dtype=np.float64)
    if at.shape != (3,):
        raise ValueError(f"origin has shape {at.shape}, expected (3,): a position in bohr")
    return at


def _nuclei(
    basis: BlockedBasis, origin: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give charges, those of core electrons taken off, and positions relative to the origin."""
    mole = basis.mole
    return np.asarray(mole.atom_charges(), dtype=np.float64), mole.atom_coords() - origin
