"""The hosts and the links between them: made, shaped and removed with `ip` and `tc`.

What exists is always read from the kernel, never remembered, so that `down` finds whatever a
crashed `up` or run has left. Names begin with "atoll"; others are not touched.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

BRIDGE = "atollbr"
NETWORK = "10.77.0"  # /24; hosts from .10 on, the bridge is .254
MOST_HOSTS = 64
FOLDER = Path("/run/atoll-cluster")
_HOST = re.compile(r"atoll(\d+)")
_PROBED = re.compile(r"atollprobe(\d+)")
_RATE = re.compile(r"([1-9]\d*)(kbit|mbit|gbit)")
_UNITS = {"kbit": 10**3, "mbit": 10**6, "gbit": 10**9}

# Enters a host in place of ssh. The launcher's arguments are quoted for a remote shell, so a shell
# reads them again. Ranks of one host are children of one call and share its /dev/shm; other runs
# do not, and the file system goes with the last process.
_ENTER = """#!/bin/bash
while [ "${1#-}" != "$1" ]; do shift; done  # options of ssh
host=${1##*@}
shift
export ATOLL_CLUSTER_COMMAND="$*"
exec ip netns exec "$host" unshare --uts --ipc --mount /bin/bash -c '
  hostname "$0"
  mount -t tmpfs -o mode=1777 tmpfs /dev/shm
  command=$ATOLL_CLUSTER_COMMAND
  unset ATOLL_CLUSTER_COMMAND
  exec /bin/bash -c "$command"' "$host" < /dev/null
"""


# Tries what hosts need, in a namespace that takes with it what was made there.
_PROBE = (
    ["ip", "link", "add", "atollbr", "type", "bridge"],
    ["ip", "link", "add", "atollv0", "type", "veth", "peer", "name", "eth0"],
    ["unshare", "--uts", "--ipc", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"],
    ["unshare", "--uts", "hostname", "atoll0"],
)


class ClusterError(RuntimeError):
    """Something that the cluster needs is missing, or the kernel refused."""


def _command(*words: str) -> str:
    """Run a command; return what it printed. ClusterError with its message when it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ClusterError(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def missing() -> str:
    """Tell why there can be no cluster here; an empty text if there can."""
    if os.geteuid() != 0:
        return "a cluster in a box needs root"
    for tool in ("ip", "tc", "unshare", "mount", "hostname"):
        if shutil.which(tool) is None:
            package = "iproute2" if tool in ("ip", "tc") else "util-linux, mount and hostname"
            return f"a cluster in a box needs the command '{tool}' (Debian: {package})"
    probe = f"atollprobe{os.getpid()}"  # _PROBED
    try:
        _command("ip", "netns", "add", probe)
    except ClusterError as error:
        return f"this system allows no network namespaces ({error})"
    try:
        for words in _PROBE:
            _command("ip", "netns", "exec", probe, *words)
    except ClusterError as error:
        return f"this system allows not all that a cluster in a box needs ({error})"
    finally:
        _command("ip", "netns", "delete", probe)
    return ""


def check_rate(rate: str) -> str:
    """Return the rate if it is "none" or like "100mbit"; ValueError otherwise."""
    if rate != "none" and not _RATE.fullmatch(rate):
        raise ValueError(f"rate '{rate}': expected 'none' or a number with kbit, mbit or gbit")
    return rate


def _burst(rate: str) -> str:
    """Return how much may leave at once: enough for a few milliseconds between timer ticks."""
    number, unit = _RATE.fullmatch(rate).groups()  # type: ignore[union-attr]  # checked before
    return "32kbit" if int(number) * _UNITS[unit] <= 200 * 10**6 else "256kbit"


def _namespaces() -> list[str]:
    folder = Path("/run/netns")
    return [path.name for path in folder.iterdir()] if folder.is_dir() else []


def _interfaces() -> list[str]:
    """List the network interfaces; not from /sys, which may show another namespace's."""
    return [name for _, name in socket.if_nameindex()]


def _dead_probes() -> list[str]:
    """List the namespaces of `missing` whose process was killed."""
    found = [match for name in _namespaces() if (match := _PROBED.fullmatch(name))]
    return [match[0] for match in found if not Path("/proc", match[1]).exists()]


class Cluster:
    """The cluster of this machine. All methods but `hosts` need root."""

    def hosts(self) -> list[str]:
        """List the hosts that are up, in order."""
        names = [name for name in _namespaces() if _HOST.fullmatch(name)]
        return sorted(names, key=lambda name: int(name.removeprefix("atoll")))

    def up(self, hosts: int, rate: str = "none") -> None:
        """Make the hosts and their links.

        Args:
            hosts: How many, 1 to 64.
            rate: Of each link in each direction, like "100mbit" or "1gbit"; "none": unshaped.

        Raises:
            ValueError: a bad number or rate.
            ClusterError: a cluster is up already, or it cannot be made; nothing stays then.

        """
        if not 1 <= hosts <= MOST_HOSTS:
            raise ValueError(f"hosts {hosts}: expected 1 to {MOST_HOSTS}")
        check_rate(rate)
        if self.hosts() or self._bridge_exists():
            raise ClusterError("a cluster is up already: 'atoll cluster down' removes it")
        if reason := missing():
            raise ClusterError(reason)
        try:
            self._make(hosts)
            self.shape(rate)
        except BaseException:
            self.down()
            raise

    def _make(self, hosts: int) -> None:
        FOLDER.mkdir(mode=0o755, exist_ok=True)
        enter = FOLDER / "enter"
        enter.write_text(_ENTER)
        enter.chmod(0o755)
        _command("ip", "link", "add", BRIDGE, "type", "bridge")
        _command("ip", "address", "add", f"{NETWORK}.254/24", "dev", BRIDGE)
        _command("ip", "link", "set", BRIDGE, "up")
        for number in range(hosts):
            host, link = f"atoll{number}", f"atollv{number}"
            _command("ip", "netns", "add", host)
            _command(*f"ip link add {link} type veth peer name eth0 netns {host}".split())
            _command("ip", "link", "set", link, "master", BRIDGE, "up")
            address = f"{NETWORK}.{10 + number}/24"
            _command("ip", "-n", host, "address", "add", address, "dev", "eth0")
            _command("ip", "-n", host, "link", "set", "eth0", "up")
            _command("ip", "-n", host, "link", "set", "lo", "up")

    def shape(self, rate: str) -> None:
        """Limit every link, in each direction, to the rate; "none" takes the limit away."""
        check_rate(rate)
        for host in self.hosts():
            link = "atollv" + host.removeprefix("atoll")
            inside = ("ip", "netns", "exec", host)
            for prefix, device in ((inside, "eth0"), ((), link)):
                with suppress(ClusterError):  # none was set
                    _command(*prefix, "tc", "qdisc", "delete", "dev", device, "root")
                # As a network card's segmentation offload, where the kernel lets us choose: what
                # fits into a burst is not cut into packets. Work for every packet took most of a
                # core at 1 Gbit/s, which the programs under measurement then lacked.
                largest = "65536" if rate == "none" else "30000"
                with suppress(ClusterError):
                    _command(*prefix, "ip", "link", "set", "dev", device, "gso_max_size", largest)
                if rate != "none":
                    limit = f"root tbf rate {rate} burst {_burst(rate)} latency 400ms"
                    _command(*prefix, "tc", "qdisc", "add", "dev", device, *limit.split())

    def rate(self) -> str:
        """Tell the rate of the links, "none" if they are not shaped."""
        for host in self.hosts():
            text = _command("ip", "netns", "exec", host, "tc", "qdisc", "show", "dev", "eth0")
            if found := re.search(r"\btbf\b.*?\brate (\d+)([KMG])bit", text):
                return f"{found[1]}{found[2].lower()}bit"
        return "none"

    def processes(self) -> list[int]:
        """List the processes that run in the hosts."""
        return [
            int(pid)
            for host in self.hosts()
            for pid in _command("ip", "netns", "pids", host).split()
        ]

    def down(self) -> None:
        """End all that runs in the hosts and remove everything. Harmless when nothing is up."""
        end = time.monotonic() + 10
        while self.hosts() and (pids := self.processes()) and time.monotonic() < end:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        for link in self._links():
            _command("ip", "link", "delete", link)  # with its other end
        for host in [*self.hosts(), *_dead_probes()]:
            _command("ip", "netns", "delete", host)
        if self._bridge_exists():
            _command("ip", "link", "delete", BRIDGE)
        shutil.rmtree(FOLDER, ignore_errors=True)

    def _links(self) -> list[str]:
        return [name for name in _interfaces() if re.match(r"atollv\d", name)]

    def _bridge_exists(self) -> bool:
        return BRIDGE in _interfaces()
