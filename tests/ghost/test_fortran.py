"""Programs in Fortran, of the oldest interface and of the newest, do what they do without the library."""

import pytest
from fortran_mpi import debian_mpi
from ghost_runs import ROOT, Shape

SHAPES = [Shape(2, "thread"), Shape(3, "thread", nodes=2), Shape(3, "ranks", ghosts=1)]


@pytest.fixture(scope="module")
def mpi(tmp_path_factory):
    return debian_mpi(tmp_path_factory.mktemp("libraries"))


@pytest.fixture(scope="module", params=["by_mpif", "by_f08"])
def program(request, mpi, tmp_path_factory):
    source = ROOT / "tests" / "ghost" / "fortran" / f"{request.param}.f90"
    return mpi.build(source, tmp_path_factory.mktemp("fortran") / request.param)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_windows_are_right_and_on_atoll_and_the_world_is_what_it_is_without(run, mpi, program, shape):
    def said(shape):
        status, out, err = run(
            shape, program, mpiexec=mpi.mpiexec, ATOLL_GHOST_CHECK="1", **mpi.environment
        )
        assert status == 0, f"{out}\n{err}"
        return out.splitlines(), err

    plain, _ = said(Shape(shape.ranks))
    assert plain[-1] == "0 failed"
    assert len(plain) == shape.ranks + 1
    lines, told = said(shape)
    assert lines == plain
    assert told == "atoll ghost: 1 window by MPI_Win_allocate: redirected to Atoll\n"
