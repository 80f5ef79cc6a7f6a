"""Derivatives of the two-electron energy against PySCF's, for all kinds of densities."""

import atoll
import numpy as np
import pytest
from atoll.chem.fock import Density
from atoll.chem.gradients.two_electron import direct_gradient
from atoll.chem.integrals.blocked_basis import BlockedBasis
from pyscf import scf

WATER = "O 0 0 0; H 0 0.3 1; H 0.2 1 0"
PEROXIDE = "O 0 0.7 0; O 0 -0.7 0.1; H 0.8 0.9 0.4; H -0.8 -0.9 0.4"


def distributed(basis, matrix):
    array = basis.matrix("density")
    if basis.group.rank == 0:
        array[...] = matrix
    basis.group.sync()
    return Density(array)


def expected_gradient(mole, densities, coulomb, exchange):
    """Contract PySCF's derivatives of (ij|kl), all of them, with the densities."""
    derivatives = mole.intor("int2e_ip1", comp=3)
    total = sum(densities)
    by_function = -2.0 * coulomb * np.einsum("xijkl,ij,kl->xi", derivatives, total, total)
    for density in densities:
        by_function += (
            2.0
            * exchange
            * np.einsum("xijkl,ik,jl->xi", derivatives, density, density, optimize=True)
        )
    slices = mole.aoslice_by_atom()[:, 2:]
    return np.array([by_function[:, first:end].sum(1) for first, end in slices])


@pytest.mark.parametrize(
    ("weights", "omega"),
    [((1.0, 0.5), 0.0), ((1.0, 0.0), 0.0), ((0.0, 1.0), 0.4), ((1.0, 0.5), -0.4)],
)
def test_the_gradient_is_that_of_all_integrals(world, molecule, symmetric_matrix, weights, omega):
    mole = molecule(WATER, "6-31g**").mole
    basis = BlockedBasis(mole, world)
    density = symmetric_matrix(mole.nao)
    gradient = direct_gradient(basis, [distributed(basis, density)], *weights, omega=omega)
    with mole.with_range_coulomb(omega):
        expected = expected_gradient(mole, [density], *weights)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(gradient.sum(0), 0.0, atol=1e-8)


def test_spin_densities_share_one_coulomb_energy(world, molecule, symmetric_matrix):
    mole = molecule("C 0 0 0; H 0 0 1.1; O 1 0 0.2", "6-31g*", 1).mole
    basis = BlockedBasis(mole, world)
    spins = [symmetric_matrix(mole.nao, seed) for seed in range(2)]
    gradient = direct_gradient(basis, [distributed(basis, spin) for spin in spins], 1.0, 0.7)
    expected = expected_gradient(mole, spins, 1.0, 0.7)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("unrestricted", [False, True])
def test_the_gradient_of_hartree_fock_is_that_of_pyscf(world, molecule, unrestricted):
    mole = molecule(PEROXIDE, "6-31g*").mole
    field = (scf.UHF if unrestricted else scf.RHF)(mole).run(conv_tol=1e-11)
    density = np.asarray(field.make_rdm1())
    theirs = field.nuc_grad_method()
    potential = np.asarray(theirs.get_veff(mole, density))
    expected = np.zeros((mole.natm, 3))
    for atom, (_, _, first, end) in enumerate(mole.aoslice_by_atom()):
        expected[atom] = 2.0 * np.einsum(
            "sxij,sij->x" if unrestricted else "xij,ij->x",
            potential[..., first:end, :],
            density[..., first:end, :],
        )
    basis = BlockedBasis(mole, world)
    spins = density if unrestricted else [density]
    densities = [distributed(basis, spin) for spin in spins]
    gradient = direct_gradient(basis, densities, 1.0, 1.0 if unrestricted else 0.5)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-8)


def test_atoms_with_core_potentials_are_like_others(world, molecule, symmetric_matrix):
    mole = molecule("I 0 0 0; Cl 0 0 2.3; H 1 0 0", "lanl2dz", 1).mole
    basis = BlockedBasis(mole, world)
    density = symmetric_matrix(mole.nao)
    gradient = direct_gradient(basis, [distributed(basis, density)], 1.0, 0.5)
    expected = expected_gradient(mole, [density], 1.0, 0.5)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-8)


def test_an_atom_alone_and_no_density_have_no_gradient(world, molecule, symmetric_matrix):
    mole = molecule("Ne 0 0 0", "cc-pvdz").mole
    basis = BlockedBasis(mole, world)
    density = distributed(basis, symmetric_matrix(mole.nao))
    assert np.all(direct_gradient(basis, [density], 1.0, 0.5) == 0.0)
    assert np.all(direct_gradient(basis, [Density(basis.matrix("zero"))], 1.0, 0.5) == 0.0)


def test_bad_arguments_raise_on_all_ranks(world, molecule):
    mole = molecule("He 0 0 0; He 0 0 2", "sto-3g").mole
    basis = BlockedBasis(mole, world)
    density = distributed(basis, np.eye(2))
    with pytest.raises(ValueError, match="screening is -1"):
        direct_gradient(basis, [density], 1.0, 0.5, screening=-1.0)
    with pytest.raises(ValueError, match="densities is empty"):
        direct_gradient(basis, [], 1.0, 0.5)
    with pytest.raises(ValueError, match=r"densities\[0\].matrix is of shape"):
        direct_gradient(basis, [Density(atoll.zeros((3, 3)))], 1.0, 0.5)
    with pytest.raises(ValueError, match="densities have an element"):
        direct_gradient(basis, [distributed(basis, np.diag([1.0, np.nan]))], 1.0, 0.5)
