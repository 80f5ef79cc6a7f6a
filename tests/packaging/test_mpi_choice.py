"""Which MPI a process gets, and what it says in one line where that cannot be told or had."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT, run

ASK = "import atoll; print(atoll.size()); from atoll import _core; print(_core.mpi_library()[2])"
MPI4PY = "from mpi4py import MPI\n"
LOAD = "import ctypes; ctypes.CDLL({library!r})\n"


def said_by(program: str, **environment: str) -> tuple[int, str]:
    """Run a program without a launcher; give its status and all that it printed."""
    result = subprocess.run(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )
    return result.returncode, result.stdout


def compile_library(source: str, library: Path) -> Path:
    """Make a shared library of a few lines of C."""
    (library.parent / "library.c").write_text(source)
    run("cc", "-shared", "-fPIC", library.parent / "library.c", "-o", library)
    return library


@pytest.fixture
def open_mpi(tmp_path: Path) -> Path:
    """What looks like an Open MPI to who lists the libraries of a process."""
    source = "char ompi_mpi_comm_world[512]; int MPI_Get_library_version(void) { return 0; }\n"
    return compile_library(source, tmp_path / "libmpi.so.40")


@pytest.fixture
def no_mpi(tmp_path: Path) -> dict[str, str]:
    """An environment in which the loader finds no MPI."""
    source = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void* dlopen(const char* file, int mode) {
  if (file != 0 && strstr(file, "libmpi") != 0) return 0;
  return ((void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen"))(file, mode);
}
"""
    return {"LD_PRELOAD": str(compile_library(source, tmp_path / "without.so"))}


def ours() -> str:
    """The file of the MPI that this environment has."""
    status, said = said_by(ASK)
    assert status == 0, said
    return said.split()[-1]


def test_the_mpi_of_mpi4py_is_taken() -> None:
    status, said = said_by(MPI4PY + ASK)
    assert (status, said.split()) == (0, ["1", ours()])


def test_no_mpi_at_all_is_told_with_what_to_install(no_mpi: dict[str, str]) -> None:
    status, said = said_by(ASK, **no_mpi)
    assert status == 1
    assert said.startswith("atoll: there is no MPI library; expected one of MPICH's kind (libmpi.")
    assert "pip install mpich" in said
    assert said.count("\n") == 1
    status, said = said_by(ASK, ATOLL_MPI="openmpi", **no_mpi)
    assert said.startswith("atoll: ATOLL_MPI=openmpi: the loader finds no libmpi.so.40; expected ")
    assert (status, said.count("\n")) == (1, 1)


@pytest.mark.parametrize("word", ["nonsense", "/etc/passwd", "/nowhere/libmpi.so.12"])
def test_a_setting_that_names_no_mpi_is_told_with_its_value(word: str) -> None:
    status, said = said_by(ASK, ATOLL_MPI=word)
    expected = (
        f"atoll: ATOLL_MPI={word}: expected mpich, openmpi, abi or the path of an MPI library"
    )
    assert said.startswith(expected)
    assert (status, said.count("\n")) == (1, 1)


def test_a_setting_that_the_mpi_of_the_process_does_not_fit_is_told_with_both() -> None:
    status, said = said_by(MPI4PY + ASK, ATOLL_MPI="openmpi")
    assert status == 1
    assert f"ATOLL_MPI=openmpi, but this process runs with {ours()} already" in said


def test_two_mpis_in_one_process_are_told_with_the_files_of_both(open_mpi: Path) -> None:
    load = LOAD.format(library=str(open_mpi))
    status, said = said_by(load + MPI4PY + ASK)
    assert status == 1
    line = next(line for line in said.splitlines() if "several MPI libraries" in line)
    assert str(open_mpi) in line
    assert ours() in line
    assert "let ATOLL_MPI be the path of the one that Atoll is to use" in line
    # It may say which.
    assert said_by(load + MPI4PY + ASK, ATOLL_MPI=ours()) == (0, f"1\n{ours()}\n")


def test_one_that_is_only_loaded_is_put_aside_by_the_setting(open_mpi: Path) -> None:
    load = LOAD.format(library=str(open_mpi))
    status, said = said_by(load + ASK)
    assert (status, said.split(",")[:2]) == (1, ["atoll: the MPI in use", f" {open_mpi}"])
    assert said_by(load + ASK, ATOLL_MPI=ours()) == (0, f"1\n{ours()}\n")


def test_an_mpi_without_its_functions_is_told_by_the_first_that_it_lacks(open_mpi: Path) -> None:
    status, said = said_by(ASK, ATOLL_MPI=str(open_mpi))
    assert said.startswith(f"atoll: the MPI in use, {open_mpi}, has no ompi_")
    assert said.endswith("expected Open MPI with MPI 3.1 or newer\n")
    assert (status, said.count("\n")) == (1, 1)


def test_the_nearer_of_two_is_taken_whatever_their_kinds(open_mpi: Path) -> None:
    status, said = said_by(ASK, LD_LIBRARY_PATH=str(open_mpi.parent))
    assert (status, said.split(",")[:2]) == (1, ["atoll: the MPI in use", f" {open_mpi}"])


def test_mpi4py_that_comes_later_takes_the_mpi_that_atoll_has_loaded() -> None:
    other = ROOT / ".venv-openmpi" / "lib" / "libmpi.so.40"
    if not other.exists() or "libmpi.so.12" not in ours():
        pytest.skip("needs the environments of both MPIs, which scripts/test.sh makes")
    program = f"{ASK}\n{MPI4PY}atoll.world().mpi4py().Barrier()\nprint(MPI.get_vendor()[0])"
    status, said = said_by(program, ATOLL_MPI=str(other))
    assert (status, said) == (0, f"1\n{other}\nOpen MPI\n")
