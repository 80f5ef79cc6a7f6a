"""Correlated calculations begun again with what a killed run has left, on other ranks."""

import os

import atoll
import numpy as np
import pytest
from atoll.chem import Molecule, cc, methods, mrci
from atoll.chem.correlation.coupled_cluster import checkpoints, triples_record
from atoll.chem.correlation.multireference import checkpoints as vector_checkpoints
from atoll.chem.correlation.multireference import start
from atoll.chem.molecules import InputError
from atoll.chem.molecules.options import checked
from pyscf import gto, scf

WATER = "3\n\nO 0 0 0\nH 0 0 0.96\nH 0.93 0 -0.24\n"
HYDROXYL = "2\n\nO 0 0 0\nH 0 0 0.97\n"
FROZEN = {"frozen_core": True}
pytestmark = pytest.mark.filterwarnings("ignore:.*large single amplitudes")


class Notes:
    """An observer that keeps what people are told."""

    def __init__(self):
        self.texts = []

    def note(self, text):
        self.texts.append(text)

    def tasks(self, done, total):
        pass

    iteration = note


def calculation(atoms=WATER, group=None, **options):
    spin = 1 if atoms is HYDROXYL else 0
    molecule = Molecule.from_xyz(atoms, options.get("basis", "6-31g"), 0, spin)
    options = checked({"basis": "6-31g", "method": "ccsd(t)", "convergence": 1e-10, **options})
    made = methods.calculation(molecule.mole, options, group or atoll.world())
    made.mean_field.observer = Notes()
    return made


@pytest.fixture
def file(world, tmp_path_factory):
    return str(world.broadcast(str(tmp_path_factory.mktemp("run") / "a.chk")))


@pytest.fixture
def first_rank(world):
    return world.split(0 if world.rank == 0 else -1)


def kill_at(monkeypatch, owner, name, count):
    """Have the call with this number end the run, after it has done what it is for."""
    original, calls = getattr(owner, name), []

    def call(*arguments, **options):
        found = original(*arguments, **options)
        calls.append(name)
        if len(calls) == count:
            raise RuntimeError(f"killed in {name}")
        return found

    monkeypatch.setattr(owner, name, call)


@pytest.fixture(scope="module")
def whole():
    """What comes of a calculation that nobody kills."""
    made = {}

    def make(atoms=WATER, **options):
        key = (atoms, str(options))
        if key not in made:
            made[key] = calculation(atoms, **options).run()
        return made[key]

    return make


PHASES = {  # atoms, what is called at the end of each step, how often before the kill
    "amplitudes": (WATER, checkpoints, "save", 5),
    "triples": (WATER, triples_record.Record, "put", 2),
    "triples of open shells": (HYDROXYL, triples_record.Record, "put", 2),
}


@pytest.mark.parametrize("phase", PHASES)
def test_killed_in_any_phase_it_goes_on_with_more_ranks(phase, whole, world, first_rank, file):
    atoms, owner, name, count = PHASES[phase]
    if first_rank is not None:
        options = {"chkfile": file, "checkpoint_interval": 0.0}
        killed = calculation(atoms, first_rank, **FROZEN, **options)
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, owner, name, count)
            with pytest.raises(RuntimeError, match=f"killed in {name}"):
                killed.run()
    world.sync()
    again = calculation(atoms, chkfile=file, **FROZEN)
    found = again.run()
    expected = whole(atoms, **FROZEN)
    assert again.mean_field.observer.texts[0] == f"goes on from {file}"
    assert again.mean_field.cycles == 1
    iterations = found.facts["amplitude_iterations"]
    if name == "save":
        assert 0 < iterations <= expected.facts["amplitude_iterations"] - 3
        assert found.energy == pytest.approx(expected.energy, abs=1e-9)
        return
    assert iterations == 0
    assert found.facts["triples_tasks_done_before"] == count
    assert found.facts["triples_tasks"] > count
    assert found.energy == pytest.approx(expected.energy, abs=1e-11)


def test_what_is_of_another_calculation_is_told_and_not_mixed(whole, file):
    calculation(chkfile=file, **FROZEN).run()
    with pytest.raises(InputError, match=r"amplitudes holds 4 occupied .* expected 5 of 13"):
        calculation(chkfile=file).run()
    fitted = {"density_fitting": True, **FROZEN}
    again = calculation(chkfile=file, **fitted)
    assert again.run().energy == pytest.approx(whole(**fitted).energy, abs=1e-9)
    text = f"{file}.triples is of other amplitudes or integrals: (T) is begun anew"
    assert text in again.mean_field.observer.texts
    other = calculation(chkfile=file, basis="sto-3g")
    found = other.run()
    text = f"{file} is of another molecule, basis, charge or spin: begun anew"
    assert other.mean_field.observer.texts[0] == text
    assert found.facts["triples_tasks_done_before"] == 0
    assert found.energy == pytest.approx(whole(basis="sto-3g").energy, abs=1e-9)


def test_a_file_that_is_no_checkpoint_is_refused(world, file):
    if world.rank == 0:
        with open(file, "w") as text:
            text.write("something else")
    world.sync()
    with pytest.raises(InputError, match=r"a.chk cannot be gone on from"):
        calculation(chkfile=file).run()


def test_semicanonical_orbitals_are_those_that_were_saved(world, first_rank, file):
    """Degenerate ones may come out turned in another run: those of amplitudes are taken."""
    mf = scf.ROHF(gto.M(atom="O 0 0 0; O 0 0 1.2", basis="sto-3g", spin=2, verbose=0))
    mf.run(conv_tol=1e-12)
    mf.mo_coeff = np.asarray(world.broadcast(np.ascontiguousarray(mf.mo_coeff)))
    mf.mo_coeff = mf.mo_coeff.reshape(10, 10)

    def uccsd(group, begun=None):
        ours = cc.UCCSD(mf, frozen=2, group=group)
        ours.conv_tol, ours.conv_tol_normt, ours.restart_from = 1e-9, 1e-7, begun
        return ours

    if first_rank is not None:
        first = uccsd(first_rank)
        first.checkpoint, first.triples_checkpoint = file, file + ".triples"
        first.run().ccsd_t()
        expected = first.e_tot + first.e_triples
    world.sync()
    turned = np.array(mf.mo_coeff)
    for first in np.flatnonzero(np.diff(mf.mo_energy) < 1e-8):  # pi and pi*
        pair = turned[:, first : first + 2]
        turned[:, first : first + 2] = pair @ np.array([[0.8, -0.6], [0.6, 0.8]])
    mf.mo_coeff = turned
    again = uccsd(world, file)
    again.triples_checkpoint = file + ".triples"
    again.run().ccsd_t()
    assert again.iterations == []
    assert again.triples.resumed == again.triples.tasks
    if first_rank is not None:
        assert again.e_tot + again.e_triples == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize(("store", "roots"), [("memory", 2), ("file", 1)])
def test_mrci_killed_goes_on_from_its_vectors(store, roots, world, first_rank, file, monkeypatch):
    monkeypatch.setattr(start, "DETERMINANTS", 40)  # else small cases are solved at once
    mol = gto.M(atom="C 0 0 0; H 0 0.99 0.33; H 0 -0.99 0.33", basis="sto-3g", spin=2, verbose=0)
    mf = scf.ROHF(mol).run(conv_tol=1e-12)
    folder, options = (
        file + ".vectors",
        {"roots": roots, "store": store, "scratch": os.path.dirname(file)},
    )

    def states(group, **more):
        return mrci.MRCI(mf, (2, 2), frozen=1, group=group, **options, **more)

    whole = states(world).run()
    if first_rank is not None:
        killed = states(first_rank)
        killed.checkpoint = folder
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, vector_checkpoints.Keeper, "keep", 5)
            with pytest.raises(RuntimeError, match="killed in keep"):
                killed.run()
    world.sync()
    again = states(world)
    again.restart_from = again.checkpoint = folder
    again.run()
    assert again.converged
    assert len(again.iterations) <= len(whole.iterations) - 3
    assert again.e_tot == pytest.approx(whole.e_tot, abs=1e-9)
    if store == "file":
        return
    finished = states(world)
    finished.restart_from = folder
    assert finished.run().e_tot == pytest.approx(again.e_tot, abs=1e-11)
    assert len(finished.iterations) == 1
    one = mrci.MRCI(mf, (2, 2), frozen=1)
    one.restart_from = folder
    with pytest.raises(ValueError, match=r"of another calculation: roots is 2, expected 1"):
        one.kernel()
    narrow = states(world, segment_bytes=70000)
    narrow.restart_from = folder
    with pytest.raises(ValueError, match=r"segment_bytes is 70000, expected \d+ as"):
        narrow.kernel()
    world.sync()
    if world.rank == 0:
        for name in ("0.vectors", "1.vectors"):
            with open(os.path.join(folder, name), "r+b") as vectors:
                vectors.write(b"damaged!")
    world.sync()
    with pytest.raises(OSError, match="damaged"):
        finished.kernel()


def test_mrci_on_the_command_line_goes_on_or_says_that_it_does_not(whole, file):
    options = {"method": "mrci", "basis": "sto-3g", "chkfile": file}
    first = calculation(active="2,2", **options).run()
    again = calculation(active="2,2", **options).run()
    assert again.facts["vector_iterations"] == 1
    assert again.energy == pytest.approx(first.energy, abs=1e-11)
    other = calculation(active="4,3", **options)
    found = other.run()
    assert any(
        "external orbitals is [4, 2, 1], expected [3, 3, 1]: begun anew" in str(text)
        for text in other.mean_field.observer.texts
    )
    expected = whole(active="4,3", method="mrci", basis="sto-3g")
    assert found.energy == pytest.approx(expected.energy, abs=1e-9)


def test_folders_without_a_checkpoint_are_neither_gone_on_from_nor_removed(world, file, whole):
    if world.rank == 0:
        os.mkdir(file + ".amplitudes")  # of a run that was killed while it saved
        os.mkdir(file + ".vectors")
        open(file + ".vectors/mine", "x").close()
    world.sync()
    made = calculation(chkfile=file)
    assert made.run().energy == pytest.approx(whole().energy, abs=1e-9)
    assert os.path.exists(file + ".vectors/mine")
