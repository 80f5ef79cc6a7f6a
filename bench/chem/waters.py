"""Water molecules on a grid, and orbitals as good as any for timing: of the core Hamiltonian."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

SPACING = 2.9  # angstrom
WATER = (("O", (0.0, 0.0, 0.0)), ("H", (0.76, 0.59, 0.0)), ("H", (-0.76, 0.59, 0.0)))


def waters(count: int, basis: str = "cc-pvdz") -> Any:
    """Make PySCF's `Mole` of so many molecules; 24 functions each in cc-pVDZ."""
    from pyscf import gto

    side = int(np.ceil(count ** (1 / 3)))
    atoms = []
    for number in range(count):
        corner = np.array([number % side, number // side % side, number // side**2]) * SPACING
        atoms += [(symbol, corner + np.array(place)) for symbol, place in WATER]
    return gto.M(atom=atoms, basis=basis, verbose=0)


def mean_field(mole: Any) -> Any:
    """Give what MP2 reads of a mean field; the gap is opened so that energies are of this world."""
    import scipy.linalg

    core = mole.intor("int1e_kin") + mole.intor("int1e_nuc")
    energies, orbitals = scipy.linalg.eigh(core, mole.intor("int1e_ovlp"))
    occupied = mole.nelectron // 2
    energies[occupied:] += 2 - energies[occupied]
    energies[:occupied] -= energies[occupied - 1] + 0.5
    occupations = np.zeros(len(energies))
    occupations[:occupied] = 2
    return SimpleNamespace(
        mol=mole,
        mo_coeff=orbitals,
        mo_energy=energies,
        mo_occ=occupations,
        e_tot=0.0,
        converged=True,
        stdout=None,
        verbose=0,
    )
