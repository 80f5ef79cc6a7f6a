"""Gradients against PySCF's, part by part and whole, for any number of ranks and nodes."""

import numpy as np
import pytest
from atoll.chem import dft, scf
from atoll.chem.gradients.nuclear import repulsion_gradient
from atoll.chem.gradients.one_electron import one_electron_gradient
from atoll.chem.gradients.weighted import weighted_density
from pyscf import dft as pyscf_dft
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


WHOLE = {
    "RHF": ({"atom": WATER, "basis": "6-31g*"}, "RHF"),
    "core potential": (
        {"atom": "Br 0.1 0.2 0; H 0 0 1.45", "basis": "lanl2dz", "ecp": "lanl2dz"},
        "RHF",
    ),
    "UHF": ({"atom": "N 0 0 0; H 0.1 0.8 0.6; H 0 -0.8 0.62", "basis": "6-31g", "spin": 1}, "UHF"),
    "no electron of the other spin": (
        {"atom": "H 0 0 0; He 0 0 1.2", "basis": "6-31g", "charge": 2, "spin": 1},
        "UHF",
    ),
}


@pytest.mark.parametrize("case", WHOLE)
def test_the_gradient_is_that_of_pyscf(case, world):
    subject, method = WHOLE[case]
    mol = gto.M(**subject, verbose=0)
    mf = getattr(scf, method)(mol).run(conv_tol=1e-12, conv_tol_grad=1e-8)
    found = mf.nuc_grad_method().kernel()
    expected = None
    if world.rank == 0:
        theirs = getattr(pyscf_scf, method)(mol).run(conv_tol=1e-12, conv_tol_grad=1e-8)
        expected = theirs.nuc_grad_method().kernel()
    np.testing.assert_allclose(found, world.broadcast(expected), atol=2e-7)
    assert (world.reduce(found, "min") == world.reduce(found, "max")).all()


KOHN_SHAM = {
    "LDA": ("lda,vwn", {"atom": WATER, "basis": "6-31g"}, "RKS"),
    "GGA, radical": ("pbe", {"atom": "O 0 0 0; H 0 0.2 0.95", "basis": "6-31g", "spin": 1}, "UKS"),
    "hybrid": ("b3lyp", {"atom": "C 0 0 0; O 0 0.1 1.13", "basis": "6-31g*"}, "RKS"),
    "range-separated": ("camb3lyp", {"atom": "F 0 0 0; H 0 0.1 0.9", "basis": "6-31g"}, "RKS"),
}


@pytest.mark.parametrize("case", KOHN_SHAM)
def test_the_gradient_of_kohn_sham_is_that_of_pyscf(case, world):
    functional, subject, method = KOHN_SHAM[case]
    mol = gto.M(**subject, verbose=0)
    mf = getattr(dft, method)(mol)
    mf.xc, mf.grids.level = functional, 1
    mf.run(conv_tol=1e-11, conv_tol_grad=1e-7)
    found = mf.nuc_grad_method().kernel()
    expected = None
    if world.rank == 0:
        theirs = getattr(pyscf_dft, method)(mol)
        theirs.xc, theirs.grids.level, theirs.small_rho_cutoff = functional, 1, 0
        expected = theirs.run(conv_tol=1e-11, conv_tol_grad=1e-7).nuc_grad_method().kernel()
    np.testing.assert_allclose(found, world.broadcast(expected), atol=1e-6)


def test_the_gradient_is_the_difference_of_energies(world):
    mf = scf.RHF(gto.M(atom="Li 0 0 0; F 0 0.1 1.6", basis="6-31g", verbose=0))
    mf.conv_tol = 1e-11
    scan, step = mf.as_scanner(), 1e-3
    positions = mf.mol.atom_coords()
    energies = []
    for sign in (1, -1):
        moved = positions.copy()
        moved[1, 2] += sign * step
        energies.append(scan(mf.mol.set_geom_(moved, unit="Bohr", inplace=False)))
        assert scan.converged
    gradient = mf.run().Gradients().kernel()
    assert gradient[1, 2] == pytest.approx((energies[0] - energies[1]) / (2 * step), abs=1e-6)
    np.testing.assert_allclose(gradient.sum(axis=0), 0.0, atol=1e-8)


def test_a_scanner_gives_energy_and_gradient_from_the_orbitals_before(world):
    mf = scf.UHF(gto.M(atom="O 0 0 0; H 0 0.2 0.95", basis="6-31g", spin=1, verbose=0))
    mf.run(conv_tol=1e-10)
    scan = mf.nuc_grad_method().as_scanner()
    positions = mf.mol.atom_coords() * 1.01
    mol = mf.mol.set_geom_(positions, unit="Bohr", inplace=False)
    energy, gradient = scan(mol)
    assert scan.base.cycles < mf.cycles
    fresh = scf.UHF(mol).run(conv_tol=1e-10)
    assert energy == pytest.approx(fresh.e_tot, abs=1e-9)
    np.testing.assert_allclose(gradient, fresh.Gradients().kernel(), atol=1e-6)
    assert scan.e_tot == energy


def test_some_atoms_and_parts_are_given(world):
    gradients = scf.RHF(gto.M(atom=WATER, basis="sto-3g", verbose=0)).Gradients()
    whole = gradients.kernel()  # computes the mean field first
    assert gradients.base.converged
    assert set(gradients.components) == {"nuclear repulsion", "one-electron", "two-electron"}
    np.testing.assert_array_equal(gradients.kernel(atmlst=[2, 0]), whole[[2, 0]])


def test_what_is_not_there_is_refused_on_every_rank(world):
    mol = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    with pytest.raises(NotImplementedError, match="mo_coeff is not supported"):
        scf.RHF(mol).nuc_grad_method().kernel(mo_coeff=np.eye(7))
    with pytest.raises(AttributeError, match="no setting 'grid'"):
        scf.RHF(mol).nuc_grad_method().run(grid=3)
