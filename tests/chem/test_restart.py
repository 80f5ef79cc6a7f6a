"""Checkpoints: written by one program, gone on from by the other, on any number of ranks."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import atoll
import numpy as np
import pytest
from atoll.chem import scf
from atoll.chem.integrals.blocked_basis import BlockedBasis
from atoll.chem.self_consistency import guess
from mpi_runs import PATIENCE, waits
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


def test_orbitals_of_other_exponents_are_projected_those_of_moved_atoms_go_along(world, chkfile):
    """Shells that look alike, as PySCF's `_bas` has them, are no sign of the same functions."""
    shells = gto.basis.load("6-31g", "H")
    wider = [[each[0], *([0.7 * exponent, c] for exponent, c in each[1:])] for each in shells]
    here = gto.M(atom="H 0 0 0; H 0 0 0.74", basis={"H": shells}, verbose=0)
    other = gto.M(atom="H 0 0 0; H 0 0 0.74", basis={"H": wider}, verbose=0)
    moved = gto.M(atom="H 0 0 0; H 0 0 0.9", basis={"H": shells}, verbose=0)
    assert np.array_equal(here._bas, other._bas)
    c = scf.RHF(other).run(chkfile=chkfile).mo_coeff[:, :1]
    overlap, mixed = here.intor("int1e_ovlp"), gto.intor_cross("int1e_ovlp", here, other)
    projected = np.linalg.solve(overlap, mixed @ c)
    found = guess.saved_state(chkfile, BlockedBasis(here, world), 1)
    assert found.densities[0].matrix[...] == pytest.approx(2 * projected @ projected.T, abs=1e-10)
    world.sync()
    c = scf.RHF(here).run(chkfile=chkfile).mo_coeff[:, :1]
    found = guess.saved_state(chkfile, BlockedBasis(moved, world), 1)
    assert found.densities[0].matrix[...] == pytest.approx(2 * c @ c.T, abs=1e-10)
    world.sync()


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


RUN_UNTIL_KILLED = f"""
import sys
import atoll
from atoll.chem import scf
from pyscf import gto
mole = gto.M(atom={METHYL!r}, basis="6-31g", spin=1, verbose=0)
field = scf.UHF(mole)
field.chkfile = sys.argv[1]
if atoll.rank() == 0:
    print("begins", flush=True)
field.conv_tol, field.conv_tol_grad, field.max_cycle = 1e-15, 1e-30, 1000
field.kernel()
"""
GO_ON = f"""
import sys
import atoll
from atoll.chem import scf
from pyscf import gto
mole = gto.M(atom={METHYL!r}, basis="6-31g", spin=1, verbose=0)
field = scf.UHF(mole).run(restart_from=sys.argv[1])
if atoll.rank() == 0:
    print(repr(field.e_tot))
"""


def on_ranks(ranks, program, file):
    mpiexec = Path(sys.executable).with_name("mpiexec")
    return [mpiexec, "-n", str(ranks), sys.executable, "-c", program, file]


def kill_all_that_name(file):
    """Kill launcher and ranks; what is between them ends with either."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(file).encode() in (process / "cmdline").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


def wait_for_a_checkpoint(run, file):
    """Until the run's first one is there; the calculation itself never ends."""
    for _ in waits(PATIENCE, moment=0.005):
        if file.exists():
            return
        assert run.poll() is None, f"the run ended by itself with status {run.returncode}"
    pytest.fail(f"no checkpoint in {PATIENCE} s")


@pytest.mark.skipif(atoll.size() > 1, reason="starts processes itself")
def test_killed_at_any_moment_it_restarts_on_another_number_of_ranks(tmp_path, plain_environment):
    """Twenty kills of one to three ranks: what is there is a checkpoint, or nothing.

    Every fourth comes whenever it comes after the start, the others among the iterations that
    write checkpoints, however slow the machine is.
    """
    one_node = plain_environment | {"OMP_NUM_THREADS": "1"}
    two_nodes = one_node | {"ATOLL_NODES": "2"}
    expected = scf.UHF(make_mole(METHYL, spin=1)).run().e_tot
    assert np.isfinite(expected)
    for kill in range(20):
        ranks = 1 + kill % 3
        file = tmp_path / f"killed-{kill}.chk"
        run = subprocess.Popen(
            on_ranks(ranks, RUN_UNTIL_KILLED, file),
            env=two_nodes if ranks > 1 else one_node,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert run.stdout.readline() == b"begins\n"
        if kill % 4 != 0:
            wait_for_a_checkpoint(run, file)
        time.sleep(0.05 * (kill % 7))
        kill_all_that_name(file)
        run.wait()
        run.stdout.close()
        if not file.exists():
            assert kill % 4 == 0, "a checkpoint that was there is lost"
            continue
        if ranks > 1:
            again = scf.UHF(make_mole(METHYL, spin=1)).run(restart_from=str(file)).e_tot
        else:
            again = float(subprocess.check_output(on_ranks(2, GO_ON, file), env=two_nodes))
        assert again == pytest.approx(expected, abs=1e-8)


def test_a_molecule_moved_in_place_is_computed_anew(world):
    mole = make_mole(basis="sto-3g")
    field = scf.RHF(mole).run()
    moved = make_mole("O 0 0 0.2; H 0 0.755453 -0.471161; H 0 -0.755453 -0.471161", "sto-3g")
    mole.set_geom_(moved.atom_coords(), unit="Bohr")
    assert field.run().e_tot == pytest.approx(scf.RHF(moved).run().e_tot, abs=1e-8)
