"""Gradients of fitted mean fields against PySCF's and differences of energies, any ranks."""

import atoll
import numpy as np
import pytest
from atoll.chem import dft, methods, scf
from atoll.chem.df import DF
from atoll.chem.fock.two_electron import Density
from atoll.chem.gradients.fitted import fitted_gradient
from atoll.chem.gradients.fitted_pairs import orbital_batches
from atoll.chem.molecules.options import Options
from pyscf import dft as pyscf_dft
from pyscf import gto
from pyscf import scf as pyscf_scf

WATER = {"atom": "O 0.1 0 0.118; H 0 0.755 -0.471; H 0 -0.755 -0.471", "basis": "6-31g*"}
AMINO = {"atom": "N 0 0 0; H 0.1 0.8 0.6; H 0 -0.8 0.62", "basis": "6-31g", "spin": 1}
HYDROXYL = {"atom": "O 0 0 0; H 0 0.2 0.95", "basis": "6-31g", "spin": 1}
FLUORIDE = {"atom": "F 0 0 0; H 0 0.1 0.9", "basis": "6-31g"}
IODIDE = {"atom": "I 0.1 0 0; H 0 0 1.609", "basis": "def2-svp", "ecp": "def2-svp"}

CASES = {
    "RHF": ("RHF", None, WATER, False),
    "core potential": ("RHF", None, IODIDE, False),
    "UHF": ("UHF", None, AMINO, False),
    "RHF, Coulomb alone": ("RHF", None, FLUORIDE, True),
    "UKS without exact exchange": ("UKS", "pbe", HYDROXYL, False),
    "hybrid": ("RKS", "b3lyp", FLUORIDE, False),
    "range-separated": ("RKS", "camb3lyp", FLUORIDE, False),
    "range-separated, unrestricted, Coulomb alone": ("UKS", "camb3lyp", HYDROXYL, True),
}


def converged(module, method, functional, mol, only_dfj):
    mf = getattr(module, method)(mol)
    if functional is not None:
        mf.xc, mf.grids.level = functional, 0
        if module is pyscf_dft:
            mf.small_rho_cutoff = 0
    return mf.density_fit(only_dfj=only_dfj).run(conv_tol=1e-12, conv_tol_grad=1e-8)


@pytest.mark.parametrize("case", CASES)
def test_the_gradient_is_that_of_pyscf(case, world):
    method, functional, subject, only_dfj = CASES[case]
    mol = gto.M(**subject, verbose=0)
    module, theirs = (scf, pyscf_scf) if functional is None else (dft, pyscf_dft)
    found = converged(module, method, functional, mol, only_dfj).nuc_grad_method().kernel()
    expected = None
    if world.rank == 0:
        reference = converged(theirs, method, functional, mol, only_dfj)
        expected = reference.nuc_grad_method().kernel()
    # Derivatives of exact integrals are screened, and those of energies need orbitals at rest.
    np.testing.assert_allclose(found, world.broadcast(expected), atol=3e-8)
    assert (world.reduce(found, "min") == world.reduce(found, "max")).all()


def test_the_gradient_is_the_difference_of_energies(world):
    mf = scf.RHF(gto.M(atom="Li 0 0 0; F 0 0.1 1.6", basis="6-31g", verbose=0))
    mf = mf.density_fit("weigend")
    mf.conv_tol = 1e-12
    scan, step = mf.as_scanner(), 1e-3
    positions = mf.mol.atom_coords()
    energies = []
    for sign in (1, -1):
        moved = positions.copy()
        moved[1, 2] += sign * step
        energies.append(scan(mf.mol.set_geom_(moved, unit="Bohr", inplace=False)))
    gradient = mf.run().Gradients().kernel()
    assert gradient[1, 2] == pytest.approx((energies[0] - energies[1]) / (2 * step), abs=1e-6)
    np.testing.assert_allclose(gradient.sum(axis=0), 0.0, atol=1e-10)


@pytest.fixture(scope="module")
def random_densities():
    """Two densities that no energy is stationary for, with their orbitals, and their basis."""
    mf = scf.RHF(gto.M(**FLUORIDE, verbose=0))
    rng = np.random.default_rng(5)
    made = []
    for occupied in (4, 3):
        orbitals = rng.normal(size=(mf.mol.nao, occupied)) / 3
        matrix = mf.basis.matrix("density")
        matrix.copy_from(atoll.from_numpy(orbitals @ orbitals.T))
        made.append(Density(matrix, atoll.from_numpy(orbitals)))
    return mf.basis, made


@pytest.mark.parametrize("omega", [0.0, 0.4])
def test_little_memory_means_batches_and_the_same_gradient(omega, random_densities, world):
    basis, densities = random_densities
    whole = fitted_gradient(basis, DF(basis.mole), densities, 0.7, 0.6, omega)
    for memory in (1, 20_000):
        fit = DF(basis.mole, memory=memory)
        found = fitted_gradient(basis, fit, densities, 0.7, 0.6, omega)
        np.testing.assert_allclose(found, whole, atol=1e-11)
    parts = [
        fitted_gradient(basis, DF(basis.mole), densities, *factors, omega)
        for factors in ((0.7, 0.0), (0.0, 0.6))
    ]
    np.testing.assert_allclose(sum(parts), whole, atol=1e-11)


def test_batches_of_pairs_fit_the_memory(world):
    for memory in (1, 1000, 8 * 50 * 7 * 4, 1 << 20):
        batches = orbital_batches(50, 9, 7, 2, memory)
        assert [i for batch in batches for i in range(9)[batch]] == list(range(9))
        for batch in batches:
            pairs = (batch.stop - batch.start) * 7
            assert 8 * 50 * pairs <= 2 * memory or batch.stop == batch.start + 1


def test_exchange_without_orbitals_is_refused(random_densities, world):
    basis, (density, _) = random_densities
    unknown = [Density(density.matrix)]
    fitted_gradient(basis, DF(basis.mole), unknown, 1.0, 0.0)  # Coulomb needs none
    with pytest.raises(ValueError, match=r"densities\[0\].orbitals is None"):
        fitted_gradient(basis, DF(basis.mole), unknown, 1.0, 0.5)


@pytest.mark.parametrize("method", ["hf", "pbe"])
def test_the_command_line_has_gradients_of_fitted_fields(method, world):
    mol = gto.M(**FLUORIDE, verbose=0)
    only_dfj = method == "pbe"
    fitted = {"fit_coulomb": True, "grid_level": 0} if only_dfj else {"density_fitting": True}
    options = Options(basis="6-31g", method=method, convergence=1e-11, **fitted)
    calculation = methods.calculation(mol, options, world)
    gradients = calculation.gradients()
    assert calculation.run().converged
    found = gradients.kernel()
    expected = None
    if world.rank == 0:
        kind = ("RKS", "pbe") if only_dfj else ("RHF", None)
        module = pyscf_dft if only_dfj else pyscf_scf
        reference = converged(module, *kind, mol, only_dfj)
        expected = reference.nuc_grad_method().kernel()
    np.testing.assert_allclose(found, world.broadcast(expected), atol=1e-6)
