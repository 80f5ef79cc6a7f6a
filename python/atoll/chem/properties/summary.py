"""Moments and charges of a mean field, together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from atoll.chem.self_consistency.mean_field import MeanField


def properties_of(mean_field: MeanField) -> dict[str, Any]:
    """Give dipole and quadrupole moment, Mulliken's and Loewdin's charges, by name. Collective."""
    return {
        "dipole_debye": np.asarray(mean_field.dip_moment()).tolist(),
        "quadrupole_debye_angstrom": np.asarray(mean_field.quad_moment()).tolist(),
        "mulliken_charges": np.asarray(mean_field.mulliken_pop()[1]).tolist(),
        "lowdin_charges": np.asarray(mean_field.lowdin_pop()[1]).tolist(),
    }
