"""Every benchmark, each in its proper setting, and one table: figure, peer, ratio, goal, met.

    python bench/run.py [--quick] [--json FILE] [--only PART]... [--program FILE] [--mpiexec FILE]

Parts: node (two ranks on one node), mpi (MPI there without Atoll), remote (two virtual nodes),
small (four ranks there), hosts (two ranks when MPI too must do without shared memory), fused and
elementwise (arithmetic by one rank beside a written loop and NumPy), python (call overhead), fock
(Fock build against PySCF), semi-direct (Fock builds that store integrals), fitted (RI-HF and RI-MP2
against PySCF), and, where there can be hosts in a box, triples-hosts ((T) on two and four hosts).
`--check` makes a missed goal the exit status. docs/benchmarks.md says how to read the table.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goals import Figure
from table import as_data, rows_of, summary_of, text_of

ROOT = Path(__file__).resolve().parent.parent
LIMIT_SECONDS = 1200


@dataclass(frozen=True)
class Part:
    """One run: a command to which --quick and --json FILE are added, and its environment."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    prefix: str = ""  # put before the names of its figures


def find_program() -> Path | None:
    found = [ROOT / "build" / kind / "bench" / "atoll_bench" for kind in ("release", "mpich")]
    return next((path for path in found if path.exists()), None)


def find_mpiexec() -> str | None:
    """Prefer the launcher of the environment that runs this script: it fits the built library."""
    own = Path(sys.prefix) / "bin" / "mpiexec"
    return str(own) if own.exists() else shutil.which("mpiexec")


def is_mpich(mpiexec: str) -> bool:
    answer = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False)
    return "HYDRA" in answer.stdout


def can_make_hosts() -> bool:
    """Tell whether there can be a cluster in a box: needs root."""
    if importlib.util.find_spec("atoll") is None:
        return False
    from atoll.cluster.hosts import missing

    return not missing()


def two_ranks(mpiexec: str) -> list[str]:
    """Start two ranks, each bound to a core where there is none to spare for their agents.

    Otherwise the scheduler sometimes puts both on one core for seconds, and times double.
    """
    tight = 2 <= len(os.sched_getaffinity(0)) < 4
    return [mpiexec, *(["--bind-to", "core"] if tight else []), "-n", "2"]


def parts(mpiexec: str, program: Path) -> list[Part]:
    two = two_ranks(mpiexec)
    here = Path(__file__).parent
    nodes = {"ATOLL_NODES": "2"}
    result = [
        Part("node", [*two, str(program)]),
        Part("mpi", [*two, str(program), "mpi-node"]),
        Part("remote", [*two, str(program)], nodes),
        Part("small", [mpiexec, "-n", "4", str(program), "small-patches"], nodes),
        Part("fused", [mpiexec, "-n", "1", str(program), "fused-add"]),
        Part("elementwise", [sys.executable, str(here / "elementwise.py")]),
        Part("python", [*two, sys.executable, str(here / "python_overhead.py")]),
        Part("fock", [sys.executable, str(here / "chem" / "fock.py")]),
        Part("semi-direct", [sys.executable, str(here / "chem" / "semi_direct.py")]),
        Part("fitted", [sys.executable, str(here / "chem" / "ri_speed.py")]),
    ]
    if can_make_hosts():
        result.append(
            Part("triples-hosts", [sys.executable, str(here / "chem" / "triples_hosts.py")])
        )
    if is_mpich(mpiexec):
        # MPICH then treats the two ranks as two hosts, and so does Atoll without being asked.
        apart = {"MPIR_CVAR_NOLOCAL": "1"}
        result.insert(3, Part("hosts", [*two, str(program), "remote-busy"], apart, "hosts: "))
    return result


def environment_of(part: Part) -> dict[str, str]:
    """Build the environment: none of the user's Atoll settings, one thread a rank."""
    result = {k: v for k, v in os.environ.items() if not k.startswith("ATOLL_")}
    result.update(
        # Open MPI refuses root and more ranks than cores unless told; MPICH ignores these.
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )
    if importlib.util.find_spec("atoll") is None:
        result["PYTHONPATH"] = str(ROOT / "python")
    return result | part.environment


def run(part: Part, quick: bool) -> tuple[list[Figure], str]:
    """Run a part; its figures, and its setting in words. SystemExit when it fails."""
    print(f"-- {part.name}: {' '.join(part.command)}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        command = [*part.command, "--json", str(file), *(["--quick"] if quick else [])]
        try:
            subprocess.run(
                command,
                env=environment_of(part),
                stdout=sys.stderr,
                check=True,
                timeout=LIMIT_SECONDS,
            )
            data = json.loads(file.read_text(encoding="utf-8"))
        except (subprocess.SubprocessError, OSError) as error:
            raise SystemExit(f"bench/run.py: {part.name} failed: {error}") from None
    figures = [{**figure, "name": part.prefix + figure["name"]} for figure in data["figures"]]
    return figures, str(data["setting"])


CALLS_FROM_CPP = {
    "python get 8 B, a[i, j]": "node get 8 B, 2-D",
    "python get 8 B, a[i:k, j]": "node get 8 B, 2-D",
    "python put 8 B, a[i, j] = 1.0": "node put 8 B, 2-D",
    "python accumulate 8 B, a.at[i, j] += 1.0": "node accumulate 8 B, 2-D",
}
MPI_ALONE = {
    **{
        f"node {operation} 8 B, {place}": f"MPI {operation} 8 B, shared window"
        for operation in ("get", "put", "accumulate")
        for place in ("1-D", "2-D")
    },
    **{
        f"node {what} {ranks}": f"MPI fetch-add {ranks}, shared window"
        for what in ("fetch-add", "counter")
        for ranks in ("alone", "by both ranks")
    },
}
"""Atoll's figure, and that of MPI in processes of its own, which serve one thread."""


def add_peers(figures: list[Figure], pairs: dict[str, str], name: str) -> None:
    """Set figures of other parts beside those that they belong to, where both were measured."""
    by_name = {figure["name"]: figure for figure in figures}
    for ours, other in pairs.items():
        if ours in by_name and other in by_name:
            found = by_name[other]
            peer = {"name": name, "best": found["best"], "median": found["median"]}
            by_name[ours]["peers"].insert(0, peer)


def machine() -> dict[str, Any]:
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else ""
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    return {"processor": model or platform.machine(), "cores": cores, "load": load}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run every benchmark and print one table.")
    parser.add_argument("--quick", action="store_true", help="few sizes, short batches")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table to FILE")
    parser.add_argument("--only", action="append", metavar="PART", help="run this part only")
    parser.add_argument("--program", type=Path, default=find_program(), help="atoll_bench")
    parser.add_argument("--mpiexec", default=find_mpiexec(), help="launcher of the MPI built with")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    if options.program is None:
        parser.error("atoll_bench is not built: cmake --preset release, then build")
    if options.mpiexec is None:
        parser.error("no mpiexec found")
    return options


def main() -> None:
    options = arguments()
    chosen = parts(options.mpiexec, options.program)
    unknown = set(options.only or ()) - {part.name for part in chosen}
    if unknown:
        raise SystemExit(f"bench/run.py: no part is called {', '.join(sorted(unknown))}")
    about = machine()
    figures: list[Figure] = []
    settings = {}
    for part in chosen:
        if not options.only or part.name in options.only:
            measured, settings[part.name] = run(part, options.quick)
            figures += measured
    add_peers(figures, CALLS_FROM_CPP, "C++ call")
    add_peers(figures, MPI_ALONE, "MPI RMA alone")
    rows = [row for figure in figures for row in rows_of(figure)]
    print(text_of(rows))
    print(f"\n{about['processor']}, {about['cores']} cores; load at the start {about['load']:.2f}")
    print(summary_of(rows))
    if options.json is not None:
        data = {"machine": about, "settings": settings, "rows": as_data(rows)}
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if options.check and any(row.met is False for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
