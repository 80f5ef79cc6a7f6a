"""Checkpoints: written by one program, gone on from by the other, on any number of ranks."""

import subprocess
import sys
import time
from pathlib import Path

import atoll
import numpy as np
import pytest
from atoll.chem import scf
from pyscf import gto
from pyscf import scf as pyscf_scf

WATER = "O 0 0 0.11779; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161"
METHYL = "C 0 0 0; H 1.079 0 0; H -0.5395 0.9344 0; H -0.5395 -0.9344 0"


def make_mole(atoms=WATER, basis="6-31g", spin=0):
    return gto.M(atom=atoms, basis=basis, spin=spin, verbose=0)


@pytest.fixture
def chkfile(world, tmp_path_factory):
    """A file name that all ranks know."""
    return str(world.broadcast(str(tmp_path_factory.mktemp("chk") / "a.chk")))


@pytest.mark.parametrize(
    ("atoms", "spin"), [(WATER, 0), (METHYL, 1)], ids=["closed shells", "radical"]
)
def test_either_program_goes_on_from_the_others_file(world, chkfile, atoms, spin):
    mole = make_mole(atoms, spin=spin)
    ours, theirs = (scf.RHF, pyscf_scf.RHF) if spin == 0 else (scf.UHF, pyscf_scf.UHF)
    first = ours(mole)
    first.run(chkfile=chkfile)
    if world.rank == 0:
        second = theirs(mole)
        second.chkfile, second.init_guess = chkfile, "chk"
        second.kernel()
        assert second.cycles <= 3
        assert second.e_tot == pytest.approx(first.e_tot, abs=1e-8)
        second.chkfile = chkfile + ".pyscf"
        second.dump_chk({"e_tot": second.e_tot, "mo_energy": second.mo_energy,
                         "mo_occ": second.mo_occ, "mo_coeff": second.mo_coeff})  # fmt: skip
    world.sync()
    third = ours(mole).run(restart_from=chkfile + ".pyscf")
    assert third.cycles <= 3
    assert third.e_tot == pytest.approx(first.e_tot, abs=1e-8)


def test_a_calculation_broken_off_goes_on_to_the_same_energy(world, chkfile):
    mole = make_mole()
    whole = scf.RHF(mole).run()
    broken = scf.RHF(mole).run(max_cycle=4, chkfile=chkfile)
    assert not broken.converged
    again = scf.RHF(mole).run(restart_from=chkfile)
    assert again.converged
    assert again.cycles < whole.cycles
    assert again.e_tot == pytest.approx(whole.e_tot, abs=1e-8)


def test_orbitals_of_another_basis_and_other_spins_are_a_start(world, chkfile):
    scf.RHF(make_mole(basis="sto-3g")).run(chkfile=chkfile)
    larger = make_mole(basis="6-31g*")
    field = scf.UHF(larger).run(restart_from=chkfile)
    assert field.e_tot == pytest.approx(scf.RHF(larger).run().e_tot, abs=1e-8)


def test_a_file_that_cannot_be_written_or_read_is_told_on_every_rank(world, chkfile):
    field = scf.RHF(make_mole(basis="sto-3g"))
    with pytest.raises(OSError, match="no/where"):
        field.run(chkfile="no/where/a.chk")
    assert field.run(chkfile=None).converged
    if world.rank == 0:
        Path(chkfile).write_text("no checkpoint")
    world.sync()
    with pytest.raises(OSError):
        scf.RHF(make_mole(basis="sto-3g")).run(restart_from=chkfile)


@pytest.mark.skipif(atoll.size() > 1, reason="starts processes itself")
def test_whenever_it_is_killed_the_file_is_whole(tmp_path, plain_environment):
    """Twenty kills at moments spread over a run: what is there is a checkpoint, or nothing."""
    program = (
        "import sys; from pyscf import gto; from atoll.chem import scf;"
        f"mol = gto.M(atom='{METHYL}', basis='6-31g', spin=1, verbose=0);"
        "mf = scf.UHF(mol); mf.chkfile = sys.argv[1]; print('begins', flush=True);"
        "mf.conv_tol = 1e-15; mf.max_cycle = 1000; mf.conv_tol_grad = 1e-30; mf.kernel()"
    )
    expected = scf.UHF(make_mole(METHYL, spin=1)).run().e_tot
    file = tmp_path / "killed.chk"
    found = 0
    for kill in range(20):
        run = subprocess.Popen(
            [sys.executable, "-c", program, str(file)],
            env=plain_environment, stdout=subprocess.PIPE,
        )  # fmt: skip
        run.stdout.readline()
        time.sleep(0.1 + 0.07 * (kill % 7))
        run.kill()
        run.wait()
        run.stdout.close()
        if file.exists():
            found += 1
            again = scf.UHF(make_mole(METHYL, spin=1)).run(restart_from=str(file))
            assert again.e_tot == pytest.approx(expected, abs=1e-8)
    assert found > 0
    assert np.isfinite(expected)


def test_a_molecule_moved_in_place_is_computed_anew(world):
    mole = make_mole(basis="sto-3g")
    field = scf.RHF(mole).run()
    moved = make_mole("O 0 0 0.2; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161", "sto-3g")
    mole.set_geom_(moved.atom_coords(), unit="Bohr")
    assert field.run().e_tot == pytest.approx(scf.RHF(moved).run().e_tot, abs=1e-8)
