"""How many electrons belong to which basis function and atom: Mulliken's and Loewdin's ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import atoll

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from atoll.chem.integrals.blocked_basis import BlockedBasis


def mulliken(
    basis: BlockedBasis, density: atoll.Array, overlap: atoll.Array
) -> NDArray[np.float64]:
    """Give the electrons of each basis function, the diagonal of D S. Collective."""
    return _rows_of_product(basis, density, overlap)


def loewdin(
    basis: BlockedBasis, densities: Sequence[atoll.Array], overlap: atoll.Array
) -> list[NDArray[np.float64]]:
    """Give the electrons of each basis function, the diagonal of R D R, R^2 = S. Collective."""
    root = _square_root(basis, overlap)
    populations = []
    for density in densities:
        product = basis.matrix("R D")
        atoll.matmul(root, density, product)
        populations.append(_rows_of_product(basis, product, root))
    return populations


def charges(basis: BlockedBasis, populations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the charge of each atom: its nucleus less the electrons of its functions."""
    mole = basis.mole
    of_atoms = [populations[begin:end].sum() for _, _, begin, end in mole.aoslice_by_atom()]
    return np.asarray(mole.atom_charges() - np.array(of_atoms))


def _rows_of_product(
    basis: BlockedBasis, left: atoll.Array, right: atoll.Array
) -> NDArray[np.float64]:
    """Give the diagonal of A B, of matrices that are distributed alike, B symmetric. Collective."""
    total = np.zeros(basis.functions)
    for (key, a), (_, b) in zip(left.blocks(), right.blocks(), strict=True):
        total[key[0]] += np.einsum("ij,ij->i", a, b)
    return np.asarray(basis.group.reduce(total))


def _square_root(basis: BlockedBasis, overlap: atoll.Array) -> atoll.Array:
    values, vectors = atoll.linalg.eigh(overlap)
    fourth_roots = np.maximum(values, 0.0) ** 0.25
    atoll.linalg.scale_columns(vectors, atoll.from_numpy(fourth_roots, group=basis.group))
    root = basis.matrix("root of the overlap")
    atoll.matmul(vectors, vectors.at[...].T, root)
    return root
