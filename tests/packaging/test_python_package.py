"""The installed Python package is complete, typed, and finds its MPI by a relative path."""

from __future__ import annotations

import ast
import graphlib
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


def test_extension_needs_no_mpi_and_looks_for_one_in_the_environment(package: Path) -> None:
    (extension,) = package.glob("_core*.so")
    dynamic = run("readelf", "-d", extension)
    (path,) = re.findall(r"R(?:UN)?PATH\)\s+Library \w+: \[(.*)\]", dynamic)
    assert path.split(":")[0] == "$ORIGIN/../../.."
    assert "pip-build-env" not in path
    assert not re.search(r"NEEDED.*\[libmpi", dynamic)


def test_command_line_is_installed() -> None:
    (entry,) = importlib.metadata.entry_points(group="console_scripts", name="atoll")
    assert entry.value == "atoll.__main__:main"
    assert (Path(sys.prefix) / "bin" / "atoll").exists()


def test_the_library_for_other_programs_is_where_the_command_finds_it_and_brings_no_blas() -> None:
    ask = "from atoll.ghost.launch import find_library; print(find_library())"
    library = Path(run(sys.executable, "-c", ask).split()[-1])
    assert library == Path(sys.prefix).resolve() / "lib" / "libatoll_ghost.so"
    dynamic = run("readelf", "-d", library)
    assert "blas" not in dynamic
    (path,) = re.findall(r"R(?:UN)?PATH\)\s+Library \w+: \[(.*)\]", dynamic)
    assert path.split(":")[0] == "$ORIGIN"
    assert "pip-build-env" not in path


def test_version_is_that_of_the_library() -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    (version,) = re.findall(r"project\(atoll VERSION ([0-9.]+)", text)
    assert importlib.metadata.version("atoll") == version
    assert run(sys.executable, "-c", "import atoll; print(atoll.__version__)").strip() == version


def test_importing_atoll_imports_nothing_slow_beside_numpy() -> None:
    ask = "import sys, atoll; print(*sys.modules)"
    loaded = set(run(sys.executable, "-c", ask).split())
    slow = {"asyncio", "h5py", "importlib.metadata", "mpi4py.MPI", "pyscf", "scipy", "tqdm"}
    assert not loaded & slow


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


def imports_of(module: str, file: Path, modules: set[str]) -> set[str]:
    """Give the modules that one names anywhere: in functions and for types, too."""
    named = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            named |= {name if name in modules else node.module for name in inside}
    # The packages that an import runs, too; those around a module are under way already.
    parts = [name.split(".") for name in named]
    packages = {".".join(part[:i]) for part in parts for i in range(1, len(part))}
    return (named | {p for p in packages if not f"{module}.".startswith(f"{p}.")}) & modules


def test_no_module_imports_itself_in_a_circle() -> None:
    source = ROOT / "python"
    modules = {}
    for file in source.rglob("*.py"):
        parts = file.relative_to(source).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    assert len(modules) > 40
    known = {*modules, "atoll._core"}
    graph = {name: imports_of(name, file, known) for name, file in modules.items()}
    graphlib.TopologicalSorter(graph).prepare()  # CycleError tells the circle
