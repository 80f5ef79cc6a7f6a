"""Jobs of a real Slurm, of two nodes in a box: what docs/launching.md says of it, and atoll run."""

import os
import re
import sys
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import atoll
import pytest
from atoll.launch.launchers import library
from pages import PAGES, commands
from slurm import Slurm, missing

PAGE = PAGES["launching.md"].read_text()


def block(language):
    """The block of the page's part on Slurm in this language."""
    part = PAGE.partition("\n## Slurm\n")[2].partition("\n## ")[0]
    return re.search(rf"^```{language}\n(.*?)^```", part, re.M | re.S)[1]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    if reason := missing():
        pytest.skip(reason)
    if library().family != "mpich":
        pytest.skip("Debian's Slurm speaks PMI-2, which is MPICH's; for PMIx it lacks the library")
    with Slurm(tmp_path_factory.mktemp("slurm")) as box:
        yield box


@pytest.fixture
def run(slurm, tmp_path):
    """Run a command in the box, beside the page's program and job script; give its outcome."""
    (tmp_path / "nodes.py").write_text(block("python"))
    (tmp_path / "job.sh").write_text(block("bash"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    package = os.environ.get("PYTHONPATH", str(Path(atoll.__file__).resolve().parents[1]))

    def run(command, **settings):
        settings |= {"PATH": path, "PYTHONPATH": package, "MPIR_CVAR_CH4_NETMOD": "ofi"}
        status, text = slurm.run(command, tmp_path, 60, **settings)
        # A node whose last job is just ending keeps the next one waiting.
        return status, re.sub(r"^\w+: job \d+ (queued|has been) .*\n", "", text, flags=re.M)

    return run


def test_srun_and_sbatch_do_what_the_page_says(run):
    for command, expected in commands(block("console")):
        status, text = run(command)
        assert OutputChecker().check_output(expected, text, ELLIPSIS), f"{command}: {text}"
        refused = "knows of one" in expected
        assert (status != 0) == refused, text
        # Whoever was started wrongly has computed nothing, on no rank.
        assert not refused or "ranks on nodes" not in text


def test_atoll_run_becomes_the_ranks_of_srun_and_takes_those_of_a_job(run):
    status, text = run("srun --mpi=pmi2 -n 2 atoll run -v nodes.py")
    assert status == 0, text
    assert text.count("atoll run: one of 2 ranks already") == 1
    assert "2 ranks on nodes: 1" in text
    status, text = run("salloc -N 2 -n 2 atoll run -v nodes.py")
    assert status == 0, text
    assert "2 ranks in a job of Slurm" in text
    assert "2 ranks on nodes: 2" in text


def test_programs_of_one_rank_may_be_meant(run):
    status, text = run("srun -n 2 python nodes.py", ATOLL_LAUNCHER="ignore")
    assert (status, text) == (0, "1 ranks on nodes: 1\n" * 2)
    status, text = run("salloc -n 2 python nodes.py")  # no task of srun
    assert status == 0, text
    assert "1 ranks on nodes: 1" in text
