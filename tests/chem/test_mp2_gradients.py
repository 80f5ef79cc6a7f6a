"""Gradients of RI-MP2 against differences of PySCF's energies, any number of ranks.

Atoms are moved along a line that no symmetry knows; so one number has all of the gradient in it.
"""

import numpy as np
import pytest
from atoll.chem import dft, methods, mp, scf
from atoll.chem.geometry.frequencies import frequencies
from atoll.chem.geometry.optimize import optimize
from atoll.chem.grad import SecondOrderGradients
from atoll.chem.molecules import InputError
from atoll.chem.molecules.options import Options
from pyscf import df, gto
from pyscf import scf as pyscf_scf
from pyscf.mp import dfmp2, dfump2

WATER = {"atom": "O 0 0 0; H 0 0.2 0.95; H 0.9 0 -0.3", "basis": "6-31g"}
FLUORIDE = {"atom": "F 0 0 0; H 0 0.1 0.95", "basis": "cc-pvdz"}
AMINO = {"atom": "N 0 0 0; H 0.1 0.8 0.6; H 0 -0.8 0.62", "basis": "6-31g", "spin": 1}
TRIPLET = {"atom": "H 0 0 0; H 0 0 1.1", "basis": "6-31g**", "spin": 2}
FIT = "weigend"
STEP = 4e-3

# Subject, how Hartree-Fock is fitted, frozen orbitals, shares of opposite and of equal spins.
CASES = {
    "plain": (FLUORIDE, None, 0, (1.0, 1.0)),
    "frozen core, scaled": (WATER, None, 1, (1.2, 1 / 3)),
    "fitted, opposite spins alone": (WATER, {}, 1, (1.3, 0.0)),
    "Coulomb fitted": (FLUORIDE, {"only_dfj": True}, 1, (1.0, 1.0)),
    "open shell": (AMINO, None, 1, (1.0, 1.0)),
    "open shell, fitted, scaled": (AMINO, {}, 0, (1.3, 0.6)),
    "no electron of the other spin": (TRIPLET, {}, 0, (1.0, 1.0)),
}


def mean_field_of(module, mol, fitted):
    mf = (module.RHF if mol.spin == 0 else module.UHF)(mol)
    if fitted is not None:
        mf = mf.density_fit("weigend", **fitted)
    return mf.run(conv_tol=1e-12, conv_tol_grad=1e-8)


def energy_of_pyscf(mol, fitted, frozen, shares):
    mf = mean_field_of(pyscf_scf, mol, fitted)
    kind = dfmp2.DFMP2 if mol.spin == 0 else dfump2.DFUMP2
    theirs = kind(mf, frozen=frozen or None)
    theirs.with_df = df.DF(mol, auxbasis=FIT)
    theirs.verbose = 0
    theirs.kernel(with_t2=False)
    return mf.e_tot + shares[0] * theirs.e_corr_os + shares[1] * theirs.e_corr_ss


def slope_of_pyscf(mol, direction, *method):
    """Differentiate along a line, to the fourth power of the step."""
    energies = []
    for factor in (-2, -1, 1, 2):
        positions = mol.atom_coords() + factor * STEP * direction
        moved = mol.set_geom_(positions, unit="Bohr", inplace=False)
        energies.append(energy_of_pyscf(moved, *method))
    return np.dot([1, -8, 8, -1], energies) / (12 * STEP)


@pytest.mark.parametrize("case", CASES)
def test_the_gradient_is_the_difference_of_pyscfs_energies(case, world):
    subject, fitted, frozen, shares = CASES[case]
    mol = gto.M(**subject, verbose=0)
    mf = mean_field_of(scf, mol, fitted)
    gradients = mp.DFMP2(mf, frozen, FIT).nuc_grad_method(*shares)
    found = gradients.kernel()
    direction = np.random.default_rng(11).normal(size=found.shape)
    expected = None
    if world.rank == 0:
        energy = energy_of_pyscf(mol, fitted, frozen, shares)
        slope = slope_of_pyscf(mol, direction, fitted, frozen, shares)
        expected = np.array([energy, slope])
    energy, slope = world.broadcast(expected)
    assert gradients.e_tot == pytest.approx(energy, abs=1e-8)
    assert np.vdot(found, direction) == pytest.approx(slope, abs=2e-7)
    np.testing.assert_allclose(found.sum(axis=0), 0.0, atol=1e-10)
    assert (world.reduce(found, "min") == world.reduce(found, "max")).all()


@pytest.fixture(scope="module")
def water():
    return mean_field_of(scf, gto.M(**WATER, verbose=0), {})


def test_the_gradient_of_some_memory_is_that_of_much(water):
    expected = mp.DFMP2(water).nuc_grad_method().kernel()
    with pytest.raises(InputError, match=r"memory is 1000 bytes a rank, expected \d+ or more"):
        mp.DFMP2(water, memory=1000).nuc_grad_method().kernel()
    found = mp.DFMP2(water, memory=200_000).nuc_grad_method().kernel()
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_a_scanner_gives_the_energy_with_correlation(water):
    scan = mp.DFMP2(water, 1).nuc_grad_method(1.2, 1 / 3).as_scanner()
    positions = water.mol.atom_coords() * 1.01
    energy, gradient = scan(water.mol.set_geom_(positions, unit="Bohr", inplace=False))
    again = mp.DFMP2(scan.base, 1).run()
    assert energy == scan.e_tot == pytest.approx(again.e_tot_scs, abs=1e-10)
    np.testing.assert_allclose(gradient, again.nuc_grad_method(1.2, 1 / 3).kernel(), atol=1e-10)


def test_geometries_and_vibrations_are_those_of_the_correlated_energy(world):
    mf = mean_field_of(scf, gto.M(atom="H 0 0 0; H 0 0 0.75", basis="sto-3g", verbose=0), {})
    mp2 = mp.DFMP2(mf)
    curvature = 0.0
    if world.rank == 0:
        energies = []
        for move in (-1e-2, 0.0, 1e-2):
            positions = mf.mol.atom_coords()
            positions[1, 2] += move
            moved = mf.mol.set_geom_(positions, unit="Bohr", inplace=False)
            energies.append(energy_of_pyscf(moved, {}, 0, (1.0, 1.0)))
        curvature = (energies[2] - 2 * energies[1] + energies[0]) / 1e-4
    expected = float(world.broadcast(curvature))
    assert frequencies(mp2).hessian[5, 5] == pytest.approx(expected, abs=1e-3)
    first = optimize(mp2, max_steps=1).steps[0]
    gradients = mp2.nuc_grad_method()
    np.testing.assert_allclose(first.gradient, gradients.kernel(), atol=1e-8)
    assert first.energy == pytest.approx(gradients.e_tot, abs=1e-9)


def test_the_command_line_scales_and_freezes(world):
    mol = gto.M(**WATER, verbose=0)
    options = Options(
        basis="6-31g", method="scs-ri-mp2", density_fitting=True, auxiliary_basis="weigend",
        frozen_core=True,
    )  # fmt: skip
    calculation = methods.calculation(mol, options, world)
    gradients = calculation.gradients()
    outcome = calculation.run()
    gradients.kernel()
    assert (gradients.frozen, gradients.opposite, gradients.same) == (1, 6 / 5, 1 / 3)
    assert gradients.e_tot == pytest.approx(outcome.energy, abs=1e-10)
    double = methods.calculation(mol, Options(basis="6-31g", method="b2plyp"), world)
    with pytest.raises(InputError, match="'b2plyp' has no gradient here"):
        double.gradients()


def test_what_is_not_there_is_refused_on_every_rank(water, world):
    theirs = pyscf_scf.RHF(water.mol)
    theirs.max_cycle = 1
    with pytest.raises(NotImplementedError, match=r"expected a mean field of atoll\.chem"):
        mp.DFMP2(theirs.run()).nuc_grad_method()
    with pytest.raises(NotImplementedError, match="density functionals"):
        SecondOrderGradients(dft.RKS(water.mol, "pbe"))
    with pytest.raises(NotImplementedError, match=r"frozen=\[1\]"):
        mp.DFMP2(water, [1]).nuc_grad_method()
    with pytest.raises(NotImplementedError, match="mo_coeff is not supported"):
        mp.DFMP2(water).nuc_grad_method().kernel(mo_coeff=np.eye(13))
