"""Every benchmark between hosts, on a cluster in a box: each figure beside its limit and its goal.

    python bench/hosts.py [--quick] [--only PART]... [--mpi FOLDER] [--json FILE] [--plot FILE]

Parts: sizes (by size, network and path, beside MPI), busy (the target computes), overlap
(transfers hidden by computation), multiply (get-compute-update in four deployments), idle
(processor time of agents), small (many small operations); of mirrored arrays: mirrored (get),
merge (by size, network and hosts, beside MPI_Allreduce), mirrored-multiply (by network and ranks).
Makes the hosts, and removes them at the end. Needs root and iproute2. docs/benchmarks.md says how
to read the tables.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from atoll.cluster import Cluster, ClusterError
from atoll.cluster import run as run_on_hosts
from atoll.cluster.hosts import NETWORK, missing
from goals import Figure
from hosts_goals import HOST_GOALS, join
from hosts_plot import draw
from hosts_runs import AGENTS, HOSTS, LINE_RATES, PARTS, PATHS, Run, all_runs
from hosts_text import deployments_text, networks_text
from line import measure as measure_line
from mirrored_plot import draw_all
from mirrored_text import merges_text, mirrored_text, products_text
from run import ROOT, is_mpich, machine
from table import as_data, rows_of, summary_of, text_of

LIMIT_SECONDS = 900


class FailedRunError(Exception):
    """A run that failed; the others go on."""


def end(signal_number: int, frame: FrameType | None) -> None:  # noqa: ARG001  # the handler's form
    raise SystemExit(f"bench/hosts.py: ended by signal {signal_number}")


def run(planned: Run, options: argparse.Namespace) -> tuple[list[Figure], str]:
    """Make a run; its figures, named with its label, and its setting in words."""
    print(f"-- {planned.part}, {planned.label}", file=sys.stderr, flush=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ATOLL_")}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        words = [str(options.program), *planned.options, "--json", str(file), *planned.workloads]
        for name in ("quick", "priority"):
            if getattr(options, name):
                words.append(f"--{name}")
        try:
            done = run_on_hosts(
                words,
                (planned.ranks,) * planned.hosts,  # the first ones
                options.mpiexec,
                kept | planned.environment,
                stdout=sys.stderr,
                timeout=LIMIT_SECONDS,
            )
            if done.returncode != 0:
                raise FailedRunError(f"exit status {done.returncode}")
            data = json.loads(file.read_text(encoding="utf-8"))
        except subprocess.TimeoutExpired:
            for pid in Cluster().processes():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            raise FailedRunError(f"not done after {LIMIT_SECONDS} s") from None
        except (OSError, ValueError) as error:
            raise FailedRunError(str(error)) from None
    for figure in data["figures"]:
        figure["name"] = f"{planned.label}: {figure['name']}"
    return data["figures"], str(data["setting"])


def line_of(rate: str, quick: bool) -> dict[str, Any]:
    """Measure plain TCP between the hosts, about half a second at a time."""
    speed = LINE_RATES[rate] or 1.0
    count = int(speed * (0.1e9 if quick else 0.5e9))
    return measure_line(Cluster().hosts(), f"{NETWORK}.11", count, 3)


def measure(options: argparse.Namespace, runs: list[Run]) -> dict[str, Any]:
    """Make all runs on a fresh cluster, as large as one needs; figures, settings, failures."""
    result: dict[str, Any] = {"figures": [], "settings": {}, "lines": {}, "failures": {}}
    cluster = Cluster()
    cluster.up(max((planned.hosts for planned in runs), default=2))
    try:
        for planned in runs:
            if cluster.rate() != planned.rate:
                cluster.shape(planned.rate)
            name = f"{planned.part}, {planned.label}"
            try:
                if planned.part == "sizes" and planned.rate not in result["lines"]:
                    result["lines"][planned.rate] = line_of(planned.rate, options.quick)
                figures, setting = run(planned, options)
            except FailedRunError as failure:
                print(f"bench/hosts.py: {name} failed: {failure}", file=sys.stderr, flush=True)
                result["failures"][name] = str(failure)
                continue
            if planned.part == "sizes":
                for figure in figures:
                    if "bandwidth" in figure["name"]:
                        figure["peers"].append(result["lines"][planned.rate])
            for figure in figures:
                figure["part"] = planned.part
            result["figures"] += figures
            result["settings"][name] = setting
    finally:
        cluster.down()
    return result


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Benchmarks between two hosts in a box.")
    parser.add_argument("--quick", action="store_true", help="few sizes, short batches")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part only")
    parser.add_argument("--agent", action="append", choices=AGENTS, help="these agents only")
    parser.add_argument("--path", action="append", choices=("auto", *PATHS), help="these paths")
    parser.add_argument("--rate", action="append", choices=[*LINE_RATES], help="these networks")
    parser.add_argument("--hosts", action="append", type=int, choices=HOSTS, help="so many only")
    parser.add_argument(
        "--mpi", type=Path, default=Path(sys.prefix), metavar="FOLDER",
        help="environment whose bin/mpiexec belongs to the program's MPI",
    )  # fmt: skip
    parser.add_argument("--program", type=Path, help="atoll_bench")
    parser.add_argument("--priority", action="store_true", help="put the ranks before all others")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything to FILE")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a PNG (matplotlib)")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    beside = options.mpi / "bin" / "mpiexec"
    options.mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec")
    if options.mpiexec is None:
        parser.error(f"no mpiexec in {options.mpi}/bin nor in PATH")
    if options.program is None:
        kinds = ("release", "mpich") if is_mpich(options.mpiexec) else ("openmpi",)
        found = [ROOT / "build" / kind / "bench" / "atoll_bench" for kind in kinds]
        options.program = next((path for path in found if path.exists()), found[-1])
    if not options.program.exists():
        parser.error(f"{options.program} is not built")
    options.program = options.program.resolve()
    return options


def main() -> None:
    options = arguments()
    if reason := missing():
        raise SystemExit(f"bench/hosts.py: {reason}")
    agents = tuple(options.agent or AGENTS)
    rates, hosts = tuple(options.rate or LINE_RATES), tuple(options.hosts or HOSTS)
    runs = all_runs(agents, tuple(options.path or PATHS), rates, hosts)
    mpich = is_mpich(options.mpiexec)
    runs = [
        planned
        for planned in runs
        if (not options.only or planned.part in options.only) and (mpich or not planned.mpich_only)
    ]
    about = machine()
    signal.signal(signal.SIGTERM, end)
    try:
        result = measure(options, runs)
    except ClusterError as error:
        raise SystemExit(f"bench/hosts.py: {error}") from None
    figures = result["figures"]
    join(figures)
    rows = []
    for part in PARTS:
        of_part = [r for f in figures if f["part"] == part for r in rows_of(f, HOST_GOALS)]
        if of_part:
            print(f"\n{part}\n{text_of(of_part)}")
        rows += of_part
    print(networks_text(figures), deployments_text(figures), sep="", end="")
    print(mirrored_text(figures), merges_text(figures), products_text(figures), sep="")
    print(f"\n{about['processor']}, {about['cores']} cores; load at the start {about['load']:.2f}")
    print(summary_of(rows))
    for name, failure in result["failures"].items():
        print(f"  failed: {name}: {failure}")
    if options.json is not None:
        data = {"machine": about, "rows": as_data(rows)}
        data |= {key: result[key] for key in ("settings", "lines", "failures")}
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if options.plot is not None:
        if any(figure["part"] in ("sizes", "overlap") for figure in figures):
            draw(figures, options.plot)
        draw_all(figures, options.plot)
    missed = any(row.met is False for row in rows)
    if result["failures"] or (options.check and missed):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
