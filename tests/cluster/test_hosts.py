"""The hosts themselves: separate, shaped, and gone without a trace."""

import os
import re
import shutil
import socket
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path

import pytest
from atoll.cluster import Cluster, ClusterError, run
from atoll.cluster.hosts import FOLDER
from atoll.cluster.launch import ranks_of_hosts
from mpi_runs import PATIENCE, communicate, waits


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def eventually(condition):
    """Whether something becomes true soon: the kernel and launchers tidy up a moment later."""
    return any(condition() for _ in waits(20))


def hosts_left():
    """What a cluster could leave under its own names: interfaces, namespaces, its folder."""
    links = [name for _, name in socket.if_nameindex() if "atoll" in name]
    spaces = [name for name in output("ip", "netns", "list").split() if name.startswith("atoll")]
    files = [str(FOLDER)] if FOLDER.exists() else []
    return links + spaces + files


def networks(hosts):
    """What the kernel calls the networks of the hosts: known still when their names are gone."""
    return {f"net:[{Path('/run/netns', host).stat().st_ino}]" for host in hosts}


def processes_in(networks):
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has just ended
                if os.readlink(folder / "ns/net") in networks:
                    found.add(int(folder.name))
    return found


def machine(scratch):
    """What else could stay: interfaces, mounts, files where runs have theirs.

    Others may work on the machine, too: in shared folders only what has our name is ours.
    """
    links = {name for _, name in socket.if_nameindex()}
    mounts = set(Path("/proc/self/mounts").read_text().splitlines())
    folders = ("/tmp", "/dev/shm", "/run", "/run/netns")
    files = {str(path) for folder in folders for path in Path(folder).glob("*")}
    ours = {text for text in links | mounts | files if re.search(r"atoll|netns", text)}
    return ours | set(scratch.rglob("*"))


ROUNDS = int(os.environ.get("TEST_CLUSTER_ROUNDS", "6"))


def test_starts_and_stops_leave_nothing(cluster, start, tmp_path, monkeypatch):
    scratch = tmp_path / "t"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    cluster.up(1)  # from here on iproute2 has its own folder, /run/netns, with its mount
    cluster.down()
    before = machine(scratch)
    for number in range(ROUNDS):
        cluster.up(1 + number % 3)
        if number % 3 == 1:
            assert start("hostname", ranks=[1, 2]).succeed().split().count("atoll1") == 2
        if number % 3 == 2:  # down is all that ends it
            start(sys.executable, "-c", "import time; time.sleep(600)", ranks=[2]).wait_for(9)
            assert len(processes_in(networks(cluster.hosts()))) >= 9
        inside = networks(cluster.hosts())
        cluster.down()
        assert hosts_left() == []
        assert eventually(lambda inside=inside: not processes_in(inside))
    assert eventually(lambda: machine(scratch) <= before), machine(scratch) - before


def test_down_ends_what_runs_and_works_twice(cluster, start):
    cluster.up(2)
    run = start(sys.executable, "-c", "import time; time.sleep(600)", ranks=[1, 2])
    run.wait_for(5)  # the ranks, and a daemon of the launcher on each host
    running = cluster.processes()
    cluster.down()
    cluster.down()
    run.finish()  # that it ends; its status is its own affair
    assert not [pid for pid in running if Path(f"/proc/{pid}/exe").exists()]
    assert hosts_left() == []


def test_a_cluster_whose_maker_was_killed_is_seen_and_removed(cluster):
    program = """
        import os, signal
        from atoll.cluster import Cluster
        Cluster().up(2)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False)
    assert Cluster().hosts() == ["atoll0", "atoll1"]
    cluster.down()
    assert hosts_left() == []


def test_what_a_crash_in_the_middle_left_is_removed(cluster):
    subprocess.run(["ip", "netns", "add", "atoll7"], check=True)
    make = "ip link add atollv7 type veth peer name eth0 netns atoll7"
    subprocess.run(make.split(), check=True)
    cluster.down()
    assert hosts_left() == []


def test_a_second_cluster_is_refused(cluster):
    cluster.up(1)
    with pytest.raises(ClusterError, match="is up already"):
        cluster.up(2)
    assert cluster.hosts() == ["atoll0"]


def on_hosts(*program, ranks=(1,)):
    done = run(program, ranks, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


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


def test_one_rank_in_all_is_on_the_first_host_alone(cluster):
    cluster.up(2)
    done = run(["hostname"], size=1, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout.split()) == (0, ["atoll0"]), done.stderr


def test_the_launcher_of_open_mpi_4_starts_ranks_on_every_host(cluster):
    if (launcher := shutil.which("mpiexec.openmpi")) is None:
        pytest.skip("no mpiexec.openmpi")
    cluster.up(2)
    options = {"capture_output": True, "text": True, "timeout": PATIENCE}
    done = run(["hostname"], (2, 1), launcher, **options)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["atoll0", "atoll0", "atoll1"]


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


def megabits_per_second(megabytes):
    """Send so much from the first host to the second; give the rate that arrives there."""
    receive = (
        "import socket, time; s = socket.create_server(('10.77.0.11', 5000)); print('ready');"
        "c = s.accept()[0]; t = time.monotonic(); n = 0\n"
        "while b := c.recv(1 << 20): n += len(b)\n"
        "print(n / (time.monotonic() - t) * 8e-6)"
    )
    send = (
        "import socket; c = socket.create_connection(('10.77.0.11', 5000));"
        f"c.sendall(bytes({megabytes} << 20)); c.close()"
    )
    enter = ["ip", "netns", "exec"]
    with subprocess.Popen(
        [*enter, "atoll1", sys.executable, "-u", "-c", receive], stdout=subprocess.PIPE, text=True
    ) as receiver:
        assert receiver.stdout.readline() == "ready\n"
        subprocess.run([*enter, "atoll0", sys.executable, "-c", send], check=True)
        return float(communicate(receiver)[0])


@pytest.mark.parametrize("rate", ["100mbit", "1gbit"])
def test_links_carry_no_more_than_their_rate_and_not_far_less(cluster, rate):
    try:
        cluster.up(2, rate)
    except ClusterError as error:
        if "qdisc kind is unknown" in str(error):
            pytest.skip(f"this kernel limits no rates ({error})")
        raise
    assert cluster.rate() in (rate, {"1gbit": "1000mbit"}.get(rate))
    # A busy machine may be slower, but never faster.
    megabits, fewest = (100, 50) if rate == "100mbit" else (1000, 200)
    for _ in range(5):
        measured = megabits_per_second(megabits // 10)
        assert measured < 1.1 * megabits
        if measured > fewest:
            break
    else:
        pytest.fail(f"{measured} Mbit/s")
    cluster.shape("none")
    assert cluster.rate() == "none"
