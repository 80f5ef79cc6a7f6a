"""Hartree-Fock energies against PySCF's, to 1e-9 hartree, for any number of ranks and nodes."""

import numpy as np
import pytest
from atoll.chem import InputError, hartree_fock
from atoll.chem.self_consistency import roothaan
from pyscf import scf

WATER = "O 0 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161"
AMMONIUM = "N 0 0 0; H 0.59 0.59 0.59; H -0.59 -0.59 0.59; H -0.59 0.59 -0.59; H 0.59 -0.59 -0.59"
PHOSPHINE = "P 0 0 0.1; H 0 1.19 -0.66; H 1.03 -0.6 -0.66; H -1.03 -0.6 -0.66"
HYDROGENS = "; ".join(f"H {3.2 * i} 0 0; H {3.2 * i} 0.74 0" for i in range(8))

CASES = {
    "one atom, one block": ("He 0 0 0", "cc-pvtz", 0),
    "water": (WATER, "cc-pvdz", 0),
    "f functions": ("F 0 0 0; H 0 0 0.917", "cc-pvtz", 0),
    "second row, d functions": (PHOSPHINE, "cc-pvdz", 0),
    "second row, f functions": ("S 0 0 0.1; H 0 0.97 -0.83; H 0 -0.97 -0.83", "def2-tzvp", 0),
    "second row, ionic, diffuse": ("Na 0 0 0; Cl 0 0 2.36", "6-31+g*", 0),
    "anion": ("O 0 0 0; H 0 0 0.97", "aug-cc-pvdz", -1),
    "cation": (AMMONIUM, "6-31g(d,p)", 1),
    "triple bond": ("C 0 0 0; O 0 0 1.128", "6-311g*", 0),
    "core potential": ("I 0 0 0; H 0 0 1.609", "def2-svp", 0),
    "112 functions": (HYDROGENS, "6-311++g**", 0),
}


def pyscf_energy(world, molecule):
    """PySCF's energy with stored integrals, from rank 0."""
    energy = 0.0
    if world.rank == 0:
        calculation = scf.RHF(molecule.mole)
        calculation.conv_tol, calculation.conv_tol_grad = 1e-12, 1e-7
        energy = calculation.kernel()
        assert calculation.converged
    return float(world.broadcast(energy))


@pytest.mark.parametrize("case", CASES)
def test_the_energy_is_that_of_pyscf(case, world, molecule):
    subject = molecule(*CASES[case])
    result = hartree_fock(subject)
    assert result.converged
    assert result.energy == pytest.approx(pyscf_energy(world, subject), abs=1e-9)
    assert sum(result.components.values()) == pytest.approx(result.energy, abs=1e-10)
    assert (result.ranks, result.nodes) == (world.size, world.nodes)
    # Equal on every rank, to the last bit.
    assert world.reduce(result.energy, "min") == world.reduce(result.energy, "max")


def test_one_case_has_more_than_a_hundred_functions(molecule):
    assert molecule(*CASES["112 functions"]).functions == 112


def test_a_full_rebuild_of_the_fock_matrix_keeps_the_energy(world, molecule):
    subject = molecule("Li 0 0 0; F 0 0 2.4", "6-31g*")  # stretched: slow to converge
    result = hartree_fock(subject, convergence=1e-13)
    assert result.converged
    assert len(result.iterations) > 10
    assert result.energy == pytest.approx(pyscf_energy(world, subject), abs=1e-9)


def test_orbital_energies_are_those_of_pyscf(world, molecule):
    subject = molecule(WATER, "6-31g")
    result = hartree_fock(subject)
    assert result.occupied == 5
    if world.rank == 0:
        calculation = scf.RHF(subject.mole).run(conv_tol=1e-12)
        np.testing.assert_allclose(result.orbital_energies, calculation.mo_energy, atol=1e-5)


def test_nearly_dependent_functions_are_left_out(world, molecule):
    subject = molecule("; ".join(f"H {0.6 * i} 0 0" for i in range(6)), "aug-cc-pvdz")
    result = hartree_fock(subject)
    assert result.converged
    assert result.removed == 2
    assert len(result.orbital_energies) == result.functions - 2
    assert result.energy == pytest.approx(pyscf_energy(world, subject), abs=1e-9)


def test_too_few_iterations_are_told(molecule):
    result = hartree_fock(molecule(WATER, "sto-3g"), max_iterations=3)
    assert not result.converged
    assert [iteration.number for iteration in result.iterations] == [1, 2, 3]


def test_wrong_options_raise_on_every_rank(molecule):
    subject = molecule("He 0 0 0", "sto-3g")
    for options in ({"convergence": 0.0}, {"max_iterations": 0}, {"screening": -1.0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            hartree_fock(subject, **options)


def test_a_basis_too_small_raises_on_every_rank(molecule, monkeypatch):
    with pytest.raises(InputError, match="1 functions, too few for 4 electrons"):
        molecule("He 0 0 0", "sto-3g", -2)
    monkeypatch.setattr(roothaan, "DEPENDENT", 10.0)  # as if all functions depended on each other
    with pytest.raises(InputError, match="only 0 independent functions for 5"):
        hartree_fock(molecule(WATER, "sto-3g"))
