"""What a program sees of its world is the same with ghosts in it, call by call."""

import re

import pytest
from ghost_runs import Shape

# With ghost ranks the communicator that MPI hands to a function of the program's is the one behind
# MPI_COMM_WORLD (docs/ghost.md).
HANDED_OUT = re.compile(r"(copied from|of) the world [01]")


def view(run, shape, program):
    status, out, err = run(shape, program)
    assert status == 0, err
    return HANDED_OUT.sub("", out).splitlines()


@pytest.mark.parametrize(
    "shape",
    [
        Shape(2, "thread"),
        Shape(2, "off"),
        Shape(3, "ranks", ghosts=1),
        Shape(5, "ranks", nodes=2, ghosts=1),
    ],
    ids=str,
)
def test_the_program_sees_what_it_sees_without_the_library(build, run, shape):
    program = build("view")
    assert view(run, shape, program) == view(run, Shape(shape.ranks), program)


def test_a_thread_changes_nothing_at_all(build, run):
    program = build("view")
    assert run(Shape(2, "thread"), program)[1] == run(Shape(2), program)[1]
