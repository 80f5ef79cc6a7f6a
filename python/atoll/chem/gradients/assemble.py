"""The gradient of a mean field's energy, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from atoll.chem.gradients.fitted import fitted_gradient
from atoll.chem.gradients.nuclear import repulsion_gradient
from atoll.chem.gradients.one_electron import one_electron_gradient
from atoll.chem.gradients.two_electron import direct_gradient
from atoll.chem.gradients.weighted import weighted_density

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    import atoll
    from atoll.chem.fock.two_electron import Density
    from atoll.chem.self_consistency.field import Field


def gradient_parts(mean_field: Field) -> dict[str, NDArray[np.float64]]:
    """Give the parts of the gradient, atoms x 3 in hartree/bohr, on every rank. Collective.

    The mean field has orbitals, and they are converged: else the parts add up to no derivative.
    """
    basis = mean_field.basis
    densities = mean_field.density_arrays()
    matrices = [density.matrix for density in densities]
    weighted = _weighted(mean_field)
    total = matrices[0] if len(matrices) == 1 else matrices[0] + matrices[1]
    parts = {
        "nuclear repulsion": repulsion_gradient(mean_field.mol),
        "one-electron": one_electron_gradient(basis, total, weighted),
        "two-electron": _two_electron(mean_field, densities),
    }
    parts.update(mean_field.other_gradients(densities))
    return parts


def _weighted(mean_field: Field) -> atoll.Array:
    energies = list(np.reshape(np.asarray(mean_field.mo_energy), (mean_field.spins, -1)))
    occupations = list(np.reshape(np.asarray(mean_field.mo_occ), (mean_field.spins, -1)))
    return weighted_density(mean_field.basis, mean_field.orbitals, energies, occupations)


def _two_electron(mean_field: Field, densities: Sequence[Density]) -> NDArray[np.float64]:
    """Give the derivative of Coulomb and exact exchange energy."""
    basis, exchange = mean_field.basis, mean_field.exact_exchange()
    # One density of both spins: its exchange with itself is twice that of the two spins.
    share = 0.5 if len(densities) == 1 else 1.0
    fit, full, long = mean_field.with_df, share * exchange.full, share * exchange.long
    if fit is None:
        gradient = direct_gradient(basis, densities, 1.0, full)
    elif mean_field.only_dfj:
        gradient = fitted_gradient(basis, fit, densities, 1.0, 0.0)
        if full != 0.0:
            gradient += direct_gradient(basis, densities, 0.0, full)
    else:
        gradient = fitted_gradient(basis, fit, densities, 1.0, full)
    if long != 0.0:
        omega = exchange.omega
        if fit is None or mean_field.only_dfj:
            gradient += direct_gradient(basis, densities, 0.0, long, omega=omega)
        else:
            gradient += fitted_gradient(basis, fit, densities, 0.0, long, omega)
    return gradient
