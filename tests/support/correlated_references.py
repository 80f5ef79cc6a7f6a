"""Energies of coupled cluster by PySCF, for tests: `python correlated_references.py` computes them.

They lie beside this file as JSON: of each molecule the energy of the mean field, of CCSD and of
(T), in hartree, with PySCF's version. Molecules are small and none has a doubtful mean field.
"""

import json
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")
MOLECULES = {  # atoms in angstrom, basis, unpaired electrons, charge, frozen orbitals
    "water": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "6-31g*", 0, 0, 1),
    "ammonia": (
        "N 0 0 0.1; H 0.94 0 -0.27; H -0.47 0.81 -0.27; H -0.47 -0.81 -0.27", "6-31g", 0, 0, 0,
    ),
    "methane": (
        "C 0 0 0; H 0.63 0.63 0.63; H -0.63 -0.63 0.63; H -0.63 0.63 -0.63; H 0.63 -0.63 -0.63",
        "sto-3g", 0, 0, 0,
    ),
    "hydrogen fluoride": ("H 0 0 0; F 0 0 0.92", "cc-pvdz", 0, 0, 1),
    "lithium hydride": ("Li 0 0 0; H 0 0 1.6", "6-311g**", 0, 0, 0),
    "boron hydride": ("B 0 0 0; H 0 0 1.23", "def2-svp", 0, 0, 1),
    "nitrogen": ("N 0 0 0; N 0 0 1.1", "6-31g", 0, 0, 2),
    "carbon monoxide": ("C 0 0 0; O 0 0 1.13", "sto-3g", 0, 0, 0),
    "formaldehyde": ("C 0 0 0; O 0 0 1.2; H 0 0.94 -0.59; H 0 -0.94 -0.59", "sto-3g", 0, 0, 2),
    "hydroxide": ("O 0 0 0; H 0 0 0.96", "6-31+g", 0, -1, 1),
    "neon": ("Ne 0 0 0", "aug-cc-pvdz", 0, 0, 1),
    "hydroxyl": ("O 0 0 0; H 0 0 0.97", "6-31g*", 1, 0, 1),
    "oxygen": ("O 0 0 0; O 0 0 1.2", "sto-3g", 2, 0, 0),
    "methylene": ("C 0 0 0; H 0 0.98 0.35; H 0 -0.98 0.35", "cc-pvdz", 2, 0, 1),
    "methyl": ("C 0 0 0; H 1.08 0 0; H -0.54 0.935 0; H -0.54 -0.935 0", "6-31g", 1, 0, 1),
    "amino": ("N 0 0 0; H 0 0.8 0.6; H 0 -0.8 0.6", "6-31g", 1, 0, 0),
    "imidogen": ("N 0 0 0; H 0 0 1.04", "def2-svp", 2, 0, 1),
    "beryllium hydride": ("Be 0 0 0; H 0 0 1.34", "6-311g**", 1, 0, 0),
    "nitrogen atom": ("N 0 0 0", "cc-pvdz", 3, 0, 0),
    "water cation": ("O 0 0 0; H 0 0 1.0; H 0.95 0 -0.3", "6-31g", 1, 1, 0),
    "formyl": ("C 0 0 0; O 0 0 1.18; H 0.95 0 -0.57", "sto-3g", 1, 0, 2),
    "lithium": ("Li 0 0 0", "aug-cc-pvdz", 1, 0, 0),
}  # fmt: skip


def mean_field(name):
    """PySCF's, converged."""
    from pyscf import gto, scf

    atoms, basis, spin, charge, _ = MOLECULES[name]
    mol = gto.M(atom=atoms, basis=basis, spin=spin, charge=charge, verbose=0)
    return (scf.UHF if spin else scf.RHF)(mol).run(conv_tol=1e-13)


def compute(name):
    """Energy of the mean field, of CCSD and of (T), in hartree."""
    from pyscf import cc

    mf = mean_field(name)
    found = cc.CCSD(mf, frozen=MOLECULES[name][-1])
    found.conv_tol, found.conv_tol_normt, found.max_cycle = 1e-11, 1e-8, 200
    found.run()
    assert mf.converged
    assert found.converged
    return [float(mf.e_tot), float(found.e_corr), float(found.ccsd_t())]


if __name__ == "__main__":
    import pyscf

    energies = {name: compute(name) for name in MOLECULES}
    FILE.write_text(json.dumps({"pyscf": pyscf.__version__, "energies": energies}, indent=1) + "\n")
