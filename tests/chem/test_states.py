"""That what is found is the lowest state, the same on any ranks: against PySCF, and PySCF's FCI."""

import numpy as np
import pytest
from atoll.chem import mrci, scf
from atoll.chem.self_consistency.extrapolation import _smallest_error
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


@pytest.mark.parametrize(("atom", "spin"), [("Fe", 4), ("V", 3), ("Co", 3)])
def test_ions_end_where_the_energy_is_a_minimum(world, atom, spin):
    mole = gto.M(atom=f"{atom} 0 0 0", basis="def2-svp", charge=2, spin=spin, verbose=0)
    field = scf.UHF(mole).run(max_cycle=100)
    assert field.converged
    expected = {"Fe": -1261.47694, "V": -942.04960, "Co": -1380.40181}[atom]  # PySCF's newton()
    assert field.e_tot == pytest.approx(expected, abs=2e-5)
    assert field.solution.curvature > -1e-3
    assert field.stability()["internal"].eigenvalue > -1e-3


def test_saddles_can_be_told_of_or_passed_over(world):
    mole = gto.M(atom="Fe 0 0 0", basis="def2-svp", charge=2, spin=4, verbose=0)
    told = scf.UHF(mole).run(saddles="tell")
    assert told.e_tot == pytest.approx(-1261.31349, abs=1e-4)
    assert told.solution.curvature < -0.05
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
    states = mrci.MRCI(pyscf_scf.RHF(mole).run(), active, roots, frozen=2).run()
    np.testing.assert_allclose(np.atleast_1d(states.e_tot), expected, atol=2e-6)
