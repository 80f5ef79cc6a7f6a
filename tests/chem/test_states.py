"""That what is found is the lowest state, the same on any ranks: against PySCF, and PySCF's FCI."""

import numpy as np
import pytest
from atoll import from_numpy
from atoll.chem import InputError, Molecule, mrci, scf
from atoll.chem.geometry.normal_modes import normal_modes
from atoll.chem.self_consistency.extrapolation import NEAR, Extrapolation, _smallest_error
from pyscf import gto
from pyscf import scf as pyscf_scf


def test_dependent_errors_are_combined_to_nothing():
    errors = np.array([1.0, 0.5])
    found = _smallest_error(np.outer(errors, errors))
    assert found.sum() == pytest.approx(1.0, abs=1e-14)
    assert found @ errors == pytest.approx(0.0, abs=1e-12)
    errors = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.25, 0.5]])  # more than there is room
    found = _smallest_error(errors @ errors.T)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(found @ errors, 0.0, atol=1e-10)


def test_the_error_is_the_smallest_of_the_bordered_system():
    errors = np.random.default_rng(1).normal(size=(4, 30)) * 10.0 ** -np.arange(4)[:, None]
    products = errors @ errors.T
    bordered = np.block([[products, np.ones((4, 1))], [np.ones((1, 4)), np.zeros((1, 1))]])
    expected = np.linalg.solve(bordered, [0, 0, 0, 0, 1])[:4]
    np.testing.assert_allclose(_smallest_error(products), expected, rtol=1e-6)


@pytest.mark.parametrize(("atom", "charge", "most"), [("H", 0, 6), ("He", 1, 6)])
def test_small_atoms_converge_at_once(world, atom, charge, most):
    mole = gto.M(atom=f"{atom} 0 0 0", basis="cc-pvdz", charge=charge, spin=1, verbose=0)
    field = scf.UHF(mole).run()
    assert field.cycles <= most
    assert field.e_tot == pytest.approx(pyscf_scf.UHF(mole).kernel(), abs=1e-8)


@pytest.mark.parametrize(("guess", "basis"), [("minao", "def2-svp"), ("huckel", "6-31g*")])
def test_errors_that_are_small_where_no_solution_is_are_left(world, guess, basis):
    mole = gto.M(atom="C 0 0 0; N 0 0 1.17", basis=basis, spin=1, verbose=0)
    field = scf.UHF(mole).run(init_guess=guess)
    expected = pyscf_scf.UHF(mole).run(conv_tol=1e-11)
    assert expected.converged
    assert field.converged
    assert field.e_tot == pytest.approx(expected.e_tot, abs=1e-8)


def test_going_on_by_energy_takes_what_is_kept_along(world):
    rng = np.random.default_rng(5)
    alone, switched = Extrapolation(4, by_energy=True), Extrapolation(4)
    for number in range(6):
        if number == 5:
            switched.go_by_energy(NEAR)
        matrices = rng.normal(size=(3, 5, 5))
        fock, density, error = (from_numpy(each + each.T) for each in matrices)
        found = [each.extrapolate([fock], [fock], [density], [error]) for each in (alone, switched)]
    np.testing.assert_allclose(found[0][0][:, :], found[1][0][:, :], rtol=1e-13)


@pytest.mark.parametrize(("atom", "spin"), [("Fe", 4), ("V", 3), ("Co", 3)])
def test_ions_end_where_the_energy_is_a_minimum(world, atom, spin):
    mole = gto.M(atom=f"{atom} 0 0 0", basis="def2-svp", charge=2, spin=spin, verbose=0)
    field = scf.UHF(mole).run(max_cycle=100)
    assert field.converged
    expected = {"Fe": -1261.47694, "V": -942.04960, "Co": -1380.40181}[atom]  # PySCF's newton()
    assert field.e_tot == pytest.approx(expected, abs=2e-5)
    assert field.solution.curvature > -1e-3
    assert field.stability_analysis()["internal"].eigenvalue > -1e-3


def test_saddles_can_be_told_of_or_passed_over(world):
    mole = gto.M(atom="H 0 0 0; H 0 0 2.2", basis="6-31g", verbose=0)
    symmetric = pyscf_scf.RHF(mole).run().e_tot
    told = scf.UHF(mole).run()  # both spins begin alike
    assert told.e_tot == pytest.approx(symmetric, abs=1e-8)
    assert told.solution.curvature < -0.05
    passed_over = scf.UHF(mole).run(saddles="ignore")
    assert passed_over.solution.curvature is None
    start = pyscf_scf.UHF(mole).init_guess_by_minao(mole, "mix")
    lowest = pyscf_scf.UHF(mole).run(start, conv_tol=1e-12).e_tot
    assert lowest < symmetric - 0.1
    assert scf.UHF(mole).run(saddles="follow").e_tot == pytest.approx(lowest, abs=1e-7)
    with pytest.raises(ValueError, match="saddles is 'no'"):
        scf.UHF(mole).run(saddles="no")


# All eigenvalues, by PySCF's full CI with as many roots as it takes.
STRETCHED = [
    ("N 0 0 0; N 0 0 2.5", (10, 8), 1, [-107.440409]),
    ("N 0 0 0; N 0 0 2.5", (10, 8), 2, [-107.440409, -107.439046]),
    ("C 0 0 0; C 0 0 1.8", (8, 8), 2, [-74.554190, -74.554190]),
    ("C 0 0 0; C 0 0 1.8", (8, 8), 4, [-74.554190, -74.554190, -74.545277, -74.529977]),
]


@pytest.mark.parametrize(("atoms", "active", "roots", "expected"), STRETCHED)
def test_no_state_of_a_stretched_bond_is_missed(world, atoms, active, roots, expected):
    mole = gto.M(atom=atoms, basis="sto-3g", verbose=0)
    states = mrci.MRCI(pyscf_scf.RHF(mole).run(), active, roots, frozen=2, max_cycle=200).run()
    np.testing.assert_allclose(np.atleast_1d(states.e_tot), expected, atol=2e-6)


def test_states_that_lie_close_to_each_other_are_told_apart(world):
    """One vector alone does not get on among four states within 3e-4 hartree."""
    mole = gto.M(atom="N 0 0 0; N 0 0 3.2", basis="sto-3g", verbose=0)
    states = mrci.MRCI(pyscf_scf.RHF(mole).run(), (10, 8), frozen=2).run()
    assert states.converged
    assert states.e_tot == pytest.approx(-107.43824268, abs=1e-8)  # of all eigenvalues, by LAPACK


def test_a_molecule_bent_by_rounding_keeps_its_vibrations():
    rng = np.random.default_rng(3)
    force = rng.normal(size=(9, 9))
    force = force @ force.T
    masses = np.array([16.0, 12.0, 16.0])
    for offset, expected in ((3e-6, 4), (1e-4, 4), (0.5, 3)):
        positions = np.array([[0, offset, -2.2], [0, 0, 0], [0, offset, 2.2]])
        assert len(normal_modes(force, masses, positions).wavenumbers) == expected


BASIS = 'BASIS "ao basis" PRINT\nH S\n {}\nEND\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BASIS.format("33.865"), "expected an exponent and its coefficients"),
        (BASIS.format("-1.0 1.0"), "exponent -1.0 is not above 0"),
        ("H 0\nS 1 1.0\n1.0 1.0\n****\n", "not of NWChem's format"),
    ],
)
def test_mistakes_in_a_basis_file_are_named(molecule, tmp_path, text, message):
    file = tmp_path / "own.basis"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        molecule("H 0 0 0; H 0 0 0.74", str(file))


def test_a_core_potential_that_leaves_too_few_electrons_is_told():
    with pytest.raises(InputError, match="beside core potentials"):
        Molecule.from_xyz("1\n\nSi 0 0 0\n", "lanl2dz", 5, 1)


def test_a_checkpoint_that_is_none_is_named(world, tmp_path):
    file = tmp_path / "bad.chk"
    file.write_text("nonsense\n")
    field = scf.RHF(gto.M(atom="He 0 0 0", basis="sto-3g", verbose=0))
    with pytest.raises(OSError, match=r"bad.chk is no checkpoint"):
        field.run(restart_from=str(file))
