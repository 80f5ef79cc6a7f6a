"""One-sided operations of plain MPI with `atoll ghost` and without: tables in Markdown.

    python bench/ghost.py [PART]... [--quick] [--library FILE] [--only WAY]... [--ranks N]
                          [--least N] [--most N] [--limit SECONDS] [--mpiexec FILE] [--plot FILE]
                          [--priority] [--one-host]

Parts: busy (operations whose target computes), idle (whose target waits in MPI, bandwidth),
creation (MPI_Win_allocate by ranks, on one node and on two virtual ones), tasks (get, compute,
update, with its computational efficiency), overlap (operations behind computation). Without any:
busy and idle. All but creation run on hosts in a box (docs/cluster.md; as root), or busy and idle
on one host. Ways: plain MPI, MPICH's own thread (async), and the library's thread and ghost ranks.
The MPI is the one beside this Python, or that of --mpiexec, with the mpicc beside it. Times: median
/ 99th percentile in microseconds, and how many times plain MPI's median that is.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
from pathlib import Path
from types import FrameType

from atoll.cluster import Cluster
from atoll.cluster.hosts import missing
from atoll.cluster.launch import find_mpiexec
from atoll.ghost.launch import find_library
from ghost_overlap import Point, measure_overlap, overlap_text
from ghost_plot import draw
from ghost_runs import WAYS, Bench, Places
from ghost_tables import measure_creation, measure_operations
from ghost_tasks import Row, measure_tasks, tasks_text
from run import is_mpich

PARTS = ("busy", "idle", "creation", "tasks", "overlap")


def end(signal_number: int, frame: FrameType | None) -> None:  # noqa: ARG001  # the handler's form
    raise SystemExit(f"bench/ghost.py: ended by signal {signal_number}")


def measure(bench: Bench, parts: list[str], options: argparse.Namespace) -> None:
    """Measure part by part, and print each one's table when it is there."""
    points: list[Point] = []
    rows: list[Row] = []
    for part in parts:
        if part == "creation":
            ranks = range(options.least, options.most + 1)
            text = measure_creation(bench, ranks, 5 if options.quick else 20)
        elif part == "tasks":
            rows = measure_tasks(bench, options.ranks, quick=options.quick)
            text = tasks_text(rows)
        elif part == "overlap":
            points = measure_overlap(bench, quick=options.quick)
            text = overlap_text(points)
        else:
            places = Places(options.ranks, 1 if options.one_host else 2, options.one_host)
            text = measure_operations(bench, places, part, 3 if options.quick else 20)
        print(f"\n{text}", flush=True)
    if options.plot:
        draw(points, rows, options.plot)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Plain MPI with atoll ghost and without.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="few samples")
    parser.add_argument(
        "--library", type=Path, help="libatoll_ghost.so (default: the installed one)"
    )
    parser.add_argument("--only", action="append", choices=[way.name for way in WAYS])
    parser.add_argument(
        "--one-host", action="store_true", help="busy and idle on this machine, no hosts"
    )
    parser.add_argument("--ranks", type=int, default=2, metavar="N", help="of a host (2)")
    parser.add_argument("--least", type=int, default=1, metavar="N", help="ranks of creation (1)")
    parser.add_argument("--most", type=int, default=16, metavar="N", help="ranks of creation (16)")
    parser.add_argument("--limit", type=float, default=120.0, metavar="SECONDS", help="of a run")
    parser.add_argument("--mpiexec", help="the launcher (default: beside this Python)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="a picture of tasks and overlap")
    parser.add_argument("--priority", action="store_true", help="put the ranks before all others")
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"part '{part}': expected one of {', '.join(PARTS)}")
    return options


def main() -> None:
    options = read_options()
    parts = options.parts or ["busy", "idle"]
    mpiexec = options.mpiexec or find_mpiexec()
    ways = tuple(
        way
        for way in WAYS
        if (not options.only or way.name in options.only)
        and (way.name != "async" or is_mpich(mpiexec))
    )
    on_hosts = any(
        part in ("tasks", "overlap") or (part != "creation" and not options.one_host)
        for part in parts
    )
    if on_hosts and (reason := missing()):
        raise SystemExit(f"bench/ghost.py: {reason}")
    signal.signal(signal.SIGTERM, end)
    with tempfile.TemporaryDirectory() as folder:
        library = find_library(options.library)
        bench = Bench(mpiexec, library, ways, Path(folder), options.priority, options.limit)
        if not on_hosts:
            measure(bench, parts, options)
            return
        cluster = Cluster()
        cluster.up(4 if "tasks" in parts else 2)
        try:
            measure(bench, parts, options)
        finally:
            cluster.down()


if __name__ == "__main__":
    main()
