"""MRCI by its definition, for tests: PySCF's full CI Hamiltonian between projectors."""

from typing import NamedTuple

import numpy as np
import scipy.sparse.linalg
from pyscf import mcscf
from pyscf.fci import cistring, direct_spin1


class Projected(NamedTuple):
    """The lowest states of the determinants wanted; energies in hartree."""

    energies: np.ndarray
    determinants: int
    reference_weights: np.ndarray
    """Of each state, in the active space's own determinants."""
    reference_energies: np.ndarray
    """Of that part by itself."""


def grades(strings, orbitals, end_of_inactive, end_of_active):
    """Holes and particles of strings."""
    bits = (np.asarray(strings)[:, None] >> np.arange(orbitals)) & 1
    return end_of_inactive - bits[:, :end_of_inactive].sum(1), bits[:, end_of_active:].sum(1)


def projected(mf, active_electrons, active_orbitals, roots, frozen=0):
    """Give those of a mean field's orbitals, its `frozen` lowest ones not correlated."""
    mol, c = mf.mol, mf.mo_coeff
    solver = mcscf.CASCI(mf, c.shape[1] - frozen, mol.nelectron - 2 * frozen)
    h1, constant = solver.get_h1cas()
    h2, n = solver.get_h2cas(), c.shape[1] - frozen
    electrons = tuple(count - frozen for count in mol.nelec)
    inactive = (sum(electrons) - active_electrons) // 2
    alpha, beta = (
        grades(cistring.make_strings(range(n), count), n, inactive, inactive + active_orbitals)
        for count in electrons
    )
    holes, particles = np.add.outer(alpha[0], beta[0]), np.add.outer(alpha[1], beta[1])
    inside = (holes <= 2) & (particles <= 2)
    reference = ((holes == 0) & (particles == 0))[inside]
    operator = direct_spin1.absorb_h1e(h1, h2, n, electrons, 0.5)
    h_diagonal = direct_spin1.make_hdiag(h1, h2, n, electrons).reshape(inside.shape)[inside]

    def product(x):
        full = np.zeros(inside.shape)
        full[inside] = x
        return direct_spin1.contract_2e(operator, full, n, electrons)[inside]

    size = int(inside.sum())
    matrix = scipy.sparse.linalg.LinearOperator((size, size), matvec=product, dtype=float)
    if size < 400:
        values, vectors = np.linalg.eigh(np.array([product(row) for row in np.eye(size)]))
        values, vectors = values[:roots], vectors[:, :roots]
    else:
        lowest = np.argsort(h_diagonal, kind="stable")[: max(roots, 8)]
        start = np.zeros(size)
        start[lowest] = 1.0 / (1 + np.arange(len(lowest)))
        values, vectors = scipy.sparse.linalg.eigsh(matrix, k=roots, which="SA", v0=start)
        values, vectors = values[np.argsort(values)], vectors[:, np.argsort(values)]
    parts = np.where(reference[:, None], vectors, 0.0)
    weights = np.einsum("di,di->i", parts, parts)
    own = np.array([part @ product(part) for part in parts.T]) / weights
    return Projected(values + constant, size, weights, own + constant)
