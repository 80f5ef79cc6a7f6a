"""The installed Python package is complete, typed, and finds its MPI by a relative path."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
import tarfile
from pathlib import Path

import pytest
from commands import ROOT, run


@pytest.fixture(scope="module")
def package() -> Path:
    """The folder of the installed package, found without importing it (that would start MPI)."""
    specification = importlib.util.find_spec("atoll")
    assert specification is not None
    assert specification.origin is not None
    folder = Path(specification.origin).parent
    assert not folder.is_relative_to(ROOT / "python"), "the tests are to use the installed package"
    return folder


def test_types_of_the_extension_are_described(package: Path) -> None:
    assert (package / "py.typed").exists()
    assert "def " in (package / "_core.pyi").read_text()


def test_extension_finds_mpi_beside_the_environment(package: Path) -> None:
    (extension,) = package.glob("_core*.so")
    dynamic = run("readelf", "-d", extension)
    (path,) = re.findall(r"R(?:UN)?PATH\)\s+Library \w+: \[(.*)\]", dynamic)
    assert path.split(":")[0] == "$ORIGIN/../../.."
    assert "pip-build-env" not in path
    assert re.search(r"NEEDED.*\[libmpi\.so\.(12|40)\]", dynamic)


def test_command_line_is_installed() -> None:
    (entry,) = importlib.metadata.entry_points(group="console_scripts", name="atoll")
    assert entry.value == "atoll.__main__:main"
    assert (Path(sys.prefix) / "bin" / "atoll").exists()


def test_version_is_that_of_the_library() -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    (version,) = re.findall(r"project\(atoll VERSION ([0-9.]+)", text)
    assert importlib.metadata.version("atoll") == version


def test_source_distribution_holds_sources_only(tmp_path: Path) -> None:
    build = "import scikit_build_core.build as b, sys; print(b.build_sdist(sys.argv[1]))"
    run(sys.executable, "-c", build, tmp_path)
    (archive,) = tmp_path.glob("atoll-*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.split("/", 1)[1] for name in tar.getnames() if "/" in name}
    for needed in (
        "CMakeLists.txt",
        "LICENSE",
        "cmake/AtollPython.cmake",
        "include/atoll/atoll.hpp",
        "python/atoll/__init__.py",
        "src/world/world.cpp",
        "tests/CMakeLists.txt",
    ):
        assert needed in names
    unwanted = [n for n in names if re.search(r"\.(so|o|a|pyc)$|^build/|^\.venv|_core\.pyi$", n)]
    assert unwanted == []
