"""A mean field's settings and orbitals for the same molecule in another geometry."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

import atoll
from atoll.chem.fock.two_electron import Density
from atoll.chem.molecules.agreed import have_same_functions
from atoll.chem.pyscf_calls.relativity import ScalarX2C
from atoll.chem.self_consistency.open_shells import densities_of
from atoll.chem.self_consistency.orthonormal import columns

if TYPE_CHECKING:
    from atoll.chem.self_consistency.field import Field

    Kind = TypeVar("Kind", bound=Field)

# What a mean field has found, or made for its molecule and its ranks; all else is a setting.
_RESULTS = {
    "mol", "_group", "orbitals", "_energies", "_occupations", "e_tot", "converged", "cycles",
    "_entropy",
    "scf_summary", "solution", "_basis", "_bare", "_integrals", "_orthonormal", "_replaced",
    "_seen",
}  # fmt: skip


def moved_to(mean_field: Kind, mol: Any, group: atoll.Group | None = None) -> Kind:
    """Make a mean field with these settings for another geometry. Collective over its group.

    A fitting set that nobody has named is chosen anew where the functions are others.

    Args:
        mean_field: Where settings come from.
        mol: PySCF's `Mole`.
        group: Ranks that compute; none: those of `mean_field`.

    """
    kind: Any = type(mean_field)
    moved: Kind = kind(mol, group=mean_field.group if group is None else group)
    for name, value in vars(mean_field).items():
        if name in _RESULTS:
            continue
        setattr(moved, name, _settings_for(mol, value))
    if moved.with_df is not None:
        moved.with_df = moved.with_df.moved_to(mol, mean_field.mol, moved.fitting_set)
    return moved


def _settings_for(mol: Any, value: Any) -> Any:
    """Give a setting for a molecule: those of grids know theirs, and a Hamiltonian of X2C."""
    if isinstance(value, ScalarX2C):
        return value.moved_to(mol)
    if not hasattr(value, "atom_grid"):
        return value
    value = copy.copy(value)
    value.reset(mol)  # points of other places
    return value


def carried_over(mean_field: Field, moved: Field) -> list[Density] | None:
    """Give densities of the orbitals of `mean_field`, orthonormal where the atoms are now.

    None: it has no orbitals, or those of another molecule. Collective over the group of `moved`,
    whose ranks are among those of `mean_field`.
    """
    if not mean_field.orbitals or not _is_the_same(mean_field.mol, moved.mol):
        return None
    occupations = np.reshape(np.asarray(mean_field.mo_occ), (mean_field.spins, -1))
    densities = []
    for coefficients, filled in zip(mean_field.orbitals, occupations, strict=True):
        occupied = int(np.count_nonzero(filled))
        if occupied == 0:
            densities.append(Density(moved.basis.matrix("density")))
            continue
        old = _occupied_on(moved.group, coefficients, occupied)
        new = _orthonormal(old, moved.integrals.overlap)
        densities += densities_of([new], [filled[:occupied]], moved.integrals.overlap, moved.shared)
    return densities


def _is_the_same(one: Any, other: Any) -> bool:
    """Tell whether molecules differ only by where their atoms are."""
    facts = [
        (mol.charge, mol.spin, [mol.atom_symbol(atom) for atom in range(mol.natm)])
        for mol in (one, other)
    ]
    return facts[0] == facts[1] and have_same_functions(one, other)


def _occupied_on(group: atoll.Group, coefficients: atoll.Array, occupied: int) -> atoll.Array:
    """Give the first columns of an array on ranks that may be fewer."""
    if group is coefficients.group:
        return columns(coefficients, 0, occupied)
    kept = atoll.zeros((coefficients.shape[0], occupied), group=group, name="occupied orbitals")
    for key, block in kept.blocks():
        block[...] = coefficients[key]
    group.sync()
    return kept


def _orthonormal(orbitals: atoll.Array, overlap: atoll.Array) -> atoll.Array:
    """Give C M^(-1/2), M = C^T S C: the orthonormal orbitals nearest to C."""
    values, vectors = atoll.linalg.eigh(atoll.matmul(orbitals.at[...].T, overlap @ orbitals))
    roots = atoll.from_numpy(values**-0.25, group=overlap.group)
    atoll.linalg.scale_columns(vectors, roots)
    return orbitals @ atoll.matmul(vectors, vectors.at[...].T)
