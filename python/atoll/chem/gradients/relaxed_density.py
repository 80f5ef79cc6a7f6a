"""The second-order density of each spin with the response of the orbitals.

An energy whose derivative by a change U of the orbitals, C -> C (1 + U), is X keeps its derivatives
by the positions of the atoms simple where X is symmetric; then -X/2 are the multipliers of the
orbitals' overlap. What is missing in symmetry densities between occupied and virtual orbitals, and
between frozen and correlated ones, mend.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import atoll
from atoll.chem.gradients.z_vector import solve_z_vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atoll.chem.gradients.reference import Reference, SpinOrbitals


class Unrelaxed(NamedTuple):
    """Of the correlation of one spin."""

    by_orbitals: atoll.Array
    """Derivative by the coefficients of the orbitals, amplitudes held: functions x orbitals."""
    occupied: atoll.Array
    """Change of the density of the correlated occupied orbitals."""
    virtual: atoll.Array
    """That of the virtual orbitals."""


class Relaxed(NamedTuple):
    """Of one spin, over the basis functions; to be added to those of Hartree-Fock."""

    density: atoll.Array
    weighted: atoll.Array
    """Weighted with energies: what keeps the orbitals orthonormal."""


def relaxed_densities(reference: Reference, unrelaxed: Sequence[Unrelaxed]) -> list[Relaxed]:
    """Let the orbitals answer. Collective.

    Raises RuntimeError, on all ranks, where the response does not converge.
    """
    spins = reference.spins
    X = [
        atoll.matmul(spin.orbitals.at[...].T, each.by_orbitals)
        for spin, each in zip(spins, unrelaxed, strict=True)
    ]
    asymmetries = [each - each.T for each in X]
    densities = [
        _before_response(*each) for each in zip(spins, asymmetries, unrelaxed, strict=True)
    ]
    response = _response(reference, densities)
    right = []
    for spin, asymmetry, G in zip(spins, asymmetries, response, strict=True):
        of_spin = _virtual_occupied(spin, asymmetry)
        of_spin.add_scaled(-0.5, of_spin, -1.0, _virtual_occupied(spin, G))
        right.append(of_spin)
    for spin, density, x in zip(spins, densities, solve_z_vector(reference, right), strict=True):
        density.at[spin.count :, : spin.count].copy_from(x)
        density.at[: spin.count, spin.count :].copy_from(x.at[...].T)
    response = _response(reference, densities)
    found = []
    for spin, of_spin, density, G in zip(spins, X, densities, response, strict=True):
        _complete(spin, of_spin, density, G)
        weighted = spin.over_functions(of_spin)
        found.append(Relaxed(spin.over_functions(density), weighted))
    return found


def _before_response(
    spin: SpinOrbitals, asymmetry: atoll.Array, unrelaxed: Unrelaxed
) -> atoll.Array:
    """Give the density over the orbitals without what is between occupied and virtual ones."""
    density = asymmetry.duplicate()
    number, energies = np.arange(len(spin.energies)), spin.energies
    frozen = number < spin.frozen
    correlated = ~frozen & (number < spin.count)
    both = zip(density.blocks(), asymmetry.blocks(), strict=True)
    for ((rows, columns), block), (_, given) in both:
        wanted = np.logical_and.outer(frozen[rows], correlated[columns])
        wanted |= np.logical_and.outer(correlated[rows], frozen[columns])
        apart = energies[None, columns] - energies[rows, None]
        block[wanted] = given[wanted] / (2.0 * apart[wanted])
    density.group.sync()
    if spin.correlated:
        density.at[spin.frozen : spin.count, spin.frozen : spin.count].copy_from(unrelaxed.occupied)
        density.at[spin.count :, spin.count :].copy_from(unrelaxed.virtual)
    return density


def _response(reference: Reference, densities: Sequence[atoll.Array]) -> list[atoll.Array]:
    """Give what Fock matrices change by with densities, all over the orbitals."""
    over_functions = [
        spin.over_functions(density)
        for spin, density in zip(reference.spins, densities, strict=True)
    ]
    found = reference.response(over_functions)
    return [spin.transformed(G) for spin, G in zip(reference.spins, found, strict=True)]


def _virtual_occupied(spin: SpinOrbitals, matrix: atoll.Array) -> atoll.Array:
    shape = (matrix.shape[0] - spin.count, spin.count)
    part = atoll.zeros(shape, group=matrix.group, name="virtual and occupied")
    part.copy_from(matrix.at[spin.count :, : spin.count])
    return part


def _complete(
    spin: SpinOrbitals, X: atoll.Array, density: atoll.Array, response: atoll.Array
) -> None:
    """Add to X what the orbitals' energies give, and halve it."""
    for (rows, columns), block in X.blocks():
        block += 2.0 * spin.energies[rows, None] * density[rows, columns]
        occupied = np.arange(columns.start, columns.stop) < spin.count
        block += 2.0 * occupied * response[rows, columns]
    X.group.sync()
    atoll.linalg.symmetrize(X)
    X.scale(0.5)
