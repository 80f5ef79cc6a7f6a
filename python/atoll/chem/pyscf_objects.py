"""PySCF's mean fields as Atoll's, and the other way round.

Objects of PySCF are whole on every process: what comes from there was on every rank already, and
what goes there is NumPy's on every rank. Each of PySCF's `_keys` is either carried over, or has to
have PySCF's default: nothing is dropped in silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll import _core
from atoll._agreement import collective
from atoll.chem import dft, scf
from atoll.chem.df import settings_of
from atoll.chem.exchange_correlation import grid_settings
from atoll.chem.integrals import pyscf_checks, pyscf_grids, pyscf_wheel
from atoll.chem.pyscf_calls.orbitals import distributed
from atoll.chem.pyscf_twin import RESULTS, copied_grids, same
from atoll.chem.self_consistency.one_electron_methods import REPLACEABLE

if TYPE_CHECKING:
    from atoll.chem.self_consistency.mean_field import MeanField

_CLASSES: dict[str, Any] = {
    "RHF": scf.RHF, "UHF": scf.UHF, "ROHF": scf.ROHF, "RKS": dft.RKS, "UKS": dft.UKS,
    "ROKS": dft.ROKS,
}  # fmt: skip
_HOMES = ("pyscf.scf.", "pyscf.dft.", "pyscf.df.")
_OTHERWISE = (
    "mol", "chkfile", "diis", "DIIS", "direct_scf", "init_guess_breaksym", "grids", "with_df",
    "only_dfj", "max_memory",
)  # fmt: skip
"""What has a counterpart, in another form."""
_WITHOUT_MEANING = ("nlcgrids", "opt", "stdout", "output")
"""Belongs to `nlc`, which is refused; is a cache; or says how PySCF runs."""


@collective
def from_pyscf(mean_field: Any, group: atoll.Group | None = None) -> MeanField:
    """Give a mean field with the settings and results of one of PySCF's. Collective.

    Args:
        mean_field: RHF, UHF, ROHF, RKS, UKS or ROKS of PySCF, density-fitted or not, the same on
            every rank; orbitals are taken from the first.
        group: Ranks that compute; none: the default group.

    Raises:
        NotImplementedError: Another kind of mean field, a setting that Atoll has not, or a method
            that was replaced. On all ranks.

    """
    group = atoll.default_group() if group is None else group
    method = _method_of(mean_field)
    settings = _settings_of(mean_field, method)
    compared = sorted(pair for pair in settings.items() if pair[0] != "chkfile")
    _core.enter(group, "from_pyscf", bytes(repr((method, compared)), "utf-8"))
    made: MeanField = _CLASSES[method](mean_field.mol, group=group)
    for name, value in settings.items():
        setattr(made, name, value)
    if hasattr(mean_field, "grids"):
        made.grids = copied_grids(grid_settings.checked(mean_field.grids), made.grids)
        pyscf_grids.require_plain(mean_field._numint)
    _require_plain_integrals(mean_field, group)
    for name in sorted(REPLACEABLE & set(vars(mean_field))):
        setattr(made, name, getattr(mean_field, name))
    if getattr(mean_field, "with_df", None) is not None:
        made.with_df = settings_of(mean_field.with_df)
        made.only_dfj = bool(mean_field.only_dfj)
    if bool(group.broadcast(mean_field.mo_coeff is not None)):
        _take_results(made, mean_field)
    return made


def _method_of(mean_field: Any) -> str:
    """Give the name of the method, where it is one that Atoll has."""
    kind = type(mean_field)
    name = kind.__name__.removeprefix("DF") if _is_fitted(mean_field) else kind.__name__
    if name not in _CLASSES or not kind.__module__.startswith(_HOMES):
        raise NotImplementedError(
            f"{kind.__module__}.{kind.__name__} of PySCF has no counterpart: "
            "RHF, UHF, ROHF, RKS, UKS, ROKS have, also density-fitted"
        )
    for name_of_own in vars(mean_field):
        if name_of_own in REPLACEABLE or name_of_own == "DIIS":
            continue
        if callable(getattr(kind, name_of_own, None)):
            raise NotImplementedError(f"{name_of_own} of the mean field was replaced")
    return name


def _is_fitted(mean_field: Any) -> bool:
    return any(
        kind.__name__ == "_DFHF" and kind.__module__ == "pyscf.df.df_jk"
        for kind in type(mean_field).__mro__
    )


def _keys(mean_field: Any) -> set[str]:
    """Give the names of all settings and results of an object of PySCF."""
    return set().union(*(getattr(kind, "_keys", ()) for kind in type(mean_field).__mro__))


def _settings_of(mean_field: Any, method: str) -> dict[str, Any]:
    """Give Atoll's settings; refuse what it has not."""
    fresh = pyscf_wheel.mean_field_class(method)(mean_field.mol)
    keys, alike = _keys(mean_field), same(method)
    for name in sorted(keys.difference(alike, RESULTS, _OTHERWISE, _WITHOUT_MEANING)):
        value, default = getattr(mean_field, name, None), getattr(fresh, name, None)
        if value is not default and value != default:
            raise NotImplementedError(
                f"{name} is {value!r}, which {method} does not support: expected {default!r}"
            )
    settings = {name: getattr(mean_field, name) for name in alike}
    settings["diis"] = _diis_of(mean_field)
    # PySCF computes integrals anew where its memory does not hold them, if at all.
    settings["integral_storage"] = "auto" if mean_field.direct_scf else "disk"
    if mean_field.max_memory != mean_field.mol.max_memory:
        settings["memory"] = int(1e6 * max(0, mean_field.max_memory))
    settings["chkfile"] = _chkfile_of(mean_field)
    if "init_guess_breaksym" in keys:
        settings["init_guess_breaksym"] = _breaksym_of(mean_field)
    return settings


def _require_plain_integrals(mean_field: Any, group: atoll.Group) -> None:
    """Refuse two-electron integrals of one's own. Collective."""
    kept = getattr(mean_field, "_eri", None)
    plain = True
    if group.rank == 0 and kept is not None:
        plain = pyscf_checks.are_integrals_of(mean_field.mol, kept)
    if not group.broadcast(plain):
        raise NotImplementedError("_eri, integrals of one's own, is not supported")


def _diis_of(mean_field: Any) -> bool | str:
    if not mean_field.diis:
        return False
    if mean_field.diis is not True:
        raise NotImplementedError("diis is an object of its own, expected True or False")
    if mean_field.DIIS is pyscf_wheel.diis_class("ADIIS"):
        return "adiis"
    if mean_field.DIIS is not pyscf_wheel.diis_class("CDIIS"):
        raise NotImplementedError(f"DIIS is {mean_field.DIIS.__name__}, expected CDIIS or ADIIS")
    return True


def _chkfile_of(mean_field: Any) -> str | None:
    """Give the file that the user has chosen; None for PySCF's own temporary one."""
    temporary = getattr(mean_field, "_chkfile", None)
    chosen = mean_field.chkfile
    return None if temporary is not None and temporary.name == chosen else chosen


def _breaksym_of(mean_field: Any) -> int | str:
    value = mean_field.init_guess_breaksym
    if value not in (None, 0, 1, 2, "mix"):
        raise NotImplementedError(f"init_guess_breaksym is {value!r}, expected 0, 1, 2 or 'mix'")
    return value if isinstance(value, str) else int(value or 0)


def _take_results(made: MeanField, mean_field: Any) -> None:
    group, spins = made.group, made.spins
    coefficients = np.asarray(mean_field.mo_coeff, dtype=np.float64)
    functions, orbitals = coefficients.shape[-2:]
    coefficients = coefficients.reshape(spins, functions, orbitals)
    energies, occupations = (
        np.asarray(group.broadcast(np.asarray(values, dtype=np.float64)))
        for values in (mean_field.mo_energy, mean_field.mo_occ)
    )
    occupations = occupations.reshape(spins, orbitals)
    for filled in occupations:
        if np.count_nonzero(filled) != np.count_nonzero(filled[: np.count_nonzero(filled)]):
            raise NotImplementedError("mo_occ has empty orbitals below occupied ones")
    made.take_results(
        tuple(distributed(of_spin, group) for of_spin in coefficients),
        tuple(energies.reshape(spins, orbitals)),
        tuple(occupations),
        energy=float(group.broadcast(float(mean_field.e_tot))),
        converged=bool(group.broadcast(bool(mean_field.converged))),
        cycles=int(group.broadcast(int(mean_field.cycles))),
        summary={name: float(value) for name, value in mean_field.scf_summary.items()},
    )
