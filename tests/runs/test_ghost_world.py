"""Programs with hidden ghost ranks: what they see of the world, and how all of it ends."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import atoll
import pytest
from atoll.ghost.launch import started_by
from mpi_runs import OPEN_MPI, communicate, waits

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent
FOREIGN = ("PMI", "PMIX", "HYDRA", "MPI", "OMPI", "PRTE", "ATOLL")


@pytest.fixture(scope="module")
def library():
    path = ROOT / os.environ.get("TEST_BUILD", "build/mpich") / "libatoll_ghost.so"
    if not path.exists():
        pytest.skip(f"no {path.name} in this build")
    return path


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    for source in (ROOT / "tests" / "ghost" / "world").glob("*.c"):
        options = ["-Wall", "-Werror", "-rdynamic"]  # libraries call what a program has of theirs
        command = [TOOLS / "mpicc", *options, source, "-o", folder / source.stem, "-ldl"]
        subprocess.run(command, check=True)
    return folder


@pytest.fixture
def start(library, programs):
    """Start so many ranks of a program with the library; the words are for the program."""

    def start(ranks: int, *words: str, **settings: str) -> subprocess.Popen[str]:
        program = programs / words[0]
        environment = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        command = [str(TOOLS / "mpiexec"), "-n", str(ranks), str(program), *words[1:]]
        settings = {"LD_PRELOAD": str(library), **settings}
        command, environment = started_by(command, settings, {**environment, **OPEN_MPI})
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)

    return start


@pytest.fixture
def run(start):
    """The same to its end: status, sorted lines of stdout, stderr."""

    def run(ranks: int, *words: str, **settings: str) -> tuple[int, list[str], str]:
        with start(ranks, *words, **settings) as process:
            stdout, stderr = communicate(process)
        return process.returncode, sorted(stdout.splitlines()), stderr

    return run


@pytest.fixture
def run_as_plain(run):
    """The same, of a program that Open MPI does not always run by itself: skipped where so.

    MPICH is not asked: where sessions begin again 5.0.2 by itself, rarely, ends or hangs in
    MPI_Comm_create_from_group. Under the library they do not end in between.
    """

    def run_as_plain(ranks: int, *words: str, **settings: str) -> tuple[int, list[str], str]:
        if "Open MPI" in atoll.describe():
            status, _, said = run(2, *words, LD_PRELOAD="")
            if status != 0:
                pytest.skip(f"this MPI alone ends it with status {status}: {said[:200]}")
        return run(ranks, *words, **settings)

    return run_as_plain


def processes(folder: Path) -> list[Path]:
    """Those that run a program of this folder, in /proc."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "exe").readlink().parent == folder:
                found.append(process)
        except OSError:
            continue  # ended, or somebody else's
    return found


def of(size: int, level: int = 0) -> list[str]:
    total = size * (size - 1) // 2
    return [
        f"rank {rank} of {size} in MPI_COMM_WORLD, sum {total}, level {level}"
        for rank in range(size)
    ]


@pytest.mark.parametrize(("nodes", "ghosts"), [(1, 1), (2, 1), (1, 2)])
def test_a_program_sees_a_world_without_ghosts_and_the_level_it_asked_for(run, nodes, ghosts):
    status, lines, said = run(4, "life", ATOLL_NODES=str(nodes), ATOLL_GHOST_RANKS=str(ghosts))
    assert (status, lines) == (0, of(4 - nodes * ghosts)), said


def test_a_thread_and_nobody_take_no_rank_from_the_program(run):
    assert run(2, "life")[:2] == (0, of(2))
    assert run(2, "life", ATOLL_GHOST="off")[:2] == (0, of(2))


@pytest.mark.parametrize("both", [False, True], ids=["alone", "beside MPI_Init"])
def test_process_sets_of_sessions_hold_no_ghosts(run, both):
    words = ["sessions", "both"] if both else ["sessions"]
    status, lines, said = run(4, *words, ATOLL_NODES="2", ATOLL_GHOST_RANKS="1")
    expected = [f"rank {r} of 2, set of 2, sum 1, initialized {int(both)}" for r in range(2)]
    assert (status, lines) == (0, expected), said


def test_sessions_without_ghosts_are_what_they_are_without_the_library(run):
    expected = [f"rank {r} of 2, set of 2, sum 1, initialized 0" for r in range(2)]
    for settings in ({}, {"ATOLL_GHOST": "off"}):
        status, lines, said = run(2, "sessions", **settings)
        assert (status, lines) == (0, expected), said


WAYS = [
    pytest.param(2, {"ATOLL_GHOST": "thread"}, id="thread"),
    pytest.param(2, {"ATOLL_GHOST": "thread", "ATOLL_NODES": "2"}, id="thread, two nodes"),
    pytest.param(3, {"ATOLL_GHOST_RANKS": "1"}, id="ranks"),
]


@pytest.mark.parametrize(("ranks", "settings"), WAYS)
def test_sessions_begin_again_and_their_windows_are_on_atoll(run_as_plain, ranks, settings):
    status, lines, said = run_as_plain(ranks, "again", ATOLL_GHOST_CHECK="1", **settings)
    expected = [f"rank {r} of 2, round {i}: {i + 1}" for r in range(2) for i in range(3)]
    assert (status, lines) == (0, expected), said
    assert said.count("atoll ghost: ") == 1
    assert "atoll ghost: 3 windows by MPI_Win_allocate: redirected to Atoll\n" in said


@pytest.mark.parametrize(("ranks", "settings"), WAYS)
def test_functions_that_the_end_of_mpi_calls_may_use_windows(run, ranks, settings):
    status, lines, said = run(ranks, "late", **settings)
    assert (status, lines) == (0, ["rank 0 of 2 found 42", "rank 1 of 2 found 41"]), said


@pytest.mark.parametrize(("ranks", "settings"), WAYS)
def test_windows_larger_than_memory_stay_mpis_where_little_of_them_is_touched(
    run_as_plain, ranks, settings
):
    status, lines, said = run_as_plain(ranks, "sparse", **settings)
    assert (status, lines) == (0, ["17 42"]), said
    assert said.count("MPI_Win_allocate that a node has no room for stay MPI's own") == 1


@pytest.mark.parametrize(("ranks", "settings"), WAYS)
def test_windows_on_own_memory_are_made_where_no_thread_can_be_had(run_as_plain, ranks, settings):
    status, lines, said = run_as_plain(ranks, "threadless", **settings)
    assert (status, lines) == (0, ["rank 0 of 2: 2", "rank 1 of 2: 2"]), said
    assert "atoll ghost: no thread for the progress of a window: " in said
    assert "windows of MPI_Win_create stay MPI's own, without progress" in said


@pytest.mark.parametrize(
    ("function", "refusal"),
    [
        ("MPI_Accumulate", "MPI_BAND is not for MPI_DOUBLE"),
        ("MPI_Fetch_and_op", "MPI_BXOR is not for MPI_FLOAT"),
        ("MPI_Rget_accumulate", "MPI_LOR is not for MPI_DOUBLE"),
    ],
)
def test_an_operation_that_a_type_does_not_have_is_told_with_function_type_and_operation(
    run, function, refusal
):
    status, lines, said = run(2, "refused", function, ATOLL_GHOST="thread")
    assert (status != 0, lines) == (True, []), said
    assert re.search(rf"^atoll ghost: {function}: .*: {refusal}$", said, re.MULTILINE), said


def test_spawning_and_wrong_ranks_go_to_the_handler_that_the_program_has_set(run):
    status, lines, said = run(3, "life", "errors", ATOLL_GHOST_RANKS="1")
    assert (status, lines[2:]) == (0, ["spawn refused 1, no ghost to send to 1"] * 2), said
    assert said.count("atoll ghost: MPI_Comm_spawn is refused where ghost ranks run") == 1


def test_the_library_steps_aside_where_atoll_itself_is_in_the_program(run):
    status, lines, said = run(3, "life", "aside", ATOLL_GHOST_RANKS="1")
    assert (status, lines) == (0, of(3)), said


@pytest.mark.parametrize("how", ["abort", "kill"])
def test_ghosts_end_with_a_program_that_ends_badly(run, programs, how):
    status, _, _ = run(4, "life", how, ATOLL_NODES="2", ATOLL_GHOST_RANKS="1")
    assert status != 0
    if how == "abort":
        assert status == 3
    for _ in waits(10):
        if not processes(programs):
            break
    assert processes(programs) == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ATOLL_GHOST_RANKS": "2"}, "environment variable ATOLL_GHOST_RANKS=2: a node has only 2"),
        ({"ATOLL_GHOST": "many"}, "ATOLL_GHOST=many: expected ranks, thread or off"),
        ({"ATOLL_GHOSTS": "1"}, "environment variable ATOLL_GHOSTS is unknown"),
    ],
)
def test_a_setting_that_cannot_be_ends_the_run_with_one_line(run, settings, said):
    status, _, message = run(2, "life", **settings)
    assert status != 0
    assert message.count("atoll ghost: ") == 1
    assert said in message


def test_idle_ghosts_take_less_than_a_twentieth_of_a_core(start, programs):
    def seconds() -> float:
        total = 0
        for process in processes(programs):
            total += sum(map(int, (process / "stat").read_text().rsplit(")", 1)[1].split()[11:13]))
        return total / os.sysconf("SC_CLK_TCK")

    with start(4, "life", "idle", ATOLL_NODES="2", ATOLL_GHOST_RANKS="1") as process:
        assert process.stdout is not None
        process.stdout.readline()  # the World runs
        time.sleep(0.5)
        before = seconds()
        assert len(processes(programs)) == 4
        time.sleep(2)
        taken = seconds() - before
        communicate(process)
    assert process.returncode == 0
    assert taken < 0.05 * 2
