"""Methods by name: what `--method` takes.

How each is computed is one class in `calculations/`. The command line, restarts and the report ask
nothing but what `Calculation` and `Outcome` promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll.chem.calculations.coupled_cluster import CoupledCluster, refuse_for_coupled_cluster
from atoll.chem.calculations.mean_fields import SelfConsistent, hartree_fock, kohn_sham
from atoll.chem.calculations.multireference import MultiReference
from atoll.chem.calculations.second_order import (
    DOUBLE_HYBRIDS,
    SCALED,
    SecondOrder,
    dispersion_of_double_hybrid,
    split_double_hybrid,
)
from atoll.chem.exchange_correlation.functional import Functional
from atoll.chem.molecules import InputError

if TYPE_CHECKING:
    import atoll
    from atoll.chem.calculations.calculation import Calculation
    from atoll.chem.molecules.options import Options

COUPLED_CLUSTER = ("ccsd", "ccsd(t)")


def calculation(mol: Any, options: Options, group: atoll.Group) -> Calculation:
    """Make the calculation of a method. Collective.

    Raises InputError for a method that is unknown, or an option that it would ignore.
    """
    given = options.method.lower()
    name, version = split_double_hybrid(given)
    fits_pairs = name in SCALED or name in DOUBLE_HYBRIDS
    correlated = fits_pairs or name in COUPLED_CLUSTER or name == "mrci"
    _refuse_what_would_be_ignored(options, mol, correlated, fits_pairs)
    if name in COUPLED_CLUSTER:
        refuse_for_coupled_cluster(options)
        return CoupledCluster(hartree_fock(mol, options, group), options, name)
    if name in SCALED:
        return SecondOrder(hartree_fock(mol, options, group), options, name, *SCALED[name])
    if name in DOUBLE_HYBRIDS:
        hybrid = DOUBLE_HYBRIDS[name]
        correction = dispersion_of_double_hybrid(name, options.dispersion or version)
        mean_field = kohn_sham(mol, hybrid.functional, options, group, correction)
        return SecondOrder(mean_field, options, given, hybrid.opposite, hybrid.same)
    if name == "hf":
        return SelfConsistent(hartree_fock(mol, options, group), options, "HF")
    if name == "mrci":
        return MultiReference(hartree_fock(mol, options, group, shared=True), options)
    if name in ("mp2", "scs-mp2"):
        raise InputError(f"method '{options.method}' is here with fitted integrals: ri-{name}")
    Functional.from_name(options.method)  # InputError or NotImplementedError
    mean_field = kohn_sham(mol, options.method, options, group, options.dispersion)
    return SelfConsistent(mean_field, options, options.method)


def require_stability(calculation: Calculation) -> None:
    """Raise InputError unless the stability of a calculation can be found out."""
    field = calculation.mean_field
    if calculation.correlated or calculation.method != "HF" or field.with_df or field.smearing:
        raise InputError("stability is of Hartree-Fock without fitting or smearing")


def require_properties(calculation: Calculation) -> None:
    """Raise InputError unless there are properties of a calculation."""
    unrestricted = calculation.mean_field.spins != 1
    if unrestricted and calculation.method in COUPLED_CLUSTER:
        raise InputError(f"properties of method '{calculation.method}' are here for closed shells")


def require_density_on_grid(calculation: Calculation) -> None:
    """Raise InputError unless the density of a calculation can be had on a grid."""
    if calculation.correlated:
        raise InputError(
            f"cube-of 'density' is not here for method '{calculation.method}': expected homo, "
            "lumo or an orbital's number"
        )


def _refuse_what_would_be_ignored(
    options: Options, mol: Any, correlated: bool, fits_pairs: bool
) -> None:
    fitted = options.density_fitting or options.fit_coulomb
    for name, method in (("active", "mrci"), ("roots", "mrci"), ("checkpoint_interval", "ccsd(t)")):
        default = type(options).__dataclass_fields__[name].default
        if options.method.lower() != method and getattr(options, name) != default:
            word = name.replace("_", "-")
            raise InputError(f"{word} means nothing to method '{options.method}'")
    if options.frozen_core and not correlated:
        raise InputError(f"frozen-core means nothing to method '{options.method}'")
    if options.ladder != "auto" and options.method.lower() not in COUPLED_CLUSTER:
        raise InputError(f"ladder means nothing to method '{options.method}'")
    own = options.correlation_auxiliary_basis
    if own and not fits_pairs:
        raise InputError(f"correlation-auxiliary-basis means nothing to method '{options.method}'")
    if own and options.auxiliary_basis and not fitted:
        raise InputError(
            "auxiliary-basis means nothing beside correlation-auxiliary-basis unfitted"
        )
    if options.auxiliary_basis and not (fitted or fits_pairs):
        raise InputError(f"auxiliary-basis means nothing to method '{options.method}' unfitted")
    if options.density_fitting and options.fit_coulomb:
        raise InputError("density-fitting and fit-coulomb: expected one of them")
    if options.break_symmetry and int(mol.spin) > 0:
        raise InputError(f"break-symmetry means nothing to {mol.spin} unpaired electrons")
    if options.smearing and correlated:
        raise InputError(f"smearing does not go with method '{options.method}'")
