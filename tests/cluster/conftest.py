"""What the tests on several hosts share: hosts, runs on them, and a reason to skip without root.

There is one cluster a machine: one that is up already, perhaps of a run that crashed, is removed.
"""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from atoll.cluster import Cluster
from atoll.cluster.hosts import missing
from atoll.cluster.launch import command_line, find_mpiexec, ranks_of_hosts
from mpi_runs import PATIENCE, waits

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items):
    if reason := missing():
        for item in items:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def build():
    return ROOT / os.environ.get("TEST_BUILD", "build/mpich")


@pytest.fixture
def cluster():
    """The cluster, not up yet; gone after the test."""
    cluster = Cluster()
    cluster.down()
    yield cluster
    cluster.down()


@pytest.fixture(scope="module")
def three_hosts():
    cluster = Cluster()
    cluster.down()
    cluster.up(3)
    yield cluster
    cluster.down()


class Started:
    """A program on the hosts, whose output goes to a file: what it said before it hung is known."""

    def __init__(self, program, ranks, log):
        self.log = log
        places = ranks_of_hosts(ranks, Cluster().hosts())
        launcher, settings = command_line(find_mpiexec(), places, os.environ)
        with log.open("wb") as file:
            self.launcher = subprocess.Popen(
                [*launcher, *map(str, program)],
                env=settings,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    def finish(self, seconds=PATIENCE):
        """Wait for the end; give the exit status and what was printed.

        A run that takes longer is killed, and the test fails with the name of the one it was at.
        """
        for _ in waits(seconds):
            if self.launcher.poll() is not None:
                break
        else:
            at = self.last_test()
            self.kill()
            pytest.fail(f"not over after {seconds} s, at {at or 'no test'}; {self.end()}")
        return self.launcher.returncode, self.log.read_text(errors="replace")

    def succeed(self, seconds=PATIENCE):
        """Wait for the end, which must be a good one; give what was printed."""
        status, text = self.finish(seconds)
        if status != 0:
            pytest.fail(f"exit status {status}, at {self.last_test() or 'no test'}; {self.end()}")
        return text

    def wait_for(self, processes):
        """Wait until so many processes run on the hosts."""
        for _ in waits(PATIENCE):
            if len(Cluster().processes()) >= processes:
                return
        pytest.fail(f"{Cluster().processes()} run, expected {processes}; {self.end()}")

    def last_test(self):
        """Name the test, C++ or Python, that the output stopped at."""
        script = 'source scripts/summary.sh; last_test "$1"'
        words = ["bash", "-c", script, "bash", self.log]
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.strip()

    def end(self):
        return f"the end of its output:\n{self.log.read_text(errors='replace')[-8000:]}"

    def kill(self):
        """End the launcher and all that runs on the hosts."""
        self.launcher.kill()
        self.launcher.wait()
        for pid in Cluster().processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def start(tmp_path):
    """Start a program on the hosts that are up; whatever is still there after the test is ended."""
    started = []

    def start(*program, ranks=(1,)):
        started.append(Started(program, ranks, tmp_path / f"{len(started)}.log"))
        return started[-1]

    yield start
    for run in started:
        if run.launcher.poll() is None:
            run.kill()
