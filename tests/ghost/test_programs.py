"""Programs of plain MPI do what MPI says, with the library and without: operations, files, threads.

Without it they show that what they expect is right; with it, in each way of progress, on one node
and on several, of unequal size as well.
"""

import importlib.util
import json
import sys

import pytest
from ghost_runs import Shape

SHAPES = [
    Shape(2),
    Shape(1, "thread"),
    Shape(2, "thread"),
    Shape(3, "thread", nodes=2),
    Shape(3, "ranks", ghosts=1),
    Shape(5, "ranks", nodes=2, ghosts=1),
    Shape(4, "ranks", ghosts=2),
]
# Eight ranks of the program, and what of its tests the number of ranks matters to.
EIGHT = [
    Shape(8, "thread", nodes=3),
    Shape(10, "ranks", nodes=2, ghosts=1),
    Shape(12, "ranks", nodes=2, ghosts=2),
]
OF_MANY_RANKS = ("random", "general", "fences", "flushes", "locks_are", "exclude", "order", "meet")
FEW = [Shape(2), Shape(2, "thread"), Shape(5, "ranks", nodes=2, ghosts=1)]


def good(outcome):
    status, out, err = outcome
    assert status == 0, f"{out[-3000:]}\n{err[-3000:]}"
    assert "0 failed" in out
    return out


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_one_sided_operations_equal_the_serial_model(build, run, shape):
    out = good(run(shape, build("rma")))
    assert f"tests on {shape.ranks} ranks" in out


@pytest.mark.parametrize("shape", EIGHT, ids=str)
def test_epochs_atomicity_and_random_sequences_of_eight_ranks(build, run, shape):
    out = good(run(shape, build("rma"), *OF_MANY_RANKS))
    assert "tests on 8 ranks" in out


@pytest.mark.parametrize("shape", FEW, ids=str)
def test_files_are_of_the_ranks_that_the_program_sees(build, run, shape, tmp_path):
    good(run(shape, build("files"), tmp_path / "data"))
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("shape", FEW, ids=str)
def test_threads_of_a_program_share_a_window(build, run, shape):
    good(run(shape, build("threads")))


@pytest.mark.parametrize("shape", [Shape(2), Shape(2, "thread", nodes=2)], ids=str)
def test_requests_go_on_while_the_program_does_other_things(build, run, shape):
    good(run(shape, build("requests")))


@pytest.mark.parametrize(
    "shape", [Shape(2, "thread", nodes=2), Shape(4, "ranks", nodes=2, ghosts=1)], ids=str
)
def test_operations_complete_while_the_target_computes(build, run, shape, tmp_path):
    good(run(shape, build("busy"), tmp_path))


def test_a_window_on_own_memory_has_the_progress_of_a_thread_and_is_told(build, run, tmp_path):
    outcome = run(Shape(2, "thread"), build("busy"), tmp_path, "create")
    good(outcome)
    assert outcome[2].count("MPI_Win_create") == 1


def test_the_tasks_by_which_ways_are_measured_see_no_ghosts_and_are_done(run):
    pytest.importorskip("mpi4py")
    program = importlib.util.find_spec("atoll.ghost.tasks").origin
    outcome = run(Shape(4, "ranks", nodes=2, ghosts=1), sys.executable, program, 0.2)
    assert outcome[0] == 0, outcome[2]
    said = json.loads(outcome[1])
    assert (said["ranks"], said["hosts"]) == (2, 1)
    assert said["tasks_per_second"] > 0
