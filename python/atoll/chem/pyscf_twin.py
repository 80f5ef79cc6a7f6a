"""PySCF's mean field made from one of Atoll's, and what both have by the same names."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from atoll._agreement import collective
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.self_consistency.one_electron_methods import replaced_in

_SAME = (
    "conv_tol", "conv_tol_grad", "max_cycle", "init_guess", "level_shift", "damp", "diis_space",
    "diis_start_cycle", "direct_scf_tol", "verbose", "conv_check",
)  # fmt: skip
"""Settings of the same name and meaning."""
_SAME_OF_KOHN_SHAM = ("xc", "disp", "small_rho_cutoff")
RESULTS = ("converged", "cycles", "e_tot", "scf_summary", "mo_coeff", "mo_energy", "mo_occ")
_GRIDS = (
    "atom_grid", "radii_adjust", "atomic_radii", "radi_method", "becke_scheme", "level", "prune",
    "alignment", "cutoff",
)  # fmt: skip
_POINTS = ("coords", "weights", "atm_idx", "quadrature_weights")


@collective
def to_pyscf(mean_field: Any) -> Any:
    """Give PySCF's mean field with the settings and results of one of Atoll's. Collective.

    It has all orbitals as NumPy arrays, on every rank: for molecules that one process can hold.
    Raises NotImplementedError for a way to break symmetry that PySCF has not.
    """
    made = pyscf_wheel.mean_field_class(mean_field.method)(mean_field.mol)
    if mean_field.with_df is not None:
        made = made.density_fit(auxbasis=mean_field.with_df.auxbasis, only_dfj=mean_field.only_dfj)
    for name in same(mean_field.method):
        setattr(made, name, getattr(mean_field, name))
    made.diis = bool(mean_field.diis)
    if mean_field.diis == "adiis":
        made.DIIS = pyscf_wheel.diis_class("ADIIS")
    if getattr(mean_field, "_nelec", None) is not None:
        made.nelec = mean_field.nelec
    if mean_field.smearing:
        made = made.smearing(float(mean_field.smearing), fix_spin=mean_field.fix_spin)
        made.entropy = mean_field.entropy
        made.e_free, made.e_zero = mean_field.e_free, mean_field.e_zero
    made.direct_scf = mean_field.integral_storage != "disk"
    if mean_field.memory is not None:
        made.max_memory = mean_field.memory / 1e6
    if mean_field.chkfile is not None:
        made.chkfile = mean_field.chkfile
    if mean_field.spins == 2:
        if mean_field.init_guess_breaksym == "atom":
            raise NotImplementedError("init_guess_breaksym is 'atom', which PySCF has not")
        unlike = mean_field.init_guess_breaksym
        made.init_guess_breaksym = unlike if isinstance(unlike, str) else int(unlike)
    if hasattr(made, "grids"):
        made.grids = copied_grids(mean_field.grids, made.grids)
    for name in replaced_in(mean_field):
        setattr(made, name, getattr(mean_field, name))
    if mean_field.orbitals:
        for name in RESULTS:
            value = getattr(mean_field, name)
            setattr(
                made, name, np.array(value) if isinstance(value, np.ndarray) else copy.copy(value)
            )
    return made


def same(method: str) -> tuple[str, ...]:
    """Give the settings of the same name and meaning."""
    return _SAME + (_SAME_OF_KOHN_SHAM if method.endswith("KS") else ())


def copied_grids(source: Any, into: Any) -> Any:
    """Set what says how a grid is made, and points that are there."""
    for name in _GRIDS:
        if hasattr(source, name):
            setattr(into, name, getattr(source, name))
    for name in _POINTS if source.coords is not None else ():
        setattr(into, name, getattr(source, name))
    return into
