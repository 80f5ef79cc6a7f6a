"""Gradients against PySCF's, part by part and whole, for any number of ranks and nodes."""

import numpy as np
import pytest
from atoll.chem import scf
from atoll.chem.gradients.nuclear import repulsion_gradient
from atoll.chem.gradients.one_electron import one_electron_gradient
from atoll.chem.gradients.weighted import weighted_density
from pyscf import gto
from pyscf import scf as pyscf_scf

WATER = "O 0.1 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161"
IODIDE = {
    "atom": "I 0.1 0.2 0; H 0 0 1.609; ghost-H 0.3 1 0",
    "basis": "def2-svp",
    "ecp": "def2-svp",
}


def one_electron_of_pyscf(theirs, dm, weighted):
    """Contract PySCF's derivative matrices."""
    gradients = theirs.nuc_grad_method()
    core, overlap = gradients.hcore_generator(), gradients.get_ovlp()
    expected = np.zeros((theirs.mol.natm, 3))
    for atom, (_, _, begin, end) in enumerate(theirs.mol.aoslice_by_atom()):
        expected[atom] = np.einsum("xij,ij->x", core(atom), dm)
        expected[atom] -= 2 * np.einsum("xij,ij->x", overlap[:, begin:end], weighted[begin:end])
    return expected


@pytest.mark.parametrize(
    "subject", [{"atom": WATER, "basis": "cc-pvdz"}, IODIDE], ids=["water", "core potential, ghost"]
)
def test_parts_of_nuclei_and_one_electron_are_those_of_pyscf(subject, world):
    mol = gto.M(**subject, verbose=0)
    mf, theirs = scf.RHF(mol), pyscf_scf.RHF(mol)
    np.testing.assert_allclose(
        repulsion_gradient(mol), theirs.nuc_grad_method().grad_nuc(), atol=1e-12
    )
    rng = np.random.default_rng(3)
    density, weighted = (rng.normal(size=(mol.nao, mol.nao)) for _ in range(2))
    density, weighted = density + density.T, weighted + weighted.T
    arrays = [mf.density_arrays(dm)[0].matrix for dm in (density, weighted)]
    found = one_electron_gradient(mf.basis, *arrays)
    expected = one_electron_of_pyscf(theirs, density, weighted)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-9)


def test_the_weighted_density_is_that_of_pyscf(world):
    mol = gto.M(atom="O 0 0 0; H 0 0.2 0.95", basis="6-31g*", spin=1, verbose=0)
    mf = scf.UHF(mol).run(conv_tol=1e-7)
    found = weighted_density(mf.basis, mf.orbitals, mf.mo_energy, mf.mo_occ)
    make = pyscf_scf.UHF(mol).nuc_grad_method().make_rdm1e
    expected = np.asarray(make(mf.mo_energy, mf.mo_coeff, mf.mo_occ)).sum(axis=0)
    np.testing.assert_allclose(found[...], expected, atol=1e-12)
