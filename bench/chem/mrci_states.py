"""How many states of stretched bonds MRCI misses: full CI beside all eigenvalues of the matrix.

    python bench/chem/mrci_states.py [MOLECULE ...]

Each of 13 molecules with 1, 2, 3, 4 and 8 roots, 65 runs: the energies found are the lowest
eigenvalues of the whole matrix, which LAPACK diagonalises, or the run has missed a state.
"""

import sys

import numpy as np
from atoll.chem import mrci
from pyscf import ao2mo, fci, gto, scf

ROOTS = (1, 2, 3, 4, 8)
CLOSE = 1e-5
"""Hartree."""
MOLECULES = {
    "HF 2.0": ("H 0 0 0; F 0 0 2.0", 1),
    "BeH2 2.0": ("Be 0 0 0; H 0 0 2.0; H 0 0 -2.0", 1),
    "H6 1.0": ("; ".join(f"H 0 0 {1.0 * atom}" for atom in range(6)), 0),
    "H6 2.0": ("; ".join(f"H 0 0 {2.0 * atom}" for atom in range(6)), 0),
    "B2 2.0": ("B 0 0 0; B 0 0 2.0", 2),
    "N2 1.1": ("N 0 0 0; N 0 0 1.1", 2),
    "N2 1.8": ("N 0 0 0; N 0 0 1.8", 2),
    "N2 2.5": ("N 0 0 0; N 0 0 2.5", 2),
    "N2 3.2": ("N 0 0 0; N 0 0 3.2", 2),
    "CO 2.0": ("C 0 0 0; O 0 0 2.0", 2),
    "C2 1.24": ("C 0 0 0; C 0 0 1.24", 2),
    "C2 1.8": ("C 0 0 0; C 0 0 1.8", 2),
    "C2 2.4": ("C 0 0 0; C 0 0 2.4", 2),
}
"""Atoms (angstrom), and how many orbitals are frozen."""


def eigenvalues(field, frozen: int) -> np.ndarray:
    """Give the lowest eigenvalues of the matrix over all determinants, hartree."""
    mol, orbitals = field.mol, field.mo_coeff[:, frozen:]
    inner = field.mo_coeff[:, :frozen]
    density = 2.0 * inner @ inner.T
    core = field.get_hcore()
    coulomb = field.get_veff(mol, density) if frozen else np.zeros_like(core)
    constant = mol.energy_nuc() + np.vdot(density, core + 0.5 * coulomb)
    one = orbitals.T @ (core + coulomb) @ orbitals
    count, pairs = orbitals.shape[1], (mol.nelectron - 2 * frozen) // 2
    two = ao2mo.restore(1, ao2mo.full(mol, orbitals), count)
    determinants = fci.cistring.num_strings(count, pairs) ** 2
    _, matrix = fci.direct_spin1.pspace(one, two, count, (pairs, pairs), np=determinants)
    return constant + np.linalg.eigvalsh(matrix)[: max(ROOTS)]


def main() -> None:
    runs = missed = 0
    for name in sys.argv[1:] or MOLECULES:
        atoms, frozen = MOLECULES[name]
        field = scf.RHF(gto.M(atom=atoms, basis="sto-3g", verbose=0)).run()
        expected = eigenvalues(field, frozen)
        active = (field.mol.nelectron - 2 * frozen, field.mol.nao - frozen)
        for roots in ROOTS:
            states = mrci.MRCI(field, active, roots, frozen=frozen, max_cycle=200).run()
            difference = np.abs(np.atleast_1d(states.e_tot) - expected[:roots]).max()
            runs, missed = runs + 1, missed + (difference > CLOSE)
            print(f"{name:8s} {roots} roots: largest difference {difference:.1e}", flush=True)
    print(f"{missed} of {runs} runs miss a state")


if __name__ == "__main__":
    main()
