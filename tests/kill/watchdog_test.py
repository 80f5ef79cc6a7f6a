"""The C++ tests' watchdog: a hang ends the run with a name, a machine's standstill does not."""

import re
import signal
import time

from launch import Run, kill


def start(pause):
    options = ["--gtest_color=no", "--gtest_filter=Watchdog.*", "--watchdog=3"]
    return Run("atoll_tests", *options, f"--pause={pause}", ranks=3)


def test_a_hang_ends_the_run_and_stuck_ranks_name_the_test():
    run = start(1e6)
    status, stdout, stderr = run.finish()
    assert status != 0
    assert "PASSED" not in stdout
    # The first that ends after its message ends the run: on a busy machine the others say nothing.
    assert re.search(
        r"^\[rank [012]\] watchdog: Watchdog.Pause took over 3 s; stack:", stderr, re.M
    )
    assert run.wait_until_gone() == []


def test_a_standstill_of_the_machine_is_no_hang():
    run = start(2)
    while "[ RUN" not in run.launcher.stdout.readline():
        pass
    ranks = run.ranks()
    assert len(ranks) == 3
    for pid in ranks:
        kill(pid, signal.SIGSTOP)
    time.sleep(5)  # longer than the limit
    for pid in ranks:
        kill(pid, signal.SIGCONT)
    status, stdout, stderr = run.finish()
    assert status == 0, stderr
    assert "[  PASSED  ] 1 test." in stdout
