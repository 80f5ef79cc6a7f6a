"""Which fitting sets a calculation has: those that its options name, or PySCF's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atoll.chem.integrals import fitting_sets
from atoll.chem.molecules import basis_sets

if TYPE_CHECKING:
    from atoll.chem.integrals.fitting_sets import Fit
    from atoll.chem.molecules.options import Options
    from atoll.chem.self_consistency.mean_field import MeanField


def chosen(mol: Any, text: str, word: str = "auxiliary-basis") -> Any:
    """Give the set that an option names, as PySCF takes it; None: it names none.

    Raises InputError for one that is unknown or lacks an element.
    """
    if not text:
        return None
    symbols = [mol.atom_symbol(atom) for atom in range(mol.natm)]
    return basis_sets.functions(text, symbols, word)


def chosen_for_correlation(mean_field: MeanField, options: Options) -> Any:
    """Give the set of RI-MP2: what is named for correlation, or for all; else as PySCF's DFMP2."""
    mol = mean_field.mol
    own = chosen(mol, options.correlation_auxiliary_basis, "correlation-auxiliary-basis")
    named = chosen(mol, options.auxiliary_basis) if own is None else own
    return fitting_sets.of_correlation(mol, named, mean_field.with_df)


def fits_of(mean_field: MeanField, options: Options, of: str = "") -> list[Fit]:
    """Tell of the fit of Coulomb and exchange matrices, if there is one; `of`: of what else, too.

    Raises InputError for a set that is not there for the molecule.
    """
    fit = mean_field.with_df
    if fit is None:
        return []
    of = of or ("Coulomb" if mean_field.only_dfj else "Coulomb and exchange")
    return [fitting_sets.fit(mean_field.mol, of, fit.auxbasis, options.auxiliary_basis)]


def fits_with_correlation(mean_field: MeanField, options: Options, found: Any) -> list[Fit]:
    """Tell of these and of the fit of RI-MP2, by the set `found`."""
    text = options.correlation_auxiliary_basis or options.auxiliary_basis
    correlation = fitting_sets.fit(mean_field.mol, "correlation", found, text)
    return [*fits_of(mean_field, options), correlation]
