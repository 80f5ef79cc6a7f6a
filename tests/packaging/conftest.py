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
def compiled(installation: Path, tools: Path, tmp_path: Path) -> Compiler:
    """A function that compiles one file against the installation, without CMake."""
    (description,) = installation.rglob("atoll.pc")
    flags = run(
        tools / "pkgconf", "--cflags", "--libs", "atoll", PKG_CONFIG_PATH=str(description.parent)
    )
    assert str(installation) in flags

    def compile_file(source: Path) -> Path:
        program = tmp_path / source.stem
        run(os.environ.get("CXX", "c++"), source, *shlex.split(flags), "-o", program)
        return program

    return compile_file
