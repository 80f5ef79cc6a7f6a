"""What the packaging tests share: where Atoll was built, and one installation of it."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest
from commands import ROOT, Compiler, run


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder of the environment's own cmake, mpiexec and so on."""
    return Path(sys.prefix) / "bin"


@pytest.fixture(scope="session")
def build() -> Path:
    """The build folder to install from: TEST_BUILD or that of scripts/test.sh."""
    folder = ROOT / os.environ.get("TEST_BUILD", "build/mpich")
    assert (folder / "CMakeCache.txt").exists(), f"{folder} holds no build"
    return folder


@pytest.fixture(scope="session")
def installation(build: Path, tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the library was installed, and then moved to: nothing may remember the first place."""
    first = tmp_path_factory.mktemp("first") / "atoll"
    run(tools / "cmake", "--install", build, "--prefix", first)
    return first.rename(tmp_path_factory.mktemp("moved") / "atoll")


@pytest.fixture
def flags(installation: Path, tools: Path) -> list[str]:
    """How a program is compiled and linked with the installation, as pkg-config says."""
    (description,) = installation.rglob("atoll.pc")
    words = run(
        tools / "pkgconf", "--cflags", "--libs", "atoll", PKG_CONFIG_PATH=str(description.parent)
    )
    assert str(installation) in words
    return shlex.split(words)


@pytest.fixture
def compiled(flags: list[str], tmp_path: Path) -> Compiler:
    """A function that compiles one file against the installation, without CMake."""

    def compile_file(source: Path, *others: str) -> Path:
        program = tmp_path / source.stem
        run(os.environ.get("CXX", "c++"), *others, source, *flags, "-o", program)
        return program

    return compile_file


@pytest.fixture
def another_mpi(tools: Path, tmp_path: Path) -> Path:
    """A folder with an mpicxx that no Python package brought, whose mpi.h says Open MPI."""
    folder = tmp_path / "another"
    (folder / "include").mkdir(parents=True)
    header = "#include_next <mpi.h>\n#define OMPI_MAJOR_VERSION 5\n"
    (folder / "include" / "mpi.h").write_text(header)
    wrapper = folder / "mpicxx"
    wrapper.write_text(f'#!/bin/sh\nexec "{tools}/mpicxx" -I{folder}/include "$@"\n')
    wrapper.chmod(0o755)
    return folder
