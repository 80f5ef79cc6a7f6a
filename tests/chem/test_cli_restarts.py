"""`atoll` stopped or killed, and the same command line given again."""

import json
import signal
import sys
from pathlib import Path

import atoll
import pytest
from atoll.chem import Molecule, methods
from atoll.chem.molecules.options import checked
from mpi_runs import finished

pytestmark = pytest.mark.skipif(
    atoll.size() > 1, reason="these tests start mpiexec themselves: one process is enough"
)

KILLED = """
import os, signal, sys
from atoll.chem.correlation.coupled_cluster.triples_record import Record
from atoll.cli import main
put, done = Record.put, []

def put_and_die(self, *task):
    put(self, *task)
    done.append(task)
    if len(done) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

Record.put = put_and_die
main(sys.argv[1:])
"""


def test_killed_in_the_middle_of_triples_the_same_command_line_goes_on(
    atoll_command, plain_environment, water, tmp_path
):
    target, file = tmp_path / "result.json", tmp_path / "water.chk"
    words = ["energy", water, "--basis", "6-31g", "--method", "ccsd(t)", "--chkfile", file]
    words += ["--checkpoint-interval", "0"]
    killed = finished([sys.executable, "-c", KILLED, *words], plain_environment)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert "Converged" not in killed.stdout
    done = atoll_command(*words, "--json", target, ranks=2, ATOLL_NODES="2")
    assert done.returncode == 0, done.stderr
    result = json.loads(target.read_text())
    assert len(result["iterations"]) == 1
    assert result["amplitude_iterations"] == 0
    assert result["triples_tasks_done_before"] == 2
    assert result["triples_tasks"] > 2
    assert f"goes on from {file}" in done.stdout
    options = checked({"basis": "6-31g", "method": "ccsd(t)"})
    molecule = Molecule.from_xyz(water.read_text(), "6-31g")
    whole = methods.calculation(molecule.mole, options, atoll.world()).run()
    assert result["energy"] == pytest.approx(whole.energy, abs=1e-11)


STOPPED = """
import os, signal, sys
import atoll
from atoll.chem.cc import RCCSD
from atoll.chem.correlation.coupled_cluster.triples_record import Record
from atoll.chem.correlation.multireference.davidson import Davidson
from atoll.chem.self_consistency.cycle import SelfConsistency
from atoll.cli import main

places = {
    "SCF": (SelfConsistency, "_build", 3),
    "amplitudes": (RCCSD, "_after", 2),
    "(T)": (Record, "put", 1),
    "vectors": (Davidson, "_extend", 2),
}
number, place = int(sys.argv[1]), sys.argv[2]
owner, name, at = places[place]
plain = getattr(owner, name)
calls = []

def counted(*given, **named):
    calls.append(place)
    # No other rank knows; but of (T) any rank may do all the tasks.
    if len(calls) == at and (place == "(T)" or atoll.rank() == atoll.size() - 1):
        os.kill(os.getpid(), number)
    return plain(*given, **named)

type.__setattr__(owner, name, counted)  # also where nothing is to be set by users
sys.exit(main(sys.argv[3:]))
"""


@pytest.mark.parametrize(
    ("number", "place", "method"),
    [
        (signal.SIGTERM, "SCF", "hf"),
        (signal.SIGUSR1, "amplitudes", "ccsd(t)"),
        (signal.SIGTERM, "(T)", "ccsd(t)"),
        (signal.SIGTERM, "vectors", "mrci"),
    ],
)
def test_a_signal_to_one_rank_saves_and_stops_all_and_the_same_command_goes_on(
    atoll_command, plain_environment, water, tmp_path, number, place, method
):
    target, file = tmp_path / "result.json", tmp_path / "water.chk"
    words = ["energy", water, "--basis", "6-31g", "--method", method, "--chkfile", file]
    if method == "ccsd(t)":
        words += ["--checkpoint-interval", "0"]
    if method == "mrci":
        words += ["--active", "2,2", "--frozen-core"]
    launcher = [str(Path(sys.executable).with_name("mpiexec")), "-n", "2"]
    script = [sys.executable, "-c", STOPPED, str(int(number)), place]
    stopped = finished([*launcher, *script, *words], plain_environment)
    assert stopped.returncode == 75, stopped.stderr
    assert f"stopped by {number.name}; its state is in {file}" in stopped.stderr
    assert stopped.stderr.count("stopped by") == 1
    assert "Converged" not in stopped.stdout
    done = atoll_command(*words, "--json", target)
    assert done.returncode == 0, done.stderr
    assert f"goes on from {file}" in done.stdout
    result = json.loads(target.read_text())
    asked = {"basis": "6-31g", "method": method}
    if method == "mrci":
        asked |= {"active": "2,2", "frozen_core": True}
    whole = methods.calculation(
        Molecule.from_xyz(water.read_text(), "6-31g").mole, checked(asked), atoll.world()
    ).run()
    assert result["energy"] == pytest.approx(whole.energy, abs=1e-8)
    if place == "(T)":
        assert result["triples_tasks"] > result["triples_tasks_done_before"] > 0


def test_a_time_limit_stops_and_without_a_checkpoint_that_is_told(atoll_command, water):
    words = ["energy", water, "--basis", "sto-3g", "--time-limit", "0.001s"]
    done = atoll_command(*words, ranks=2)
    assert done.returncode == 75, done.stderr
    assert "stopped by the time limit; nothing was saved (--chkfile FILE" in done.stderr


def test_an_optimisation_that_was_stopped_goes_on_at_its_last_geometry(
    atoll_command, plain_environment, water, tmp_path
):
    pytest.importorskip("geometric")
    file = tmp_path / "water.chk"
    words = ["optimize", water, "--basis", "sto-3g", "--chkfile", file]
    moves = "(scanner.GradientScanner, '__call__', 3)"
    hook = STOPPED.replace('(SelfConsistency, "_build", 3)', moves)
    hook = "from atoll.chem.geometry import scanner\n" + hook
    script = [sys.executable, "-c", hook, str(int(signal.SIGTERM)), "SCF"]
    stopped = finished([*script, *words], plain_environment)
    assert stopped.returncode == 75, stopped.stderr
    whole = atoll_command("optimize", water, "--basis", "sto-3g")
    done = atoll_command(*words)
    assert done.returncode == 0, done.stderr
    assert f"goes on from {file}.geometry" in done.stdout

    def energy(text):
        return float(text.partition("total energy")[2].split()[0])

    assert energy(done.stdout) == pytest.approx(energy(whole.stdout), abs=1e-6)


@pytest.mark.parametrize("text", ["0", "soon", "-3m"])
def test_a_time_limit_that_is_none_is_refused(atoll_command, water, text):
    done = atoll_command("energy", water, "--basis", "sto-3g", f"--time-limit={text}")
    assert done.returncode == 2
    assert f"--time-limit is '{text}', expected a time above 0" in done.stderr


def test_a_chkfile_goes_before_the_file_that_the_run_began_with(atoll_command, water, tmp_path):
    begun, own, target = (tmp_path / name for name in ("a.chk", "b.chk", "result.json"))
    words = ["energy", water, "--basis", "sto-3g"]
    assert atoll_command(*words, "--chkfile", begun).returncode == 0
    words += ["--method", "ccsd", "--restart", begun, "--chkfile", own, "--json", target]
    first = atoll_command(*words)
    assert first.returncode == 0, first.stderr
    assert "goes on from" not in first.stdout
    again = atoll_command(*words)
    assert f"goes on from {own}" in again.stdout
    assert json.loads(target.read_text())["amplitude_iterations"] == 0
    moved = tmp_path / "moved.xyz"
    moved.write_text(water.read_text().replace("0.117790", "0.127790"))
    other = atoll_command("energy", moved, *words[2:])
    assert other.returncode == 0, other.stderr
    assert f"begins with {begun}" in other.stdout
