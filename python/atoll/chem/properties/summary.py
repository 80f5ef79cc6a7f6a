"""Moments and charges of a mean field, or of a density, together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from atoll.chem.properties.given_density import GivenDensity
    from atoll.chem.self_consistency.mean_field import MeanField


def properties_of(owner: MeanField | GivenDensity) -> dict[str, Any]:
    """Give dipole and quadrupole moment, Mulliken's and Loewdin's charges, by name. Collective."""
    return {
        "dipole_debye": np.asarray(owner.dip_moment()).tolist(),
        "quadrupole_debye_angstrom": np.asarray(owner.quad_moment()).tolist(),
        "mulliken_charges": np.asarray(owner.mulliken_pop()[1]).tolist(),
        "lowdin_charges": np.asarray(owner.lowdin_pop()[1]).tolist(),
    }
