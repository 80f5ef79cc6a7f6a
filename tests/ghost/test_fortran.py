"""Programs in Fortran, of the oldest and of the newest interface, do what they do without Ghost."""

import pytest
from fortran_mpi import debian_mpi
from ghost_runs import ROOT, Shape

PLAIN = Shape(3)
SHAPES = [Shape(3, "thread", nodes=2), Shape(4, "ranks", ghosts=1)]


@pytest.fixture(scope="module")
def mpi(tmp_path_factory):
    return debian_mpi(tmp_path_factory.mktemp("libraries"))


@pytest.fixture(scope="module")
def said(run, mpi):
    """Run a program; give the lines of its stdout, and stderr."""

    def said(shape, program):
        others = {"ATOLL_GHOST_CHECK": "1", **mpi.environment}
        status, out, err = run(shape, program, mpiexec=mpi.mpiexec, **others)
        assert status == 0, f"{out}\n{err}"
        return out.splitlines(), err

    return said


@pytest.fixture(scope="module", params=["by_mpif", "by_f08"])
def program(request, mpi, said, tmp_path_factory):
    """Build it, and give what it says without the library, too."""
    source = ROOT / "tests" / "ghost" / "fortran" / f"{request.param}.f90"
    program = mpi.build(source, tmp_path_factory.mktemp("fortran") / request.param)
    plain, _ = said(PLAIN, program)
    assert len(plain) == PLAIN.ranks + 1
    assert plain[-1] == "0 failed"
    return program, plain


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_windows_are_right_and_on_atoll_and_the_world_is_what_it_is_without(said, program, shape):
    path, plain = program
    lines, told = said(shape, path)
    assert lines == plain
    assert told == "atoll ghost: 1 window by MPI_Win_allocate: redirected to Atoll\n"
