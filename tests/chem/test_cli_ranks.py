"""`atoll` on ranks of which one fails, at its input or its files: all of them end, and tell why."""

import json
import os
import shutil
import sys
from pathlib import Path

import atoll
import pytest
from atoll.chem.results.whole_file import whole_file
from atoll.cli import chemistry
from mpi_runs import finished
from pyscf import gto

pytestmark = pytest.mark.skipif(
    atoll.size() > 1, reason="these tests start mpiexec themselves: one process is enough"
)

ELSEWHERE = """
import os, sys
import atoll
from atoll.cli import main
if atoll.rank() == 1:
    os.chdir("elsewhere")
sys.exit(main(sys.argv[1:]))
"""
FULL = """
import sys
from pathlib import Path
from atoll.cli import main
plain = Path.replace

def replace(self, target):
    if target.name in ("result.json", "best.xyz"):
        raise OSError(28, "No space left on device", str(target))
    return plain(self, target)

Path.replace = replace
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def two_ranks(plain_environment, tmp_path, monkeypatch):
    """Run a program of Python with the command line of `atoll` on two ranks, in `tmp_path`."""
    monkeypatch.chdir(tmp_path)

    def run(program, *words):
        mpiexec = Path(sys.executable).with_name("mpiexec")
        found = str(mpiexec if mpiexec.exists() else shutil.which("mpiexec"))
        return finished([found, "-n", "2", sys.executable, "-c", program, *words],
                        plain_environment)  # fmt: skip

    return run


def nwchem_basis(file):
    """Write STO-3G of water as NWChem does."""
    text = "".join(gto.basis.parse_nwchem.convert_basis_to_nwchem(each, gto.basis.load(
        "sto-3g", each)) + "\n" for each in "OH")  # fmt: skip
    file.write_text(f"BASIS SPHERICAL\n{text}END\n")


@pytest.mark.parametrize(
    "words",
    [
        ["--basis", "own.nw"],
        ["--basis", "sto-3g", "--density-fitting", "--auxiliary-basis", "own.nw"],
        ["--basis", "sto-3g", "--method", "ri-mp2", "--auxiliary-basis", "own.nw", "--dry-run"],
    ],
    ids=["basis", "fitting set", "dry run"],
)
def test_a_file_that_one_rank_has_not_ends_all_of_them(two_ranks, water, tmp_path, words):
    nwchem_basis(tmp_path / "own.nw")
    (tmp_path / "elsewhere").mkdir()
    done = two_ranks(ELSEWHERE, "energy", water, *words)
    assert done.returncode == 2, done.stderr
    assert "'own.nw' is unknown [on rank 1]\n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("energy", ["--json", "result.json", "--molden", "a.molden", "--cube", "a.cube"]),
        ("gradient", ["--json", "result.json"]),
        ("optimize", ["--json", "result.json"]),
        ("optimize", ["--output", "best.xyz"]),
    ],
)
def test_a_result_that_the_first_rank_cannot_write_ends_all_ranks(two_ranks, water, command, words):
    done = two_ranks(FULL, command, water, "--basis", "sto-3g", *words)
    assert done.returncode == 2, done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["a pipe", "a link to one", "a folder"])
def test_what_is_no_regular_file_is_refused_before_the_work(atoll_command, water, tmp_path, kind):
    """Of files of its own: root would lose /dev/null to code that is wrong."""
    name = tmp_path / kind
    os.mkfifo(tmp_path / "a pipe")
    (tmp_path / "a link to one").symlink_to(tmp_path / "a pipe")
    (tmp_path / "a folder").mkdir()
    done = atoll_command("energy", water, "--basis", "sto-3g", "--json", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"cannot write {name}: it is " in done.stderr
    with pytest.raises(OSError, match="no regular file"), whole_file(name):
        pass
    assert not name.is_file()


def test_what_a_link_points_to_is_written_and_the_link_stays(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with whole_file(tmp_path / "link") as file:
        file.write("text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"


def test_a_name_that_is_too_long_beside_is_told_before_the_work(tmp_path):
    """Its own length is allowed; that of what is written first is not."""
    with pytest.raises(ValueError, match=r"cannot write .*: File name too long"):
        chemistry.check_writable(str(tmp_path / ("a" * 250)))
    chemistry.check_writable(str(tmp_path / "a.json"))
    assert list(tmp_path.iterdir()) == []


def test_ghost_atoms_are_not_offered_where_they_are_refused(atoll_command):
    shown = {
        command: "--ghost" in atoll_command(command, "--help").stdout
        for command in ("energy", "gradient", "optimize", "frequencies")
    }
    assert shown == {"energy": True, "gradient": True, "optimize": False, "frequencies": False}


def test_an_optimisation_goes_on_from_its_own_method_alone_and_keeps_its_trajectory(
    atoll_command, water, tmp_path
):
    pytest.importorskip("geometric")
    file, steps = tmp_path / "water.chk", tmp_path / "steps.xyz"
    words = ["optimize", water, "-b", "sto-3g", "--chkfile", file, "--trajectory", steps]
    first = atoll_command(*words, "--max-steps", "1")
    assert first.returncode == 1, first.stderr
    before = steps.read_text()
    assert before.count("energy") == 2
    again = atoll_command(*words, "--max-steps", "1", "--json", tmp_path / "again.json")
    assert f"goes on from {file}.geometry" in again.stdout
    assert steps.read_text().startswith(before)
    found = json.loads((tmp_path / "again.json").read_text())
    assert steps.read_text().count("energy") == 2 + len(found["energies"])
    other = atoll_command(*words, "--max-steps", "1", "--method", "ri-mp2")
    assert "goes on from" not in other.stdout
    assert f"{file}.geometry is of another input: begun anew" in other.stdout
    stopped = atoll_command(*words, "--method", "pbe", "--time-limit", "0.001s")
    assert stopped.returncode == 75, stopped.stderr
    assert f"there was nothing to save in {file} yet" in stopped.stderr


def test_an_ion_ends_in_one_state_on_any_threads_and_ranks_in_each_run(atoll_command, tmp_path):
    """Co2+ ended at one of two energies, by chance: with two ranks from run to run."""
    ion, told = tmp_path / "ion.xyz", tmp_path / "ion.json"
    ion.write_text("1\nion\nCo 0 0 0\n")
    words = ["energy", str(ion), "--basis", "def2-svp", "--charge", "2", "--spin", "3"]
    energies = []
    for ranks, threads in ((0, 1), (0, 2), (0, 4), (2, 1), (2, 1), (2, 2)):
        run = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        ended = atoll_command(*words, "--json", str(told), ranks=ranks, **run)
        assert ended.returncode == 0, ended.stderr
        energies.append(json.loads(told.read_text())["energy"])
    assert energies == pytest.approx([-1380.40181] * len(energies), abs=2e-5)  # PySCF's newton()
    assert max(energies) - min(energies) < 2e-8
