"""The `atoll` command as its users run it: output, exit status, one line for each mistake."""

import json
import platform
import re
import shutil
import signal
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import atoll
import pytest
from atoll.chem import Molecule, methods
from atoll.chem.molecules.options import checked
from atoll.cli import main
from mpi4py import MPI
from mpi_runs import communicate, piped

pytestmark = pytest.mark.skipif(
    atoll.size() > 1, reason="these tests start mpiexec themselves: one process is enough"
)

WATER = """3
water
O   0.000000   0.000000   0.117790
H   0.000000   0.755453  -0.471161
H   0.000000  -0.755453  -0.471161
"""


def finished(command, environment):
    """Run a command to its end, however long the machine stands still meanwhile."""
    with piped(command, environment) as process:
        try:
            stdout, stderr = communicate(process)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


@pytest.fixture
def atoll_command(plain_environment):
    def run(*words, ranks=0, **settings):
        """Run `atoll WORDS` as one process without a launcher (ranks=0) or under mpiexec."""
        launcher = []
        if ranks:
            beside_python = Path(sys.executable).with_name("mpiexec")
            found = beside_python if beside_python.exists() else shutil.which("mpiexec")
            launcher = [str(found), "-n", str(ranks)]
        command = [*launcher, sys.executable, "-m", "atoll", *words]
        return finished(command, {**plain_environment, **settings})

    return run


@pytest.fixture
def water(tmp_path):
    file = tmp_path / "water.xyz"
    file.write_text(WATER)
    return file


@pytest.mark.parametrize(("ranks", "nodes"), [(0, 1), (3, 2)])
def test_the_energy_of_water_as_text_and_json(atoll_command, water, tmp_path, ranks, nodes):
    target = tmp_path / "result.json"
    words = ["energy", water, "--basis", "cc-pvdz", "--json", target]
    done = atoll_command(*words, ranks=ranks, ATOLL_NODES=str(nodes))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert sum("H2O, 3 atoms, 10 electrons" in line for line in lines) == 1
    library = MPI.Get_library_version().split()
    name, date = lines[0].split(", ")
    assert name == f"Atoll {atoll.describe().split()[1]}"
    age = datetime.now(timezone.utc) - datetime.fromisoformat(date)
    assert timedelta() <= age < timedelta(days=1)
    run = next(line for line in lines if line.startswith("  run "))
    assert f": {platform.node()}, " in run
    assert library[0] in run
    assert any(line.startswith("Converged in ") for line in lines)
    assert any("total energy" in line and "-76.0267679" in line for line in lines)

    result = json.loads(target.read_text())
    assert (result["program"], result["hosts"]) == ("atoll", [platform.node()])
    assert datetime.fromisoformat(result["started"]) == datetime.fromisoformat(date)
    assert result["mpi"] in run
    assert result["converged"] is True
    assert {"starting guess", "Fock builds", "diagonalisation"} <= set(result["seconds"])
    assert "setup" not in " ".join(result["seconds"])
    assert result["energy"] == pytest.approx(-76.026767997377, abs=1e-9)
    assert sum(result["components"].values()) == pytest.approx(result["energy"], abs=1e-9)
    assert (result["ranks"], result["nodes"]) == (max(ranks, 1), nodes)
    assert result["molecule"]["symbols"] == ["O", "H", "H"]
    assert result["molecule"]["functions"] == len(result["orbital_energies"]) == 24
    assert result["iterations"][0]["energy_change"] is None
    table = [line.split() for line in lines if line.split()[:1] == [str(len(result["iterations"]))]]
    assert float(table[0][1]) == pytest.approx(result["energy"], abs=1e-11)


@pytest.mark.parametrize("ranks", [0, 2])
def test_not_converged_is_exit_status_1(atoll_command, water, ranks):
    words = ["energy", water, "--basis", "sto-3g", "--max-iterations", "2"]
    done = atoll_command(*words, ranks=ranks)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    begin = lines.index("NOT CONVERGED after 2 iterations of the self-consistent field")
    assert [line.split()[:2] for line in lines[begin + 1 : begin + 3]] == [
        ["energy", "change"],
        ["DIIS", "error"],
    ]
    last = next(line.split() for line in lines if line.split()[:1] == ["2"])
    for line, value in zip(lines[begin + 1 : begin + 3], last[2:4], strict=True):
        assert abs(float(value)) == float(line.split()[2])
    assert lines[begin + 1].endswith("expected below 1.0e-09")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "ranks"), [("gradient", 0), ("optimize", 2), ("frequencies", 2)]
)
def test_a_field_that_does_not_converge_is_told_by_every_command(
    atoll_command, water, command, ranks
):
    done = atoll_command(command, water, "-b", "sto-3g", "--max-iterations", "2", ranks=ranks)
    assert done.returncode == 1
    assert (done.stdout + done.stderr).count("NOT CONVERGED") == 1
    assert (done.stdout + done.stderr).count("DIIS error ") >= 1
    assert "Traceback" not in done.stderr


def test_an_optimisation_tells_what_is_left(atoll_command, water):
    done = atoll_command("optimize", water, "-b", "sto-3g", "--max-steps", "1")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    begin = lines.index("NOT CONVERGED after 1 move of the atoms")
    table = [line.split() for line in lines[: begin - 1]][-2:]
    assert [row[0] for row in table] == ["1", "2"]
    told = {line[:24].strip(): float(line[24:].split()[0]) for line in lines[begin + 1 : begin + 6]}
    assert set(told) == {"energy change", "rms force", "largest force", "rms move", "largest move"}
    change = float(table[0][1]) - float(table[1][1])
    assert told["energy change"] == pytest.approx(change, rel=1e-3)
    assert told["largest force"] == pytest.approx(float(table[1][2]), rel=1e-2)


def test_frequencies_where_forces_are_large_say_so(atoll_command, water, tmp_path):
    target = tmp_path / "result.json"
    done = atoll_command("frequencies", water, "-b", "sto-3g", "-o", target)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "WARNING: the geometry is not stationary: the largest force is 6.0e-02" in done.stdout
    result = json.loads(target.read_text())
    assert result["stationary"] is False
    assert result["largest_force"] == pytest.approx(0.0602, abs=1e-3)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("pbe", ["--grid-level", "0"]),
        ("ri-mp2", ["--frozen-core"]),
        ("ccsd", ["--frozen-core", "--properties"]),
        ("ccsd(t)", ["--frozen-core"]),
        ("ccsd(t)", ["--charge", "1", "--spin", "1"]),
        ("b2plyp", ["--grid-level", "0"]),
        ("mrci", ["--active", "2,2", "--roots", "2", "--frozen-core"]),
        ("mrci", ["--charge", "1", "--spin", "1", "--active", "3,2", "--frozen-core"]),
        ("hf", ["--density-fitting", "--auxiliary-basis", "def2-universal-jkfit"]),
    ],
)
def test_every_method_has_its_energy_in_the_file(atoll_command, water, tmp_path, method, words):
    target = tmp_path / "result.json"
    options = ["--basis", "6-31g", "--method", method, "--json", target, *words]
    done = atoll_command("energy", water, *options)
    assert done.returncode == 0, done.stderr
    result = json.loads(target.read_text())
    assert f"{result['energy']:.12f} hartree" in done.stdout
    assert sum(result["components"].values()) == pytest.approx(result["energy"], abs=1e-9)
    if "--properties" in words:  # of CCSD's density, by PySCF; Hartree-Fock's is -2.637
        assert result["density"] == "of CCSD, orbitals not relaxed"
        assert result["dipole_debye"] == pytest.approx([0, 0, -2.526437], abs=2e-6)
        assert sum(result["natural_occupations"]) == pytest.approx(10)


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
    molecule = Molecule.from_xyz(WATER, "6-31g")
    whole = methods.calculation(molecule.mole, options, atoll.world()).run()
    assert result["energy"] == pytest.approx(whole.energy, abs=1e-11)


def test_options_come_from_a_file_and_the_command_line_goes_first(atoll_command, water, tmp_path):
    file = tmp_path / "options.toml"
    file.write_text('basis = "sto-3g"\nmax-iterations = 2\nintegrals = "auto"\nmemory = "100M"\n')
    assert atoll_command("energy", water, "--options", file).returncode == 1
    words = ["energy", water, "--options", file, "--max-iterations", "50"]
    assert atoll_command(*words).returncode == 0


def test_a_dry_run_tells_what_it_would_take(atoll_command, water):
    words = ["energy", water, "--basis", "cc-pvdz", "--method", "ri-mp2", "--dry-run"]
    done = atoll_command(*words)
    assert done.returncode == 0, done.stderr
    assert "RI-MP2 upon Restricted Hartree-Fock" in done.stdout
    assert "24; occupied orbitals 5 alpha, 5 beta" in done.stdout
    assert "iteration  " not in done.stdout


MISTAKES = {
    "no such file": (["nowhere.xyz", "--basis", "sto-3g"], "nowhere.xyz: No such file"),
    "a directory": ([".", "--basis", "sto-3g"], "cannot read .: Is a directory"),
    "malformed file": (["short.xyz", "--basis", "sto-3g"], "2 atoms are announced, but 1 follow"),
    "unknown element": (["element.xyz", "--basis", "sto-3g"], "line 3: 'Qq' is not an element"),
    "unknown basis": (["water.xyz", "--basis", "nonsense"], "basis 'nonsense' is unknown"),
    "element without basis": (
        ["iodide.xyz", "--basis", "cc-pvdz", "--charge", "-1"],
        "basis 'cc-pvdz' has no functions for I",
    ),
    "odd electrons": (
        ["water.xyz", "--basis", "sto-3g", "--charge", "1"],
        "9 electrons (charge 1) cannot all be paired: check --charge and --spin",
    ),
    "spin that cannot be": (
        ["water.xyz", "--basis", "sto-3g", "--spin", "1"],
        "10 electrons (charge 0) cannot have 1 unpaired",
    ),
    "unknown method": (
        ["water.xyz", "--basis", "sto-3g", "--method", "nonsense"],
        "functional 'nonsense' is unknown to libxc",
    ),
    "method without a fit": (
        ["water.xyz", "--basis", "sto-3g", "--method", "mp2"],
        "method 'mp2' is here with fitted integrals: ri-mp2",
    ),
    "fit that MRCI has no use for": (
        ["water.xyz", "--basis", "6-31g", "--method", "mrci", "--active=2,2", "--density-fitting"],
        "density-fitting does not go with method 'mrci'",
    ),
    "fit that coupled cluster has no use for": (
        ["water.xyz", "--basis", "sto-3g", "--method", "ccsd", "--auxiliary-basis", "cc-pvdz-ri"],
        "auxiliary-basis means nothing to method 'ccsd' unfitted",
    ),
    "functional that needs VV10": (
        ["water.xyz", "--basis", "sto-3g", "--method", "wb97x_v"],
        "needs nonlocal correlation (VV10)",
    ),
    "checkpoints of triples that are not there": (
        ["water.xyz", "--basis", "sto-3g", "--method", "ccsd", "--checkpoint-interval", "9"],
        "checkpoint-interval means nothing to method 'ccsd'",
    ),
    "option that means nothing": (
        ["water.xyz", "--basis", "sto-3g", "--frozen-core"],
        "frozen-core means nothing to method 'hf'",
    ),
    "fitting set without a fit": (
        ["water.xyz", "--basis", "sto-3g", "--auxiliary-basis", "def2-universal-jkfit"],
        "auxiliary-basis means nothing to method 'hf' unfitted",
    ),
    "wrong active space": (
        ["water.xyz", "--basis", "sto-3g", "--method", "mrci", "--active", "4,9"],
        "active is (4, 9): 3 inactive and 9 active orbitals, the molecule has 7 in all",
    ),
    "two ways to fit": (
        ["water.xyz", "--basis", "sto-3g", "--density-fitting", "--fit-coulomb"],
        "expected one of them",
    ),
    "stability of a functional": (
        ["water.xyz", "--basis", "sto-3g", "--method", "pbe", "--stability"],
        "stability is of Hartree-Fock",
    ),
    "no such orbital": (
        ["water.xyz", "--basis", "sto-3g", "--cube", "a.cube", "--cube-of", "best"],
        "cube-of is 'best', expected density, homo, lumo or an orbital's number",
    ),
    "values on a grid that no file is for": (
        ["water.xyz", "--basis", "sto-3g", "--cube-of", "homo"],
        "cube-of means nothing without cube",
    ),
    "digits of other scripts": (
        ["water.xyz", "--basis", "sto-3g", "--charge", "0_0"],
        "--charge is '0_0', expected an integer",
    ),
    "memory that nothing is kept in": (
        ["water.xyz", "--basis", "sto-3g", "--integrals", "direct", "--memory", "1G"],
        "memory means nothing to method 'hf' with integrals 'direct'",
    ),
    "correlated density on a grid": (
        ["water.xyz", "--basis", "sto-3g", "--method", "ccsd", "--cube", "a.cube"],
        "cube-of 'density' is not here for method 'ccsd': expected homo, lumo or an orbital",
    ),
    "no such way": (
        ["water.xyz", "--basis", "sto-3g", "--integrals", "tape"],
        "integrals is 'tape', expected auto, direct, disk",
    ),
    "no size": (
        ["water.xyz", "--basis", "sto-3g", "--memory", "0"],
        "memory is 0, expected more than 0",
    ),
    "direct and fitted": (
        ["water.xyz", "--basis", "sto-3g", "--density-fitting", "--integrals", "direct"],
        "integrals means nothing to method 'hf', whose integrals are all fitted",
    ),
    "no size at all": (
        ["water.xyz", "--basis", "sto-3g", "--memory", "much"],
        "--memory is 'much', expected bytes, as 200M or 1.5G",
    ),
    "no such key in the file": (
        ["water.xyz", "--options", "wrong.toml"],
        "wrong.toml: there is no option 'bassis'",
    ),
    "wrong type in the file": (
        ["water.xyz", "--options", "type.toml"],
        "type.toml: charge is 'one', expected a value of type int",
    ),
    "no folder for scratch": (
        ["water.xyz", "--basis", "sto-3g", "--integrals", "disk", "--scratch", "no/where"],
        "scratch is no/where, which is no folder",
    ),
    "no checkpoint": (
        ["water.xyz", "--basis", "sto-3g", "--restart", "no.chk"],
        "no.chk",
    ),
    "json nowhere": (
        ["water.xyz", "--basis", "sto-3g", "--json", "no/where.json"],
        "cannot write no/where.json",
    ),
    "no basis": (["water.xyz"], "no basis is given: --basis NAME"),
    "not a number": (
        ["water.xyz", "--basis", "sto-3g", "--convergence", "-1"],
        "convergence is -1.0, expected more than 0",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_and_exit_status_2(
    atoll_command, mistake, water, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("short.xyz").write_text("2\n\nH 0 0 0\n")
    Path("element.xyz").write_text("1\n\nQq 0 0 0\n")
    Path("iodide.xyz").write_text("1\n\nI 0 0 0\n")
    Path("wrong.toml").write_text('bassis = "sto-3g"\n')
    Path("type.toml").write_text('basis = "sto-3g"\ncharge = "one"\n')
    words, text = MISTAKES[mistake]
    done = atoll_command("energy", *words, ranks=2)
    assert done.returncode == 2
    assert done.stdout == ""
    assert text in done.stderr
    if "Open MPI" not in atoll.describe():  # its mpiexec comments on every failure
        assert done.stderr.count("\n") == 1


def test_a_mistake_without_a_launcher(atoll_command, water):
    done = atoll_command("energy", water, "--basis", "nonsense")
    assert done.returncode == 2
    assert done.stderr == "atoll energy: basis 'nonsense' is unknown\n"


def test_a_wrong_setting_is_told(atoll_command, water):
    done = atoll_command("energy", water, "--basis", "sto-3g", ATOLL_NODES="many")
    assert done.returncode == 2
    assert done.stderr.startswith("atoll: ")
    assert "ATOLL_NODES" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_missing_folder_of_scratch_files_is_told_before_the_work(atoll_command, water):
    words = ["energy", water, "--basis", "sto-3g", "--integrals", "disk"]
    for name, text in (
        (
            "TMPDIR",
            "atoll energy: scratch is /nowhere (ATOLL_SCRATCH, TMPDIR or /tmp), which is no",
        ),
        ("ATOLL_SCRATCH", "atoll: environment variable ATOLL_SCRATCH=/nowhere: expected folders"),
    ):
        done = atoll_command(*words, **{name: "/nowhere"})
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(text)
        assert done.stderr.count("\n") == 1


def test_info_tells_versions_and_ranks(atoll_command):
    done = atoll_command("info", ranks=2)
    assert done.returncode == 0
    assert done.stdout.count("ranks: 2") == 1
    assert "pyscf: " in done.stdout


@pytest.mark.parametrize(
    ("command", "others"),
    [
        ("energy", []),
        ("gradient", ["b2plyp", "ccsd", "mrci", "--active", "--roots", "--ladder"]),
        ("optimize", ["b2plyp", "ccsd", "mrci", "--active", "--roots", "--ladder"]),
        ("frequencies", ["b2plyp", "ccsd", "mrci", "--active", "--roots", "--ladder"]),
    ],
)
def test_help_has_the_methods_and_options_of_its_command(capsys, command, others):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = re.sub(r"-?\s+", lambda m: m[0].strip() or " ", capsys.readouterr().out)
    for name in {"sos-ri-mp2", "b2plyp", "ccsd(t)", "mrci", "--active", "--ladder", "-b NAME"}:
        assert (name in text) == (name not in others and name.removesuffix("(t)") not in others)
    assert not [word for word in others if word in text]


def test_short_options_are_those_of_other_programs(atoll_command, water, tmp_path):
    target = tmp_path / "ion.json"
    words = ["-m", "hf", "-b", "sto-3g", "-c", "-1", "-s", "1", "-o", target]
    assert atoll_command("energy", water, *words).returncode == 0
    result = json.loads(target.read_text())
    molecule = result["molecule"]
    assert (molecule["charge"], molecule["spin"], molecule["basis"]) == (-1, 1, "sto-3g")
    assert result["method"] == "HF"


@pytest.mark.parametrize("words", [["--help"], ["energy", "--help"], ["--version"]])
def test_help_and_version_load_no_chemistry(atoll_command, words):
    done = atoll_command(*words, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    assert done.stdout.startswith(("usage: atoll", "atoll "))
    assert "import time" in done.stderr
    assert "pyscf" not in done.stderr


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

setattr(owner, name, counted)
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
        Molecule.from_xyz(WATER, "6-31g").mole, checked(asked), atoll.world()
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
