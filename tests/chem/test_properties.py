"""Properties of densities against PySCF's, for any number of ranks and nodes."""

import numpy as np
import pytest
from atoll.chem import scf
from pyscf import gto
from pyscf import scf as pyscf_scf

WATER = "O 0 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161"
CLOSED = {
    "water": {"atom": WATER, "basis": "cc-pvdz"},
    "core potential": {"atom": "I 0.1 0.2 0; H 0 0 1.609", "basis": "def2-svp", "ecp": "def2-svp"},
    "anion": {"atom": "F 0 0 0; H 0.3 0 0.9; F 0.6 0 1.8", "basis": "6-31+g", "charge": -1},
}
RADICAL = {"atom": "O 0 0 0; H 0 0.2 0.95", "basis": "6-31g*", "spin": 1}
AT = [0.3, -0.2, 0.5]


@pytest.fixture(params=[*CLOSED, "radical"])
def subject(request):
    """A mean field, PySCF's of the same molecule, and the density as NumPy arrays."""
    if request.param == "radical":
        mol = gto.M(**RADICAL, verbose=0)
        mf, theirs = scf.UHF(mol), pyscf_scf.UHF(mol)
    else:
        mol = gto.M(**CLOSED[request.param], verbose=0)
        mf, theirs = scf.RHF(mol), pyscf_scf.RHF(mol)
    mf.run(conv_tol=1e-7)
    return mf, theirs, mf.make_rdm1()


def test_moments_are_those_of_pyscf(subject):
    mf, theirs, dm = subject
    np.testing.assert_allclose(mf.dip_moment(), theirs.dip_moment(dm=dm, verbose=0), atol=1e-10)
    for unit, origin in (("AU", None), ("Debye", AT)):
        expected = theirs.dip_moment(dm=dm, unit=unit, origin=origin, verbose=0)
        np.testing.assert_allclose(mf.dip_moment(unit=unit, origin=origin), expected, atol=1e-10)
    total = dm if dm.ndim == 2 else dm.sum(axis=0)
    for unit, origin in (("DebyeAngstrom", None), ("AU", AT)):
        expected = theirs.quad_moment(dm=total, unit=unit, origin=origin, verbose=0)
        np.testing.assert_allclose(mf.quad_moment(unit=unit, origin=origin), expected, atol=1e-10)


def test_mulliken_charges_are_those_of_pyscf(subject):
    mf, theirs, dm = subject
    population, charges = mf.mulliken_pop()
    expected, expected_charges = theirs.mulliken_pop(dm=dm, verbose=0)
    np.testing.assert_allclose(population, expected, atol=1e-10)
    np.testing.assert_allclose(charges, expected_charges, atol=1e-10)


def test_loewdin_charges_are_of_the_symmetrically_orthogonal_basis(subject):
    mf, _, dm = subject
    population, charges = mf.lowdin_pop()
    values, vectors = np.linalg.eigh(mf.mol.intor("int1e_ovlp"))
    root = vectors * np.sqrt(values) @ vectors.T
    expected = np.einsum("...ii->...i", root @ dm @ root)
    np.testing.assert_allclose(population, expected, atol=1e-10)
    assert charges.sum() == pytest.approx(mf.mol.charge, abs=1e-9)
    first = mf.mol.aoslice_by_atom()[0]
    of_first = expected.reshape(-1, mf.mol.nao)[:, first[2] : first[3]].sum()
    assert charges[0] == pytest.approx(mf.mol.atom_charge(0) - of_first, abs=1e-10)


def test_a_density_of_ones_own_is_taken(world):
    mol = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    mf = scf.RHF(mol)
    theirs = pyscf_scf.RHF(mol)
    guess = theirs.get_init_guess()
    expected = theirs.dip_moment(dm=guess, verbose=0)
    np.testing.assert_allclose(mf.dip_moment(mol, guess), expected, atol=1e-10)


def test_what_makes_no_sense_is_refused_on_every_rank(world):
    mol = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    mf = scf.RHF(mol)
    with pytest.raises(RuntimeError, match="no orbitals yet"):
        mf.dip_moment()
    with pytest.raises(ValueError, match="dm has shape"):
        mf.mulliken_pop(dm=np.zeros((2, 2)))
    density = np.eye(7)
    with pytest.raises(ValueError, match="unit is 'inch', expected 'Debye' or 'AU'"):
        mf.dip_moment(dm=density, unit="inch")
    with pytest.raises(ValueError, match="origin has shape"):
        mf.quad_moment(dm=density, origin=[0, 0])
    with pytest.raises(NotImplementedError, match="mol is another molecule"):
        mf.dip_moment(mol.copy(), density)
    with pytest.raises(NotImplementedError, match="overlap of one's own"):
        mf.lowdin_pop(dm=density, s=np.eye(7))
