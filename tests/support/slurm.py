"""A Slurm of two nodes on this machine, for tests: all its files are in one folder.

The daemons of Debian's `slurmctld`, `slurmd` and `munge` run in namespaces of their own
(slurm_box.sh), beside whatever Slurm the machine may have, and end with the first process of these.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from mpi_runs import PATIENCE, communicate, piped, waits

TOOLS = {
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "ip": "iproute2",
    "munged": "munge",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "srun": "slurm-client",
}

SPACES = ("--net", "--mount", "--uts", "--ipc", "--pid", "--mount-proc", "--fork", "--kill-child")

# Nodes with more processors than the machine may have, which run what they are given at once.
CONFIGURATION = """\
ClusterName=box
SlurmctldHost=slurmbox(10.78.0.1)
SlurmctldPort=17010
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=node1 NodeHostname=slurmbox NodeAddr=10.78.0.1 Port=17011 CPUs=4
NodeName=node2 NodeHostname=slurmbox NodeAddr=10.78.0.2 Port=17012 CPUs=4
PartitionName=all Nodes=node1,node2 Default=YES State=UP
"""


def missing() -> str:
    """Tell why there can be no Slurm here; an empty text if there can."""
    if os.geteuid() != 0:
        return "a Slurm of its own needs root"
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            return f"a Slurm of its own needs the command '{tool}' (Debian: {package})"
    return ""


class Slurm:
    """The box; use as a context. `output` runs commands in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._first = 0  # of the processes in the box

    def __enter__(self) -> Slurm:
        for name in ("state", "spool-node1", "spool-node2"):
            (self.folder / name).mkdir()
        self.folder.chmod(0o755)  # munge's clients are to reach its socket
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(folder=self.folder))
        said = subprocess.run(["slurmd", "-V"], capture_output=True, text=True, check=True).stdout
        version = tuple(map(int, re.findall(r"\d+", said)[:2]))
        plugin = "disabled" if version >= (23, 11) else "cgroup/v1"  # which nothing uses
        (self.folder / "cgroup.conf").write_text(f"CgroupPlugin={plugin}\n")
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        script = Path(__file__).with_name("slurm_box.sh")
        self._box = piped(
            ["setpriv", "--pdeathsig=KILL", "unshare", *SPACES, "bash", script, self.folder],
            self._environment(),
        )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait(self) -> None:
        assert self._box.stdout is not None
        said = self._box.stdout.readline()
        if said != "ready\n":
            said += self._box.communicate()[0]
            raise RuntimeError(f"Slurm does not start: {said}")
        children = Path(f"/proc/{self._box.pid}/task/{self._box.pid}/children")
        self._first = int(children.read_text())

    def __exit__(self, *_: object) -> None:
        self._box.kill()  # and the kernel all in the box
        self._box.communicate()
        for _ in waits(10.0):
            if not self._first or not Path(f"/proc/{self._first}").exists():
                break

    def _environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "ATOLL_"))}
        return kept | {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def run(
        self, command: str, folder: Path, seconds: float = PATIENCE, **settings: str
    ) -> tuple[int, str]:
        """Run a command of the shell in a folder in the box; give status and output."""
        words = ["nsenter", "--all", f"--target={self._first}", f"--wd={folder}", "bash", "-c"]
        process = piped([*words, f"{{ {command}\n}} 2>&1"], self._environment() | settings)
        try:
            said, _ = communicate(process, seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, said
