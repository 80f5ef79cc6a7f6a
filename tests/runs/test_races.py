"""The race detector: what it finds, and what it leaves alone."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_runs import OPEN_MPI

CASES = Path(__file__).parents[1] / "race"
sys.path.insert(0, str(CASES))

from cases import CLEAN, RACE  # noqa: E402

#: Of the cases with a race at least so many have to be found, and of those without none.
SHARE = 0.95


@pytest.mark.parametrize("nodes", [1, 2])
def test_of_programs_with_races_nearly_all_are_found_and_no_other(run, nodes):
    script = (CASES / "cases.py").read_text()
    status, said, errors = run(script, 3, ATOLL_CHECK="race", ATOLL_NODES=str(nodes))
    assert status == 0, errors
    found = dict(line.split() for line in said.splitlines())
    assert found.keys() == {*RACE, *CLEAN}, errors
    missed = [name for name in RACE if found[name] != "race"]
    alarms = [name for name in CLEAN if found[name] != "clean"]
    assert not alarms, errors
    assert len(RACE) >= 50
    assert len(missed) <= (1 - SHARE) * len(RACE), missed


def test_a_race_is_told_with_both_lines_of_the_program(run):
    status, _, errors = run(
        """
        import atoll

        a = atoll.zeros((6, 4), name="density")
        if atoll.rank() == 0:
            a[2:4, 0] = 1.0
        if atoll.rank() == 1:
            print(a[3:5, :].sum())
        atoll.sync()
        (race,) = atoll.races()
        assert race.patch == (slice(3, 4), slice(0, 1)), race
        assert {race.first.rank, race.second.rank} == {0, 1}
        """,
        2,
        ATOLL_CHECK="race",
    )
    assert status == 0, errors
    (line,) = [line for line in errors.splitlines() if line.startswith("atoll: race:")]
    assert "put of rank 0 at script.py:6" in line
    assert "get of rank 1 at script.py:8" in line
    assert "[3:4, 0:1] of array 'density' of shape (6, 4)" in line
    assert "atoll: races: 1 pairs of lines" in errors


def test_two_lines_are_told_once_however_often_they_race(run):
    status, _, errors = run(
        """
        import atoll

        for _ in range(20):
            with atoll.zeros(6) as a:
                a[0] = atoll.rank()
        """,
        2,
        ATOLL_CHECK="race",
    )
    assert status == 0, errors
    assert errors.count("atoll: race:") == 1


def test_without_it_nothing_is_noted(run):
    text = "import atoll; a = atoll.zeros(3); a[0] = atoll.rank(); atoll.sync()"
    status, said, errors = run(f"{text}; print(atoll.races())", 2)
    assert (status, said) == (0, "[]\n" * 2), errors


@pytest.mark.skipif("TEST_BUILD" not in os.environ, reason="no build folder")
@pytest.mark.parametrize("nodes", [1, 2])
def test_cpp_programs_with_races_are_found_and_no_other(nodes):
    program = Path(os.environ["TEST_BUILD"]) / "programs" / "races"
    result = subprocess.run(
        [
            shutil.which("mpiexec", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}"),
            "-n",
            "3",
            program,
        ],
        env={**os.environ, **OPEN_MPI, "ATOLL_CHECK": "race", "ATOLL_NODES": str(nodes)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    assert len(lines) > 10
    assert [line for line in lines if line[1] != line[2]] == [], result.stderr
    # A function of the program at least, and its line where it was compiled with -g.
    assert re.search(r"put of rank 0 at .*races", result.stderr), result.stderr
