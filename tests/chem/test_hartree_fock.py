"""Hartree-Fock against PySCF in the same process, to 1e-9 hartree, for any ranks and nodes."""

import numpy as np
import pytest
from atoll.chem import InputError, dft, scf
from atoll.chem.integrals.blocked_basis import BlockedBasis
from atoll.chem.integrals.one_electron import one_electron_integrals
from atoll.chem.self_consistency import orthonormal
from pyscf import gto
from pyscf import scf as pyscf_scf

WATER = "O 0 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161"
AMMONIUM = "N 0 0 0; H 0.59 0.59 0.59; H -0.59 -0.59 0.59; H -0.59 0.59 -0.59; H 0.59 -0.59 -0.59"
PHOSPHINE = "P 0 0 0.1; H 0 1.19 -0.66; H 1.03 -0.6 -0.66; H -1.03 -0.6 -0.66"
HYDROGENS = "; ".join(f"H {3.2 * i} 0 0; H {3.2 * i} 0.74 0" for i in range(8))
METHYL = "C 0 0 0; H 1.079 0 0; H -0.5395 0.9344 0; H -0.5395 -0.9344 0"
TITANIUM = "Ti 0 0 0; F 1.01 1.01 1.01; F -1.01 -1.01 1.01; F -1.01 1.01 -1.01; F 1.01 -1.01 -1.01"
CROWDED = "; ".join(f"H {0.6 * i} 0 0" for i in range(6))

# Atoms, basis, charge, unpaired electrons.
CASES = {
    "one atom, one block": ("He 0 0 0", "cc-pvtz", 0, 0),
    "water": (WATER, "cc-pvdz", 0, 0),
    "f functions": ("F 0 0 0; H 0 0 0.917", "cc-pvtz", 0, 0),
    "second row, d functions": (PHOSPHINE, "cc-pvdz", 0, 0),
    "second row, f functions": ("S 0 0 0.1; H 0 0.97 -0.83; H 0 -0.97 -0.83", "def2-tzvp", 0, 0),
    "third row": ("Br 0 0 0; H 0 0 1.414", "def2-svp", 0, 0),
    "second row, ionic, diffuse": ("Na 0 0 0; Cl 0 0 2.36", "6-31+g*", 0, 0),
    "anion": ("O 0 0 0; H 0 0 0.97", "aug-cc-pvdz", -1, 0),
    "cation": (AMMONIUM, "6-31g(d,p)", 1, 0),
    "triple bond": ("C 0 0 0; O 0 0 1.128", "6-311g*", 0, 0),
    "core potential": ("I 0 0 0; H 0 0 1.609", "def2-svp", 0, 0),
    "transition metal": (TITANIUM, "sto-3g", 0, 0),
    "112 functions": (HYDROGENS, "6-311++g**", 0, 0),
    "nearly dependent functions": (CROWDED, "aug-cc-pvdz", 0, 0),
    "radical": (METHYL, "cc-pvdz", 0, 1),
    "triplet": ("O 0 0 0; O 0 0 1.21", "6-31g*", 0, 2),
    "radical anion": ("N 0 0 0; H 0 0.8 0.6; H 0 -0.8 0.6", "6-31+g*", -1, 0),
    "atom with one electron": ("H 0 0 0", "cc-pvtz", 0, 1),
}


def make_mole(atoms, basis, charge=0, spin=0):
    return gto.M(
        atom=atoms, basis=basis, ecp=basis if "I " in atoms else {}, charge=charge, spin=spin,
        verbose=0,
    )  # fmt: skip


def pyscf_energy(world, kind, mole):
    """PySCF's energy with stored integrals, from rank 0."""
    energy = 0.0
    if world.rank == 0:
        calculation = kind(mole)
        calculation.conv_tol, calculation.conv_tol_grad = 1e-12, 1e-7
        energy = calculation.kernel()
        assert calculation.converged
    return float(world.broadcast(energy))


@pytest.mark.parametrize("case", CASES)
def test_the_energy_is_that_of_pyscf(case, world):
    mole = make_mole(*CASES[case])
    closed = mole.spin == 0
    field = (scf.RHF if closed else scf.UHF)(mole).run()
    assert field.converged
    theirs = pyscf_energy(world, pyscf_scf.RHF if closed else pyscf_scf.UHF, mole)
    assert field.e_tot == pytest.approx(theirs, abs=1e-9)
    components = field.solution.effective.components
    assert sum(components.values()) == pytest.approx(field.e_tot, abs=1e-10)
    # Equal on every rank, to the last bit.
    assert world.reduce(field.e_tot, "min") == world.reduce(field.e_tot, "max")


def test_orbitals_and_densities_are_those_of_pyscf(world):
    mole = make_mole(WATER, "6-31g")
    field = scf.RHF(mole).run(conv_tol=1e-12)
    theirs = pyscf_scf.RHF(mole).run(conv_tol=1e-13)
    np.testing.assert_allclose(field.mo_energy, theirs.mo_energy, atol=1e-6)
    np.testing.assert_array_equal(field.mo_occ, theirs.mo_occ)
    np.testing.assert_allclose(field.make_rdm1(), theirs.make_rdm1(), atol=1e-6)
    np.testing.assert_allclose(np.abs(field.mo_coeff), np.abs(theirs.mo_coeff), atol=1e-5)
    np.testing.assert_allclose(field.get_ovlp(), theirs.get_ovlp(), atol=1e-12)
    np.testing.assert_allclose(field.get_hcore(), theirs.get_hcore(), atol=1e-10)
    summary = {name: theirs.scf_summary[name] for name in ("nuc", "e1", "e2")}
    for name, value in summary.items():
        assert field.scf_summary[name] == pytest.approx(value, abs=1e-5)


def test_a_spin_square_is_that_of_pyscf(world):
    mole = make_mole(METHYL, "6-31g", spin=1)
    theirs = pyscf_scf.UHF(mole).run(conv_tol=1e-12).spin_square()
    found = scf.UHF(mole).run(conv_tol=1e-11).spin_square()
    np.testing.assert_allclose(found, theirs, atol=1e-5)


def test_a_broken_symmetry_is_found_where_pyscf_finds_it_and_kept_by_those_who_ask(world):
    mole = make_mole("H 0 0 0; H 0 0 2.5", "6-31g")
    restricted = scf.RHF(mole).run().e_tot
    alike = scf.UHF(mole).run(init_guess_breaksym=False)
    assert alike.e_tot == pytest.approx(restricted, abs=1e-8)
    assert scf.UHF(mole).run().e_tot == pytest.approx(pyscf_scf.UHF(mole).run().e_tot, abs=1e-7)
    broken = scf.UHF(mole).run(init_guess_breaksym="atom")
    assert broken.e_tot < restricted - 0.1
    assert broken.spin_square()[0] == pytest.approx(1.0, abs=0.05)


def test_nearly_dependent_functions_are_left_out(world):
    field = scf.RHF(make_mole(CROWDED, "aug-cc-pvdz")).run()
    assert field.orthonormal.removed == 2
    assert field.converged
    assert field.mo_energy.shape == (field.mol.nao - 2,)


@pytest.mark.parametrize(
    "settings",
    [
        {"init_guess": "atom"},
        {"init_guess": "huckel"},
        {"init_guess": "vsap"},
        {"init_guess": "1e", "max_cycle": 100},
        {"level_shift": 0.3, "max_cycle": 100},
        {"damp": 0.3},
        {"diis": "adiis"},
        {"diis": False, "max_cycle": 100},
        {"diis_start_cycle": 4, "diis_space": 4},
    ],
    ids=str,
)
def test_every_way_to_begin_and_to_go_on_ends_at_the_same_energy(world, settings):
    mole = make_mole("O 0 0 0; H 0 0 1; H 0 1 0", "sto-3g")
    field = scf.RHF(mole).run(**settings)
    assert field.converged
    assert field.e_tot == pytest.approx(pyscf_energy(world, pyscf_scf.RHF, mole), abs=1e-8)


def test_a_hard_case_converges_by_adiis(world):
    mole = make_mole("Cr 0 0 0; Cr 0 0 2.0", "sto-3g")
    field = scf.RHF(mole).run(diis="adiis", max_cycle=150, conv_tol=1e-8)
    assert field.converged


def test_smeared_occupations_are_those_of_pyscf(world):
    mole = make_mole("Li 0 0 0; Li 0 0 5", "6-31g")
    theirs = pyscf_scf.addons.smearing(pyscf_scf.RHF(mole), sigma=0.02, method="fermi")
    theirs.run(conv_tol=1e-12)
    field = scf.RHF(mole).run(smearing=0.02)
    assert field.converged
    for name in ("e_tot", "e_free", "e_zero"):
        assert getattr(field, name) == pytest.approx(getattr(theirs, name), abs=1e-7)
    np.testing.assert_allclose(field.mo_occ, theirs.mo_occ, atol=1e-5)
    assert field.mo_occ.sum() == pytest.approx(6.0, abs=1e-10)


def test_a_density_is_gone_on_from(world):
    mole = make_mole(WATER, "6-31g")
    density = scf.RHF(mole).run().make_rdm1()
    again = scf.RHF(mole)
    again.kernel(density)
    assert again.cycles <= 3
    with pytest.raises(ValueError, match="dm0 has shape"):
        again.kernel(density[:2])


def test_too_few_iterations_are_told(world, capsys):
    field = scf.RHF(make_mole(WATER, "sto-3g"))
    field.verbose = 3
    field.run(max_cycle=3)
    assert not field.converged
    assert field.cycles == 3
    assert ("SCF not converged" in capsys.readouterr().out) == (world.rank == 0)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"conv_tol": 0.0}, ValueError, "convergence is 0.0"),
        ({"max_cycle": -1}, ValueError, "max_cycle is -1"),
        ({"level_shift": (0.1, 0.2)}, ValueError, "level_shift is"),
        ({"damp": 1.0}, ValueError, "damping is 1.0"),
        ({"diis": "other"}, ValueError, "diis is 'other'"),
        ({"diis_space": 1}, ValueError, "diis_length is 1"),
        ({"init_guess": "other"}, ValueError, "init_guess is 'other'"),
        ({"init_guess": "chkfile"}, ValueError, "chkfile is None"),
        ({"restart_from": "no/such.chk"}, OSError, "such.chk"),
        ({"callback": print}, NotImplementedError, "callback"),
        ({"no_such_setting": 1}, AttributeError, "no setting 'no_such_setting'"),
    ],
    ids=str,
)
def test_wrong_settings_raise_on_every_rank(world, settings, error, message):
    with pytest.raises(error, match=message):
        scf.RHF(make_mole("He 0 0 0", "sto-3g")).run(**settings)


def test_what_pyscf_has_and_we_have_not_is_named(world):
    field = scf.RHF(make_mole("He 0 0 0", "sto-3g"))
    with pytest.raises(NotImplementedError, match=r"RHF\.newton of PySCF is not supported"):
        field.newton()
    with pytest.raises(AttributeError, match="no_such_method"):
        field.no_such_method()


def test_open_shells_are_for_unrestricted_fields(world):
    closed = dft.RKS(make_mole("He 0 0 0", "sto-3g"))
    closed.mol.spin, closed.mol.charge = 1, 1
    with pytest.raises(InputError, match="spin is 1, expected 0"):
        closed.run()
    assert isinstance(dft.RKS(make_mole("H 0 0 0", "sto-3g", spin=1)), dft.ROKS)
    assert isinstance(scf.RHF(make_mole("H 0 0 0", "sto-3g", spin=1)), scf.ROHF)
    assert isinstance(scf.HF(make_mole("H 0 0 0", "sto-3g", spin=1)), scf.UHF)


def test_ranks_with_other_molecules_are_told(world):
    if world.size == 1:
        pytest.skip("one rank agrees with itself")
    atoms = "H 0 0 0; H 0 0 0.74" if world.rank == 0 else "H 0 0 0; H 0 0 0.75"
    with pytest.raises(ValueError, match="another geometry"):
        scf.RHF(make_mole(atoms, "sto-3g"))
    with pytest.raises(RuntimeError, match="disagree"):
        scf.RHF(make_mole("He 0 0 0" if world.rank == 0 else "Ne 0 0 0", "sto-3g"))


def test_a_basis_too_small_raises_on_every_rank(world, molecule, monkeypatch):
    with pytest.raises(InputError, match="1 functions, too few for 4 electrons"):
        molecule("He 0 0 0", "sto-3g", -2)
    monkeypatch.setattr(orthonormal, "DEPENDENT", 10.0)  # as if all depended on each other
    with pytest.raises(InputError, match="only 0 independent functions for 5"):
        scf.RHF(make_mole(WATER, "sto-3g")).run()


def test_a_full_rebuild_of_the_fock_matrix_keeps_the_energy(world):
    mole = make_mole("Li 0 0 0; F 0 0 2.4", "6-31g*")  # stretched: slow to converge
    field = scf.RHF(mole).run(conv_tol=1e-13)
    assert field.converged
    assert field.cycles > 10
    assert field.e_tot == pytest.approx(pyscf_energy(world, pyscf_scf.RHF, mole), abs=1e-9)


def test_one_case_has_more_than_a_hundred_functions():
    assert make_mole(*CASES["112 functions"]).nao == 112


def test_a_part_of_the_ranks_computes(world):
    group = world.split(world.rank % 2)
    mole = make_mole(WATER, "sto-3g")
    field = scf.RHF(mole, group).run()
    assert field.e_tot == pytest.approx(pyscf_energy(world, pyscf_scf.RHF, mole), abs=1e-8)


@pytest.mark.parametrize(
    ("atoms", "basis"),
    [("H 0 0 0; O 0 0 1; F 0 1 0", "cc-pvdz"), ("I 0 0 0; Cl 0 0 2.3", "lanl2dz")],
)
def test_one_electron_integrals_are_those_of_pyscf(world, atoms, basis):
    mole = gto.M(atom=atoms, basis=basis, ecp=basis if "I " in atoms else {}, spin=None, verbose=0)
    integrals = one_electron_integrals(BlockedBasis(mole, world))
    core = pyscf_scf.hf.get_hcore(mole)
    np.testing.assert_allclose(integrals.core[...], core, atol=1e-11)
    np.testing.assert_allclose(integrals.kinetic[...], mole.intor("int1e_kin"), atol=1e-11)
    np.testing.assert_allclose(integrals.overlap[...], mole.intor("int1e_ovlp"), atol=1e-13)
