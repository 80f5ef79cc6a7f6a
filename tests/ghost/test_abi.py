"""Programs of MPI's standard binary interface have a library of their own, where it was built."""

import pytest
from ghost_runs import Shape, built, library

SHAPES = [Shape(3, "thread", nodes=2, abi=True), Shape(3, "ranks", ghosts=1, abi=True)]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    library(abi=True)  # or skip
    return built("rma", tmp_path_factory.mktemp("abi"), compiler="mpicc_abi")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_one_sided_operations_of_the_standard_interface_equal_the_serial_model(run, program, shape):
    status, out, err = run(shape, program, ATOLL_GHOST_CHECK="1")
    assert (status, "0 failed" in out) == (0, True), f"{out}\n{err}"
    assert "by MPI_Win_allocate: redirected to Atoll" in err
