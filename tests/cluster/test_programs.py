"""All C++ and Python tests on hosts of their own: two with two ranks, three with 1, 2 and 1."""

import re
import sys
from pathlib import Path

import pytest
from atoll.cluster import run

TESTS = Path(__file__).resolve().parents[1]
SHAPES = [(2, 2), (1, 2, 1)]


def on_hosts(ranks, *program, seconds):
    return run(program, ranks, capture_output=True, text=True, timeout=seconds)


@pytest.mark.parametrize("ranks", SHAPES)
def test_mpi_and_atoll_see_one_node_a_host(three_hosts, ranks):
    done = on_hosts(ranks, sys.executable, "-m", "atoll", "info", seconds=60)
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^ranks: {sum(ranks)}$", done.stdout, re.M)
    assert re.search(rf"^nodes: {len(ranks)}\b", done.stdout, re.M)


@pytest.mark.parametrize("ranks", SHAPES)
def test_cpp(three_hosts, build, ranks):
    done = on_hosts(ranks, build / "tests/atoll_tests", "--gtest_color=no", seconds=280)
    print(done.stdout[-3000:], done.stderr[-6000:])
    assert done.returncode == 0
    assert re.search(r"\[  PASSED  \] \d{3,} tests", done.stdout)


@pytest.mark.parametrize("ranks", SHAPES)
def test_python(three_hosts, ranks):
    pytest_run = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider"]
    done = on_hosts(ranks, *pytest_run, TESTS / "python", seconds=280)
    print(done.stdout[-3000:], done.stderr[-6000:])
    assert done.returncode == 0
    assert re.search(r"\d{4,} passed", done.stdout)
