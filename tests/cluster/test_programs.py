"""The C++ and Python tests on hosts of their own: two with two ranks, three with 1, 2 and 1."""

import os
import re
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SHAPES = [(2, 2), (1, 2, 1)]
WAYS = [("ATOLL_PROGRESS", "rank", (3, 2)), ("ATOLL_TRANSPORT", "rma", (2, 2))]

# What this run takes of shapes ("1+2+1"), ways ("rma") and Python's tests ("python"): each MPI its
# share of the covering design (scripts/stages.sh). Without it, all.
SHARE = os.environ.get("TEST_CLUSTER_SHARE", "").split()
shapes = [s for s in SHAPES if not SHARE or "+".join(map(str, s)) in SHARE]
ways = [w for w in WAYS if not SHARE or w[1] in SHARE]
python_shapes = shapes if not SHARE or "python" in SHARE else []

# What hosts cannot change: algebra, which Python's tests call too; solvers, whose messages are
# ScaLAPACK's; index arithmetic; how many objects an MPI and a node may have; what one process tests
# as well as many do.
ELSEWHERE = (
    "-Algebra*:Distribution.*:ElementType.*:EmptyPatch*:Error.*:Index.*:Patch*:Scalar*"
    ":SpecialNumbers*:*.Thousands*:Arena.*:CopyBytes.*:Kinds/Devices.*:Footprint.*"
    ":HostileMetadata.*:Nap.*:OpenFiles.*:Tiling.*:Blas*:LineSearch*:Matrix*:Matvec*:Scan*"
    ":Solvers*:TransposedViews*:Views*"
)
# And what another way between nodes cannot change: files, and what goes by messages anyway.
BY_ANY_WAY = (
    ":Checkpoint*:DamagedDisk*:Disk*:*Files*:FailingDisks*:Group*:MergePlan*:Mirror*"
    ":PowerFailures*:Reduce*"
)
# Of Python's tests, what hosts cannot change: NumPy's functions and how arrays are made.
ELSEWHERE_IN_PYTHON = ("arithmetic", "creation", "doctests")


@pytest.mark.parametrize("ranks", SHAPES)
def test_mpi_and_atoll_see_one_node_a_host(three_hosts, start, ranks):
    text = start(sys.executable, "-m", "atoll", "info", ranks=ranks).succeed()
    assert re.search(rf"^ranks: {sum(ranks)}$", text, re.M)
    assert re.search(rf"^nodes: {len(ranks)}\b", text, re.M)


@pytest.mark.parametrize("ranks", shapes)
def test_cpp(three_hosts, start, build, ranks):
    options = ["--gtest_color=no", f"--gtest_filter={ELSEWHERE}"]
    text = start(build / "tests/atoll_tests", *options, ranks=ranks).succeed(900)
    assert re.search(r"\[  PASSED  \] \d{3,} tests", text)


@pytest.mark.parametrize(("variable", "value", "ranks"), ways)
def test_cpp_in_other_ways(three_hosts, start, build, monkeypatch, variable, value, ranks):
    if value == "rma" and "openmpi" in build.name:
        pytest.skip("Open MPI's RMA over TCP takes minutes; virtual nodes test it")
    monkeypatch.setenv(variable, value)
    options = ["--gtest_color=no", f"--gtest_filter={ELSEWHERE}{BY_ANY_WAY}"]
    text = start(build / "tests/atoll_tests", *options, ranks=ranks).succeed(900)
    assert re.search(r"\[  PASSED  \] \d{3,} tests", text)


@pytest.mark.parametrize("ranks", python_shapes)
def test_python(three_hosts, start, ranks):
    # -v: the output names each test before it runs.
    options = ["-v", "--no-header", "--color=no", "-p", "no:cacheprovider"]
    limit = ["-o", "faulthandler_timeout=300"]
    tests = TESTS / "python"
    elsewhere = [f"--ignore={tests / f'test_{name}.py'}" for name in ELSEWHERE_IN_PYTHON]
    words = [sys.executable, "-m", "pytest", *options, *limit, *elsewhere, tests]
    text = start(*words, ranks=ranks).succeed(900)
    assert re.search(r"\d{4,} passed", text)


def test_a_hang_is_a_failure_that_names_the_test(three_hosts, start, build):
    options = ["--gtest_color=no", "--gtest_filter=Watchdog.*", "--watchdog=3", "--pause=1e6"]
    run = start(build / "tests/atoll_tests", *options, ranks=(2, 1))
    status, text = run.finish()
    assert status != 0
    assert re.search(r"\[rank [012]\] watchdog: Watchdog.Pause took over 3 s", text)
    assert run.last_test() == "Watchdog.Pause"


def test_programs_that_end_at_once_end_the_run(three_hosts, start):
    # Open MPI's daemons lost one in every few of these (atoll/cluster/launch.py).
    for _ in range(30):
        start("true", ranks=(2, 2)).succeed(60)
