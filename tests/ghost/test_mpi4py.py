"""mpi4py's own tests of windows pass under the library as they do without it."""

import importlib.metadata
import sys

import pytest
from ghost_runs import ROOT, Shape

SUITE = ROOT / "tests" / "ghost" / "mpi4py_suite.py"
VERSION = importlib.metadata.version("mpi4py")
TESTS = ROOT / ".deps" / f"mpi4py-{VERSION}" / "test"
# All of them take minutes: thousands of epochs, and MPI's own windows are slow beside a thread.
SETTINGS = ("create=73", "allocate=17")
SHAPES = [Shape(2, "thread"), Shape(3, "ranks", ghosts=1)]


@pytest.fixture(scope="module")
def outcomes(run, tmp_path_factory):
    """How each test ended on each rank in a shape, and what the run said."""
    if not TESTS.is_dir():
        pytest.skip(f"no {TESTS}: scripts/get_mpi4py_tests.py fetches it")

    def outcomes(shape):
        folder = tmp_path_factory.mktemp("outcomes")
        said = run(shape, sys.executable, SUITE, TESTS, folder, *SETTINGS)
        files = sorted(folder.iterdir())
        assert len(files) == shape.ranks, said
        return [sorted(file.read_text().splitlines()) for file in files], said

    return outcomes


@pytest.fixture(scope="module")
def plain(outcomes):
    return outcomes(Shape(2))[0]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_mpi4py_passes_what_it_passes_without_the_library(outcomes, plain, shape):
    found, said = outcomes(shape)
    assert found == plain, said
    passed = [line for line in plain[0] if line.endswith("\tpassed")]
    assert len(passed) > 150
    assert {line.split()[0] for line in passed} == {"create", "allocate"}
