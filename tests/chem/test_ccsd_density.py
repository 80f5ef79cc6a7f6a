"""Multipliers, density and dipole moment of closed-shell CCSD, any number of ranks."""

import os
import warnings
from types import SimpleNamespace

import atoll
import numpy as np
import pytest
from atoll.chem import cc
from pyscf import cc as pyscf_cc
from pyscf import gto, scf

MOLECULES = {
    "water": ("O 0 0 0; H 0 0 0.96; H 0.93 0 -0.24", "6-31g", {}),
    "carbon monoxide": ("C 0 0 0; O 0 0 1.13", "sto-3g", {}),
    "lithium hydride": ("Li 0 0 0; H 0 0 1.6", "6-31g*", {"cart": True}),
    "hydrogen fluoride": ("H 0 0 0; F 0 0 0.92", "sto-3g", {}),
    "hydrogen": ("H 0 0 0; H 0 0 0.74", "cc-pvdz", {}),  # one pair of electrons
    "hydrogen, two orbitals": ("H 0 0 0; H 0 0 0.74", "sto-3g", {}),
}

pytestmark = pytest.mark.filterwarnings("ignore:CCSD. large single amplitudes")


@pytest.fixture(scope="module")
def mean_field():
    made = {}

    def make(name):
        if name not in made:
            atoms, basis, options = MOLECULES[name]
            mol = gto.M(atom=atoms, basis=basis, verbose=0, **options)
            made[name] = scf.RHF(mol).run(conv_tol=1e-13)
        return made[name]

    return make


def ccsd(mf, frozen=None, **options):
    ours = cc.CCSD(mf, frozen, **options)
    ours.conv_tol, ours.conv_tol_normt, ours.max_cycle = 1e-11, 1e-9, 100
    return ours


def compare_with_pyscf(ours, mf, frozen=None):
    """Compare on rank 0, which agrees with itself on the signs of orbitals."""
    l1, l2 = (array[...] for array in ours.solve_lambda())
    density, dipole = ours.make_rdm1(), ours.dip_moment()
    over_functions = ours.make_rdm1(ao_repr=True)
    assert ours.converged_lambda
    if atoll.rank() == 0:
        theirs = pyscf_cc.CCSD(mf, frozen=frozen)
        theirs.conv_tol, theirs.conv_tol_normt, theirs.max_cycle = 1e-11, 1e-9, 100
        theirs.kernel()
        theirs.solve_lambda()
        assert l1 == pytest.approx(theirs.l1, abs=1e-7)
        assert l2 == pytest.approx(theirs.l2, abs=1e-7)
        assert density == pytest.approx(theirs.make_rdm1(), abs=1e-7)
        expected = theirs.make_rdm1(ao_repr=True)
        assert over_functions == pytest.approx(expected, abs=1e-7)
        their_dipole = scf.hf.dip_moment(mf.mol, expected, verbose=0)
        assert dipole == pytest.approx(their_dipole, abs=1e-7)
    atoll.world().sync()


@pytest.mark.parametrize(
    ("name", "frozen"),
    [
        ("water", None),
        ("water", [0, 3, 12]),
        ("carbon monoxide", 2),
        ("lithium hydride", None),
        ("hydrogen", None),
        ("hydrogen, two orbitals", None),
    ],
)
def test_multipliers_density_and_dipole_are_those_of_pyscf(name, frozen, mean_field):
    mf = mean_field(name)
    compare_with_pyscf(ccsd(mf, frozen).run(), mf, frozen)


def test_orbitals_need_not_be_converged(mean_field):
    mf = scf.RHF(mean_field("carbon monoxide").mol)
    mf.max_cycle = 3
    mf.kernel()
    mf.converged = True  # for no warning
    assert (
        np.max(np.abs(mf.mo_coeff.T @ mf.get_fock() @ mf.mo_coeff - np.diag(mf.mo_energy))) > 1e-5
    )
    compare_with_pyscf(ccsd(mf).run(), mf)


def test_the_dipole_is_the_derivative_of_the_energy_in_a_field(mean_field):
    """With orbitals that do not feel the field, which the density has no response of."""
    mf = mean_field("hydrogen fluoride")
    position = mf.mol.intor("int1e_r")[2]
    energies = []
    for strength in (1e-3, -1e-3):
        field = SimpleNamespace(
            mol=mf.mol,
            mo_coeff=mf.mo_coeff,
            mo_energy=mf.mo_energy,
            mo_occ=mf.mo_occ,
            e_tot=mf.e_tot + strength * np.vdot(mf.make_rdm1(), position),
            get_hcore=lambda strength=strength: mf.get_hcore() + strength * position,
        )
        energies.append(ccsd(field).run().e_tot)
    electrons = -(energies[0] - energies[1]) / 2e-3
    nuclei = mf.mol.atom_charges() @ mf.mol.atom_coords()[:, 2]
    dipole = ccsd(mf).run().dip_moment(unit="AU")
    assert dipole == pytest.approx([0, 0, nuclei + electrons], abs=2e-6)
    uncorrelated = mf.dip_moment(unit="AU", verbose=0)[2]
    assert abs(dipole[2] - uncorrelated) > 1e-3


def test_natural_occupations_are_between_zero_and_two_and_all_electrons(mean_field):
    mf = mean_field("water")
    ours = ccsd(mf, frozen=1).run()
    occupations, orbitals = ours.make_natorbs()
    assert sum(occupations) == pytest.approx(10, abs=1e-9)
    assert list(occupations) == sorted(occupations, reverse=True)
    assert occupations[0] == pytest.approx(2, abs=1e-9)  # the frozen one
    assert min(occupations) > 0
    gram = orbitals.T @ mf.get_ovlp() @ orbitals
    assert gram == pytest.approx(np.eye(13), abs=1e-9)
    rebuilt = orbitals @ np.diag(occupations) @ orbitals.T
    assert rebuilt == pytest.approx(ours.make_rdm1(ao_repr=True), abs=1e-9)


def test_little_memory_and_freed_integrals_give_the_same(mean_field, world, tmp_path):
    mf = mean_field("water")
    folder = str(world.broadcast(str(tmp_path)))
    expected = ccsd(mf).run().make_rdm1()
    ours = ccsd(mf, memory=1, scratch=folder).run()
    ours.close()
    assert ours.make_rdm1() == pytest.approx(expected, abs=1e-8)
    assert ours.seconds["lambda"] > 0
    assert os.listdir(folder) == []


def test_a_second_call_goes_on_and_a_new_energy_begins_anew(mean_field):
    ours = ccsd(mean_field("hydrogen fluoride")).run()
    ours.max_cycle = 3
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        ours.solve_lambda()
    assert not ours.converged_lambda
    texts = " ".join(str(each.message) for each in found)
    assert ("multipliers of CCSD have not converged in 3" in texts) == (atoll.rank() == 0)
    step = ours.lambda_iterations[-1].step
    ours.max_cycle = 100
    ours.solve_lambda()
    assert ours.converged_lambda
    assert ours.lambda_iterations[0].step < step
    ours.kernel()
    assert ours.l1 is None
    assert not ours.converged_lambda


def test_each_rank_alone_finds_the_same(mean_field, world):
    mf = mean_field("hydrogen fluoride")
    together = ccsd(mf).run().make_rdm1()
    alone = world.split(colour=world.rank)
    assert ccsd(mf, group=alone).run().make_rdm1() == pytest.approx(together, abs=1e-8)


def test_nobody_to_correlate_leaves_the_density_of_the_mean_field(mean_field):
    mf = mean_field("hydrogen")
    ours = cc.CCSD(mf, frozen=1).run()
    assert ours.make_rdm1() == pytest.approx(np.diag(mf.mo_occ))
    assert ours.converged_lambda
    assert [array.shape for array in ours.solve_lambda()] == [(0, 9), (0, 0, 9, 9)]


def test_wrong_calls_are_told_on_all_ranks(mean_field):
    ours = cc.CCSD(mean_field("hydrogen"))
    with pytest.raises(RuntimeError, match="no amplitudes yet"):
        ours.solve_lambda()
    with pytest.raises(RuntimeError, match="no amplitudes yet"):
        ours.make_rdm1()
    ours.run()
    last = atoll.rank() == atoll.size() - 1
    with pytest.raises(ValueError, match="unit is 'eA'"):
        ours.dip_moment(unit="eA" if last else "Debye")
    with pytest.raises(ValueError, match="only one of l1 and l2"):
        ours.solve_lambda(l1=ours.t1)
    ours.max_cycle = -1 if last else 50
    with pytest.raises(ValueError, match="max_cycle is -1"):
        ours.solve_lambda()
    ours.max_cycle = 0 if last and atoll.size() > 1 else 50
    if atoll.size() > 1:
        for compute in (ours.solve_lambda, ours.kernel):
            with pytest.raises(RuntimeError, match="disagree"):
                compute()
    ours.max_cycle = 50
    assert np.trace(ours.make_rdm1()) == pytest.approx(2, abs=1e-9)
