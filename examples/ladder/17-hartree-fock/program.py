"""Hartree-Fock in sixty lines.

Quartets of shells are shared out by a counter; each task fetches what it needs of the density,
computes integrals by PySCF, and accumulates into the Fock matrix, as the papers of the nineties
did it. `atoll energy` is the same with screening, symmetry and care.

Builds on: 03-counter. Next: 18-density-functional.
"""

import atoll
import numpy as np
from pyscf import gto

molecule = gto.M(atom="O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587", basis="sto-3g", verbose=0)
n, occupied = molecule.nao, molecule.nelectron // 2
shells = molecule.nbas
start = molecule.ao_loc_nr()
core = molecule.intor("int1e_kin") + molecule.intor("int1e_nuc")
overlap, vectors = np.linalg.eigh(molecule.intor("int1e_ovlp"))
orthogonal = vectors / np.sqrt(overlap)

density, fock = atoll.zeros((n, n)), atoll.zeros((n, n))


def two_electrons(i, j):
    """Give what the integrals (ij|kl), (ik|jl) of two shells add to rows of the Fock matrix."""
    quartets = molecule.intor(
        "int2e", shls_slice=(i, i + 1, 0, shells, j, j + 1, 0, shells)
    )  # (i k | j l)
    columns = slice(start[j], start[j + 1])
    coulomb = molecule.intor("int2e", shls_slice=(i, i + 1, j, j + 1, 0, shells, 0, shells))
    d = density[...]
    return columns, np.einsum("ijkl,kl->ij", coulomb, d) - 0.5 * np.einsum(
        "ikjl,kl->ij", quartets, d
    )


energy = 0.0
for _ in range(30):
    fock.fill(0.0)
    for task in atoll.Counter().below(shells * shells):
        i, j = divmod(task, shells)
        columns, block = two_electrons(i, j)
        fock.at[start[i] : start[i + 1], columns] += block
    atoll.sync()
    matrix, before = core + fock[...], energy
    energy = 0.5 * np.sum(density[...] * (core + matrix)) + molecule.energy_nuc()
    _, coefficients = np.linalg.eigh(orthogonal.T @ matrix @ orthogonal)
    taken = (orthogonal @ coefficients)[:, :occupied]
    atoll.sync()  # everybody has read the density
    if atoll.rank() == 0:
        density[...] = 2 * taken @ taken.T
    atoll.sync()
    if abs(energy - before) < 1e-9:
        break
if atoll.rank() == 0:
    print(f"energy {energy:.6f} hartree")
