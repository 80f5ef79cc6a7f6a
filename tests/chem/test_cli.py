"""The `atoll` command as its users run it: output, exit status, one line for each mistake."""

import json
import platform
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import atoll
import pytest
from atoll.cli import main
from mpi4py import MPI

pytestmark = pytest.mark.skipif(
    atoll.size() > 1, reason="these tests start mpiexec themselves: one process is enough"
)


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
    "a checkpoint that is none": (
        ["water.xyz", "--basis", "sto-3g", "--restart", "bad.chk"],
        "bad.chk is no checkpoint",
    ),
    "functions of a file without their core potential": (
        ["iodide.xyz", "--basis", "valence.nw", "--spin", "1"],
        "basis 'valence.nw' has no functions for the inner electrons of I",
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
    Path("valence.nw").write_text("I S\n 0.7242 1.0\nI P\n 1.29 1.0\n")
    Path("bad.chk").write_text("nonsense\n")
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
