"""The gradient of a mean field's energy, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.fock.two_electron import Density
from atoll.chem.gradients.fitted import fitted_gradient
from atoll.chem.gradients.nuclear import repulsion_gradient
from atoll.chem.gradients.one_electron import one_electron_gradient
from atoll.chem.gradients.two_electron import direct_gradient
from atoll.chem.gradients.weighted import weighted_density

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.integrals.blocked_basis import BlockedBasis
    from atoll.chem.self_consistency.field import Field


def gradient_parts(mean_field: Field) -> dict[str, NDArray[np.float64]]:
    """Give the parts of the gradient, atoms x 3 in hartree/bohr, on every rank. Collective.

    The mean field has orbitals, and they are converged: else the parts add up to no derivative.
    """
    basis = mean_field.basis
    densities = mean_field.density_arrays()
    matrices = [density.matrix for density in densities]
    total = matrices[0] if len(matrices) == 1 else matrices[0] + matrices[1]
    parts = {
        "nuclear repulsion": repulsion_gradient(mean_field.mol),
        "one-electron": one_electron_gradient(basis, total, weighted_of(mean_field)),
        "two-electron": two_electron_gradient(mean_field, densities),
    }
    parts.update(mean_field.other_gradients(densities))
    return parts


def weighted_of(mean_field: Field) -> atoll.Array:
    """Give the density of a mean field weighted with orbital energies. Collective."""
    energies = list(np.reshape(np.asarray(mean_field.mo_energy), (mean_field.spins, -1)))
    occupations = list(np.reshape(np.asarray(mean_field.mo_occ), (mean_field.spins, -1)))
    return weighted_density(mean_field.basis, mean_field.orbitals, energies, occupations)


def two_electron_gradient(
    mean_field: Field, densities: Sequence[Density], changes: Sequence[atoll.Array] = ()
) -> NDArray[np.float64]:
    """Give the derivative of Coulomb and exact exchange energy, densities held. Collective.

    With `changes`, one for each density, what the energy changes by with them is added to it: its
    derivatives by the densities, times the changes.
    """
    basis, exchange = mean_field.basis, mean_field.exact_exchange()
    # One density of both spins: its exchange with itself is twice that of the two spins.
    share = 0.5 if len(densities) == 1 else 1.0
    fit, full, long = mean_field.with_df, share * exchange.full, share * exchange.long
    if fit is None:
        gradient = _exact(basis, densities, changes, 1.0, full)
    elif mean_field.only_dfj:
        gradient = fitted_gradient(basis, fit, densities, 1.0, 0.0, changes=changes)
        if full != 0.0:
            gradient += _exact(basis, densities, changes, 0.0, full)
    else:
        gradient = fitted_gradient(basis, fit, densities, 1.0, full, changes=changes)
    if long != 0.0:
        omega = exchange.omega
        if fit is None or mean_field.only_dfj:
            gradient += _exact(basis, densities, changes, 0.0, long, omega)
        else:
            gradient += fitted_gradient(basis, fit, densities, 0.0, long, omega, changes)
    return gradient


def _exact(
    basis: BlockedBasis,
    densities: Sequence[Density],
    changes: Sequence[atoll.Array],
    coulomb: float,
    exchange: float,
    omega: float = 0.0,
) -> NDArray[np.float64]:
    if not changes:
        return direct_gradient(basis, densities, coulomb, exchange, omega=omega)
    # The energy E is quadratic: E(D) and what it changes by are E(D + change) without E(change).
    both = [
        Density(density.matrix + change) for density, change in zip(densities, changes, strict=True)
    ]
    gradient = direct_gradient(basis, both, coulomb, exchange, omega=omega)
    alone = [Density(change) for change in changes]
    return gradient - direct_gradient(basis, alone, coulomb, exchange, omega=omega)
