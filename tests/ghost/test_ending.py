"""Ghosts end with their program, however it ends."""

import os

import pytest
from ghost_runs import Shape
from mpi_runs import waits

SHAPES = [Shape(2, "thread", nodes=2), Shape(4, "ranks", nodes=2, ghosts=1)]


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


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_good_end_is_good(build, run, shape):
    status, out, err = run(shape, build("ending"), "well")
    assert (status, err) == (0, "")
    assert out.count("process") == shape.ranks
    assert out.count("the end") == 1
    assert nothing_is_left(build("ending"))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("how", ["abort", "kill", "leave"])
def test_a_bad_end_of_one_rank_ends_ghosts_and_all(build, run, shape, how):
    status, out, _ = run(shape, build("ending"), how, seconds=60)
    assert status != 0
    assert "the end" not in out
    assert nothing_is_left(build("ending"))


def test_a_program_that_knows_no_mpi_runs_as_before(run):
    assert run(Shape(1, "thread"), "echo", "hello") == (0, "hello\n", "")
