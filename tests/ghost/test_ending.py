"""Ghosts end with their program also where it has windows; other ends: tests/runs."""

import os

import pytest
from ghost_runs import Shape
from mpi_runs import waits

SHAPE = Shape(4, "ranks", nodes=2, ghosts=1)


def processes_of(program):
    """Everything that still runs this very file."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{name}/exe") == str(program):
                found.append(int(name))
        except OSError:  # it has just ended, or is somebody else's
            continue
    return found


def nothing_is_left(program):
    return any(not processes_of(program) for _ in waits(20))


def test_a_good_end_is_good(build, run):
    status, out, err = run(SHAPE, build("ending"), "well")
    assert (status, err) == (0, "")
    assert out.count("process") == SHAPE.ranks
    assert out.count("the end") == 1
    assert nothing_is_left(build("ending"))


@pytest.mark.parametrize("how", ["kill", "leave", "error"])
def test_a_rank_that_goes_with_a_window_open_ends_ghosts_and_all(build, run, how):
    status, out, _ = run(SHAPE, build("ending"), how, seconds=60)
    assert status != 0
    assert "the end" not in out
    assert nothing_is_left(build("ending"))
