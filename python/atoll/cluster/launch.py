"""Starting an MPI program on the hosts of the cluster, with MPICH's launcher or with Open MPI's.

The launcher stays outside and enters each host through a script that stands in for ssh. The MPI
library is told to use TCP between hosts: namespaces of one machine look like one machine to
libraries that do not ask for the shared memory itself.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from atoll.cluster.hosts import BRIDGE, FOLDER, NETWORK, Cluster, ClusterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Set by another launcher, or for runs on one host: they must not reach this one.
_FOREIGN = ("PMI", "PMIX", "HYDRA_", "OMPI_COMM_", "PRTE_MCA_rmaps_default_mapping_policy")


def find_mpiexec() -> str:
    """Return the launcher beside this Python, else the one in PATH. ClusterError: there is none."""
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise ClusterError("no mpiexec beside Python nor in PATH")
    return found


def spread(size: int, hosts: int) -> list[int]:
    """Share so many ranks out to the hosts: as equally as possible, more on the first ones."""
    if size < 1:
        raise ValueError(f"-n {size}: expected a positive number")
    used = min(size, hosts)
    return [size // used + (host < size % used) for host in range(used)]


def ranks_of_hosts(ranks: Sequence[int], hosts: Sequence[str]) -> list[tuple[str, int]]:
    """Pair hosts and ranks: one number is for every host, several are for the first hosts."""
    counts = list(ranks) * len(hosts) if len(ranks) == 1 else list(ranks)
    if len(counts) > len(hosts):
        raise ValueError(f"ranks for {len(counts)} hosts were given, but {len(hosts)} are up")
    if any(count < 1 for count in counts):
        raise ValueError(f"ranks {','.join(map(str, ranks))}: expected positive numbers")
    return list(zip(hosts, counts, strict=False))


def _open_mpi(prefix: str, agent: str, interfaces: str, folder: str) -> dict[str, str]:
    """Set up Open MPI's launcher, whose own settings have the prefix and these names."""
    network = f"{NETWORK}.0/24"
    return {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        f"{prefix}plm": agent,
        f"{prefix}plm_{agent}_agent": str(FOLDER / "enter"),
        f"{prefix}plm_{agent}_no_tree_spawn": "1",
        f"{prefix}{interfaces}": network,
        # Files of the daemons go with the cluster: `down` leaves them no time to remove them.
        f"{prefix}{folder}": str(FOLDER),
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl_tcp_if_include": network,
    }


def _open_mpi_5() -> dict[str, str]:
    return _open_mpi("PRTE_MCA_", "ssh", "prte_if_include", "prte_tmpdir_base") | {
        # Daemons that start processes from several threads lose one that ends at once, and the run
        # never ends.
        "PRTE_MCA_odls_base_max_threads": "0",
        "OMPI_MCA_btl": "tcp,sm,self",
    }


def _open_mpi_4() -> dict[str, str]:
    return _open_mpi("OMPI_MCA_", "rsh", "oob_tcp_if_include", "orte_tmpdir_base") | {
        "OMPI_MCA_btl": "tcp,vader,self",
    }


def command_line(
    mpiexec: str, places: Sequence[tuple[str, int]], environment: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Build the launcher's words, without the program, and its environment.

    What the environment says already about MPI's networks is left as it is.

    Raises:
        ClusterError: the launcher is neither MPICH's (Hydra) nor Open MPI's.

    """
    settings = {k: v for k, v in environment.items() if not k.startswith(_FOREIGN)}
    hosts = ",".join(f"{host}:{count}" for host, count in places)
    size = str(sum(count for _, count in places))
    said = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False)
    if "HYDRA" in said.stdout:
        ours = {
            "MPIR_CVAR_CH4_NETMOD": "ofi",
            "FI_PROVIDER": "tcp",
            "FI_TCP_IFACE": "eth0",
            "UCX_TLS": "tcp,self",
            "UCX_NET_DEVICES": "eth0",
        }
        launcher = ["-iface", BRIDGE, "-launcher", "ssh", "-launcher-exec", str(FOLDER / "enter")]
        return [mpiexec, *launcher, "-hosts", hosts, "-n", size], ours | settings
    if open_mpi := re.search(r"\((?:Open MPI|OpenRTE)\) (\d+)\.", said.stdout):
        ours = _open_mpi_4() if open_mpi[1] == "4" else _open_mpi_5()
        # Open MPI does this itself where ranks outnumber cores, but these hosts share the cores.
        if int(size) > (os.cpu_count() or 1):
            ours["OMPI_MCA_mpi_yield_when_idle"] = "1"
        return [mpiexec, "--bind-to", "none", "-H", hosts, "-n", size], ours | settings
    raise ClusterError(
        f"{mpiexec} is neither MPICH's launcher nor Open MPI's: {said.stdout.strip()}"
    )


def run(
    program: Sequence[str],
    ranks: Sequence[int] = (1,),
    mpiexec: str | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    size: int | None = None,
    **options: object,
) -> subprocess.CompletedProcess[str]:
    """Run a program on the hosts that are up, and wait for its end.

    Args:
        program: Its words.
        ranks: Ranks of each host, or one number for all.
        mpiexec: The launcher; None: the one beside this Python, or in PATH.
        environment: What the ranks see; None: what this process sees.
        size: Ranks on all hosts together, in the place of `ranks`.
        options: For `subprocess.run`.

    Returns:
        What `subprocess.run` returns.

    Raises:
        ClusterError: no cluster is up, or the launcher is unknown.
        ValueError: wrong ranks.

    """
    hosts = Cluster().hosts()
    if not hosts:
        raise ClusterError("no cluster is up: 'atoll cluster up' makes one")
    given = os.environ if environment is None else environment
    if size is None:
        places = ranks_of_hosts(ranks, hosts)
    else:
        places = list(zip(hosts, spread(size, len(hosts)), strict=False))
    launcher, settings = command_line(mpiexec or find_mpiexec(), places, given)
    return subprocess.run(  # type: ignore[no-any-return, call-overload]
        [*launcher, *program], env=settings, check=False, **options
    )
