"""Programs of plain MPI on two hosts, with ghosts: what virtual nodes cannot show."""

import os

import pytest
from atoll.cluster import run
from fortran_mpi import debian_mpi, family
from ghost_runs import ROOT, Shape, built
from mpi_runs import PATIENCE

# Ranks of each host, ghosts among them.
WAYS = [(Shape(4, "ranks", ghosts=1), (2, 2)), (Shape(2, "thread"), (1, 1))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ghost")


def with_ghosts(shape, *program):
    settings = [f"{name}={value}" for name, value in shape.settings().items()]
    return ["env", *settings, *program]


@pytest.mark.parametrize(("shape", "ranks"), WAYS, ids=["ranks", "thread"])
def test_one_sided_operations_between_hosts_equal_the_serial_model(
    three_hosts, start, folder, shape, ranks
):
    chosen = ["every", "random", "general", "locks", "order", "counters", "meet"]
    program = [built("rma", folder), *chosen]
    text = start(*with_ghosts(shape, *program), ranks=ranks).succeed()
    assert "tests on 2 ranks, 0 failed" in text


@pytest.mark.parametrize(("shape", "ranks"), WAYS, ids=["ranks", "thread"])
def test_operations_complete_while_a_target_on_another_host_computes(
    three_hosts, start, folder, tmp_path, shape, ranks
):
    program = [built("busy", folder), tmp_path]
    text = start(*with_ghosts(shape, *program), ranks=ranks).succeed()
    assert "0 failed" in text


def test_a_window_on_own_memory_has_the_progress_of_a_thread_between_hosts(
    three_hosts, start, folder, tmp_path
):
    program = [built("busy", folder), tmp_path, "create"]
    text = start(*with_ghosts(Shape(2, "thread"), *program), ranks=(1, 1)).succeed()
    assert "0 failed" in text


def test_an_error_that_is_fatal_ends_the_ranks_of_all_hosts(three_hosts, start, folder):
    program = [built("ending", folder), "error"]
    status, text = start(*with_ghosts(Shape(2, "thread"), *program), ranks=(1, 1)).finish(60)
    assert status != 0
    assert "the end" not in text


def test_open_mpi_4_which_makes_no_window_on_given_memory_between_hosts_has_windows_on_atoll(
    three_hosts, folder
):
    if family() != "openmpi":
        pytest.skip("Open MPI 4 takes the library that is built with Open MPI 5")
    mpi = debian_mpi(folder)
    program = mpi.build(ROOT / "tests" / "ghost" / "fortran" / "by_mpif.f90", folder / "by_mpif")
    done = run(
        with_ghosts(Shape(4, "ranks", ghosts=1), "env", "ATOLL_GHOST_CHECK=1", program),
        (2, 2),
        mpi.mpiexec,
        {**os.environ, **mpi.environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["0 failed"]), done
    assert "1 window by MPI_Win_allocate: redirected to Atoll" in done.stderr
