"""Methods by name: what `--method` takes.

How each is computed is one class in `calculations/`; which options it uses stands in a table there.
The command line, restarts and the report ask nothing but what `Calculation` and `Outcome` promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll.chem.calculations import table
from atoll.chem.calculations.coupled_cluster import CoupledCluster
from atoll.chem.calculations.mean_fields import SelfConsistent, hartree_fock, kohn_sham
from atoll.chem.calculations.multireference import MultiReference
from atoll.chem.calculations.second_order import (
    DOUBLE_HYBRIDS,
    SCALED,
    SecondOrder,
    dispersion_of_double_hybrid,
    split_double_hybrid,
)
from atoll.chem.calculations.table import Kind
from atoll.chem.exchange_correlation.functional import Functional
from atoll.chem.molecules import InputError

if TYPE_CHECKING:
    import atoll
    from atoll.chem.calculations.calculation import Calculation
    from atoll.chem.molecules.options import Options

COUPLED_CLUSTER = ("ccsd", "ccsd(t)")


def calculation(
    mol: Any, options: Options, group: atoll.Group, command: str = "energy"
) -> Calculation:
    """Make the calculation of a method, for a command of the command line. Collective.

    Raises InputError for a method that is unknown or has no gradient where the command needs one,
    and for an option that it would ignore.
    """
    given = options.method.lower()
    name, version = split_double_hybrid(given)
    if name in ("mp2", "scs-mp2", "sos-mp2"):
        raise InputError(f"method '{options.method}' is here with fitted integrals: ri-{name}")
    asked = _asked(mol, options, name, command)
    reason = table.refusal_of_gradient(asked) or table.refusal(asked)
    if reason:
        raise InputError(reason)
    kind = asked.method.kind
    if kind is Kind.COUPLED_CLUSTER:
        return CoupledCluster(hartree_fock(mol, options, group), options, name)
    if kind is Kind.SECOND_ORDER:
        return SecondOrder(hartree_fock(mol, options, group), options, name, *SCALED[name])
    if kind is Kind.DOUBLE_HYBRID:
        hybrid = DOUBLE_HYBRIDS[name]
        correction = dispersion_of_double_hybrid(name, options.dispersion or version)
        mean_field = kohn_sham(mol, hybrid.functional, options, group, correction)
        return SecondOrder(mean_field, options, given, hybrid.opposite, hybrid.same)
    if kind is Kind.MULTIREFERENCE:
        return MultiReference(hartree_fock(mol, options, group, shared=True), options)
    if kind is Kind.HARTREE_FOCK:
        return SelfConsistent(hartree_fock(mol, options, group), options, "HF")
    mean_field = kohn_sham(mol, options.method, options, group, options.dispersion)
    return SelfConsistent(mean_field, options, options.method)


def _asked(mol: Any, options: Options, name: str, command: str) -> table.Asked:
    """Find out what decides which options are used.

    Raises InputError or NotImplementedError for a functional that is not here.
    """
    method, spin = table.method_of(name), int(mol.spin)
    names = {Kind.KOHN_SHAM: options.method}
    if method.kind is Kind.DOUBLE_HYBRID:
        names[Kind.DOUBLE_HYBRID] = DOUBLE_HYBRIDS[name].functional
    if method.kind not in names:
        return table.Asked(method, options, command, spin)
    found = Functional.from_name(names[method.kind])
    return table.Asked(
        method,
        options,
        command,
        spin,
        exchange=found.hybrid != 0.0,
        long_range=found.omega != 0.0 and found.long_range != found.hybrid,
        integrates=found.kind != "HF",
    )


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
