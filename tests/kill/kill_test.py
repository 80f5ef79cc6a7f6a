"""Killed runs leave nothing: no process, no file in shared memory, no scratch file.

Runs are killed (SIGKILL, so that nothing can clean up) at random moments: while they start, work
or end. The seed is fixed; TEST_KILL_ROUNDS asks for more rounds.
"""

import os
import random
import re
import signal
import time
from pathlib import Path

import pytest
from launch import Run, kill, with_open_mpi

ROUNDS = int(os.environ.get("TEST_KILL_ROUNDS", "50"))
SETTINGS = [(2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (4, 2), (4, 4)]

# Files of MPI's own. Those in /dev/shm are made in MPI's start-up and unlinked, by MPI or by Atoll
# for it, when all ranks have attached; a kill in that fraction of a second leaves them, with or
# without Atoll. Open MPI keeps its files until the end and has its launcher remove them: only
# where that is killed too, or was never there, they stay (docs/testing.md).
OF_MPI = re.compile(r"/dev/shm/(mpich_sh\w+|ucx_shm_\w+|vader_segment\S+|sm_segment\S+)")
SESSION_OF_OPEN_MPI = re.compile(r".*/ompi\.[^/]+(/.*)?")


def settle(run: Run, in_mpi_start=False, without_launcher=False) -> None:
    """After a kill: everything goes by itself, soon, and no file stays."""
    run.finish(60)  # not counting standstills of the machine
    assert run.wait_until_gone() == []
    left = run.files_left()
    nobody_tidies = without_launcher and with_open_mpi()
    if in_mpi_start or nobody_tidies:
        of_mpi = [name for name in left if OF_MPI.fullmatch(name)]
        for name in of_mpi:
            Path(name).unlink(missing_ok=True)
        left = [name for name in left if name not in of_mpi]
    if nobody_tidies:
        left = [name for name in left if not SESSION_OF_OPEN_MPI.fullmatch(name)]
    assert left == []


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_kill_of_all_ranks_leaves_nothing(round_):
    dice = random.Random(round_)
    ranks, nodes = dice.choice(SETTINGS)
    moment = dice.choice(["start", "work", "work", "end"])
    run = Run("hammer", 0.3 if moment == "end" else 1e9, ranks=ranks, nodes=nodes)
    if moment == "start":
        time.sleep(dice.uniform(0.0, 0.25))
    else:
        run.wait_until_started()
        time.sleep(dice.uniform(0.0, 1.0) if moment == "work" else dice.uniform(0.3, 0.4))
    for _ in range(3):  # in a start, also ranks that were not there yet a moment ago
        for pid in run.ranks():
            kill(pid)
        time.sleep(0.03)
    settle(run, in_mpi_start=moment == "start")


@pytest.mark.parametrize(("ranks", "nodes"), SETTINGS)
def test_kill_of_one_rank_ends_the_whole_run_soon(ranks, nodes):
    dice = random.Random(ranks * 10 + nodes)
    run = Run("hammer", ranks=ranks, nodes=nodes)
    run.wait_until_started()
    time.sleep(0.3)
    victims = run.ranks()
    assert len(victims) == ranks
    kill(dice.choice(victims))
    settle(run)
    assert run.launcher.returncode != 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("ranks", "nodes"), [(3, 1), (4, 2)])
def test_a_signal_to_the_launcher_ends_everything(ranks, nodes, number):
    run = Run("hammer", ranks=ranks, nodes=nodes)
    run.wait_until_started()
    time.sleep(0.3)
    kill(run.launcher.pid, number)
    settle(run)


@pytest.mark.parametrize(("ranks", "nodes"), [(2, 1), (4, 2)])
def test_kill_of_everything_at_once_leaves_nothing(ranks, nodes):
    run = Run("hammer", ranks=ranks, nodes=nodes)
    run.wait_until_started()
    time.sleep(0.3)
    run.kill_everything()
    settle(run, without_launcher=True)


@pytest.mark.parametrize(("ranks", "nodes"), [(1, 1), (2, 1), (4, 2)])
def test_an_orderly_end_leaves_nothing(ranks, nodes):
    run = Run("hammer", 0.5, ranks=ranks, nodes=nodes)
    status, stdout, stderr = run.finish()
    assert status == 0, stderr
    assert re.fullmatch(r"started\n\d+ arrays\n", stdout)
    assert run.wait_until_gone() == []
    assert run.files_left() == []


def test_a_killed_rank_without_a_launcher_leaves_nothing():
    run = Run("hammer")
    run.wait_until_started()
    for pid in run.ranks():
        kill(pid)
    settle(run, without_launcher=True)
