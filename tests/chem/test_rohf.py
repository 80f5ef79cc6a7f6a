"""ROHF against PySCF's: energies, levels, orbitals and files, on any number of ranks."""

import atoll
import numpy as np
import pytest
from atoll.chem import InputError, cc, grad, scf
from atoll.chem.pyscf_objects import from_pyscf
from atoll.chem.self_consistency import open_shells
from atoll.chem.self_consistency.orthonormal import Orbitals
from pyscf import gto
from pyscf import scf as pyscf_scf

CASES = {  # atoms, basis, unpaired electrons
    "radical": ("N 0 0 0; H 0 0.8 0.6; H 0 -0.8 0.6", "sto-3g", 1),
    "triplet": ("N 0 0 0; H 0 0 1.04", "6-31g", 2),
    "one electron": ("H 0 0 0", "6-31g", 1),
    "all of one spin": ("N 0 0 0", "6-31g", 3),
    "levels that change places": ("H 0 0 0; H 0 0.9 0.2; H 0 -0.9 0.3", "6-31g", 1),
}


def make_mole(name):
    atoms, basis, spin = CASES[name]
    return gto.M(atom=atoms, basis=basis, spin=spin, verbose=0)


def pyscf_rohf(mole):
    return pyscf_scf.rohf.ROHF(mole).run(conv_tol=1e-12)


@pytest.fixture
def file(world, tmp_path_factory):
    return str(world.broadcast(str(tmp_path_factory.mktemp("run") / "a.chk")))


@pytest.mark.parametrize("name", CASES)
def test_energy_levels_and_occupations_are_pyscfs(name):
    mole = make_mole(name)
    theirs, ours = pyscf_rohf(mole), scf.ROHF(mole).run(conv_tol=1e-11)
    assert ours.converged
    assert ours.e_tot == pytest.approx(theirs.e_tot, abs=1e-9)
    assert ours.mo_occ.tolist() == theirs.mo_occ.tolist()
    assert ours.mo_energy == pytest.approx(theirs.mo_energy, abs=1e-5)
    assert ours.make_rdm1().sum(axis=0) == pytest.approx(theirs.make_rdm1().sum(axis=0), abs=1e-5)
    assert ours.spin_square() == pytest.approx(theirs.spin_square())


def test_the_solution_is_found_in_other_ways_too():
    mole = make_mole("radical")
    expected = pyscf_rohf(mole).e_tot
    for settings in ({"diis": "adiis"}, {"level_shift": 0.3}, {"damp": 0.3}):
        assert scf.ROHF(mole).run(**settings).e_tot == pytest.approx(expected, abs=1e-8)
    fitted = pyscf_scf.rohf.ROHF(mole).density_fit().run(conv_tol=1e-12)
    assert scf.ROHF(mole).density_fit().run().e_tot == pytest.approx(fitted.e_tot, abs=1e-8)


def test_either_program_goes_on_from_the_others_file(world, file):
    mole = make_mole("radical")
    first = scf.ROHF(mole).run(chkfile=file)
    again = scf.ROHF(mole).run(restart_from=file)
    assert again.cycles == 1
    assert again.e_tot == pytest.approx(first.e_tot, abs=1e-10)
    if world.rank == 0:
        theirs = pyscf_scf.rohf.ROHF(mole)
        theirs.chkfile, theirs.init_guess = file, "chk"
        theirs.run()
        assert theirs.cycles <= 3
        assert theirs.e_tot == pytest.approx(first.e_tot, abs=1e-8)
    world.sync()
    third = scf.ROHF(mole).run(restart_from=file)
    assert third.cycles <= 3
    unrestricted = scf.UHF(mole).run(restart_from=file)
    assert unrestricted.e_tot == pytest.approx(pyscf_scf.UHF(mole).run().e_tot, abs=1e-8)


def test_orbitals_go_to_pyscf_and_back_and_to_coupled_cluster():
    mole = make_mole("radical")
    ours = scf.ROHF(mole).run(conv_tol=1e-11)
    theirs = ours.to_pyscf()
    assert theirs.energy_tot() == pytest.approx(ours.e_tot, abs=1e-8)
    back = from_pyscf(theirs)
    assert back.kernel() == pytest.approx(ours.e_tot, abs=1e-9)
    assert back.cycles <= 3
    expected = cc.CCSD(pyscf_rohf(mole)).run().e_tot
    assert cc.CCSD(ours).run().e_tot == pytest.approx(expected, abs=1e-7)


def test_a_scanner_gives_the_energy_of_another_geometry():
    scanner = scf.ROHF(make_mole("triplet")).run().as_scanner()
    moved = gto.M(atom="N 0 0 0; H 0 0 1.1", basis="6-31g", spin=2, verbose=0)
    assert scanner(moved) == pytest.approx(pyscf_rohf(moved).e_tot, abs=1e-8)
    assert scanner.base.cycles < scf.ROHF(moved).run().cycles


def test_an_open_shell_below_an_empty_one_in_roothaans_levels_comes_before_it(world):
    energies = np.array([-3.0, -2.0, -1.0, 0.5, 1.0])
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(5, 5)))[0]
    alpha = turn @ np.diag([-4.0, -3.0, 2.0, 1.5, -1.0]) @ turn.T
    orbitals = Orbitals(energies, atoll.from_numpy(turn, group=world))
    fock = atoll.from_numpy(alpha, group=world)
    ordered, occupations = open_shells.filled(orbitals, fock, (3, 2))
    assert occupations.tolist() == [2.0, 2.0, 1.0, 0.0, 0.0]
    assert ordered.energies.tolist() == [-3.0, -2.0, 1.0, -1.0, 0.5]
    assert ordered.coefficients[...] == pytest.approx(turn[:, [0, 1, 4, 2, 3]])
    world.sync()


def test_what_is_not_there_is_told():
    mole = make_mole("one electron")
    field = scf.ROHF(mole).run()
    with pytest.raises(NotImplementedError, match="gradients of ROHF"):
        field.nuc_grad_method()
    with pytest.raises(NotImplementedError, match="gradients of ROHF"):
        grad.Gradients(field)
    with pytest.raises(NotImplementedError, match="stability of ROHF"):
        field.stability()
    with pytest.raises(InputError, match=r"smearing is 0\.1, expected 0"):
        scf.ROHF(mole).run(smearing=0.1)
