"""The hosts themselves: separate, shaped, and gone without a trace."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from atoll.cluster import Cluster, ClusterError, run
from atoll.cluster.hosts import FOLDER
from atoll.cluster.launch import command_line, ranks_of_hosts


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def traces():
    """What a cluster could leave: interfaces, namespaces, files, processes in a namespace."""
    links = [path.name for path in Path("/sys/class/net").iterdir() if "atoll" in path.name]
    spaces = [name for name in output("ip", "netns", "list").split() if name.startswith("atoll")]
    files = [str(FOLDER)] if FOLDER.exists() else []
    return links + spaces + files


@pytest.fixture
def cluster():
    cluster = Cluster()
    yield cluster
    cluster.down()


def on_hosts(*program, ranks=(1,)):
    done = run(program, ranks, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_hundred_starts_and_stops_leave_nothing():
    before = output("ip", "-o", "link", "show").count("\n")
    for number in range(100):
        Cluster().up(1 + number % 3, "1gbit" if number % 2 else "none")
        Cluster().down()
        assert traces() == []
    assert output("ip", "-o", "link", "show").count("\n") == before


def test_down_ends_what_runs_and_works_twice(cluster):
    cluster.up(2)
    program = [sys.executable, "-c", "import time; time.sleep(600)"]
    launcher, settings = command_line(
        str(Path(sys.executable).parent / "mpiexec"),
        [("atoll0", 1), ("atoll1", 2)],
        os.environ,
    )
    with subprocess.Popen(
        [*launcher, *program], env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as started:
        end = time.monotonic() + 20
        while len(cluster.processes()) < 3 and time.monotonic() < end:
            time.sleep(0.05)
        running = cluster.processes()
        assert len(running) >= 3
        cluster.down()
        cluster.down()
        started.wait(20)  # that it ends; its status is its own affair
    assert not [pid for pid in running if Path(f"/proc/{pid}/exe").exists()]
    assert traces() == []


def test_what_a_crash_in_the_middle_left_is_removed(cluster):
    subprocess.run(["ip", "netns", "add", "atoll7"], check=True)
    make = "ip link add atollv7 type veth peer name eth0 netns atoll7"
    subprocess.run(make.split(), check=True)
    cluster.down()
    assert traces() == []


def test_a_second_cluster_is_refused(cluster):
    cluster.up(1)
    with pytest.raises(ClusterError, match="is up already"):
        cluster.up(2)
    assert cluster.hosts() == ["atoll0"]


@pytest.mark.parametrize("hosts", [0, -1, 65])
def test_a_wrong_number_of_hosts_is_named(hosts):
    with pytest.raises(ValueError, match=f"hosts {hosts}"):
        Cluster().up(hosts)


@pytest.mark.parametrize("rate", ["", "fast", "0mbit", "1Gbit", "10"])
def test_a_wrong_rate_is_named(rate):
    with pytest.raises(ValueError, match=f"rate '{rate}'"):
        Cluster().up(1, rate)


def test_ranks_are_for_every_host_or_for_the_first_ones():
    hosts = ["a", "b", "c"]
    assert ranks_of_hosts([2], hosts) == [("a", 2), ("b", 2), ("c", 2)]
    assert ranks_of_hosts([1, 3], hosts) == [("a", 1), ("b", 3)]
    with pytest.raises(ValueError, match="4 hosts"):
        ranks_of_hosts([1, 1, 1, 1], hosts)
    with pytest.raises(ValueError, match="0"):
        ranks_of_hosts([0], hosts)


def test_without_a_cluster_a_run_says_how_to_get_one():
    with pytest.raises(ClusterError, match="atoll cluster up"):
        run(["true"])


def test_hosts_have_names_shared_memory_and_addresses_of_their_own(cluster):
    cluster.up(2)
    assert sorted(on_hosts("hostname", ranks=[2, 1])) == ["atoll0", "atoll0", "atoll1"]
    mark = Path("/dev/shm/atoll-cluster-test")
    mark.touch()
    try:
        assert on_hosts("ls", "/dev/shm") == []
    finally:
        mark.unlink()
    words = on_hosts("ip", "-4", "-o", "addr", "show", "eth0")
    addresses = sorted(word for word in words if word.startswith("10.77"))
    assert addresses == ["10.77.0.10/24", "10.77.0.11/24"]


@pytest.mark.parametrize("rate", ["100mbit", "1gbit"])
def test_links_carry_no_more_than_their_rate_and_most_of_it(cluster, rate):
    cluster.up(2, rate)
    megabits = 100 if rate == "100mbit" else 1000
    megabytes = megabits // 10
    receive = (
        "import socket, time; s = socket.create_server(('10.77.0.11', 5000)); c = s.accept()[0];"
        "t = time.monotonic(); n = 0\n"
        "while b := c.recv(1 << 20): n += len(b)\n"
        "print(n / (time.monotonic() - t) * 8e-6)"
    )
    send = (
        "import socket, time; time.sleep(0.5); c = socket.create_connection(('10.77.0.11', 5000));"
        f"c.sendall(bytes({megabytes} << 20)); c.close()"
    )
    enter = ["ip", "netns", "exec"]
    with subprocess.Popen(
        [*enter, "atoll1", sys.executable, "-c", receive], stdout=subprocess.PIPE, text=True
    ) as receiver:
        subprocess.run([*enter, "atoll0", sys.executable, "-c", send], check=True)
        measured = float(receiver.communicate(timeout=60)[0])
    assert 0.8 * megabits < measured < 1.1 * megabits
    cluster.shape("none")
    assert cluster.rate() == "none"
