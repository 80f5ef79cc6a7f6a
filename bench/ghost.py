"""One-sided operations of plain MPI with `atoll ghost` and without: a table in Markdown.

    python bench/ghost.py [--quick] [--library FILE] [--only WAY]... [--one-host]
                          [--ranks N] [--priority]

On two hosts in a box (docs/cluster.md; as root), or on one host: operations
whose target computes, operations whose target waits in MPI, bandwidth, and how long it takes to
make a window. Ways: plain MPI, MPICH's own thread (async), and the library's thread and ghost
ranks. The MPI is the one beside this Python. Times: median / 99th percentile in microseconds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from atoll.cli.ghost import find_library, started_by
from atoll.cluster import Cluster
from atoll.cluster.hosts import missing
from atoll.cluster.launch import command_line, find_mpiexec, ranks_of_hosts
from run import is_mpich

PROGRAM = Path(__file__).parent / "ghost" / "operations.c"
LIMIT_SECONDS = 500
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_odls_base_max_threads": "0",
}


@dataclass(frozen=True)
class Way:
    """How one-sided operations make progress."""

    name: str
    settings: dict[str, str] = field(default_factory=dict)
    ghosts: int = 0  # beside the ranks of a host
    library: bool = True


WAYS = (
    Way("plain", library=False),
    Way("async", {"MPIR_CVAR_ASYNC_PROGRESS": "1"}, library=False),
    Way("thread", {"ATOLL_GHOST": "thread"}),
    Way("ranks", {"ATOLL_GHOST": "ranks", "ATOLL_GHOST_RANKS": "1"}, ghosts=1),
)


def launch(way: Way, options: argparse.Namespace, words: list[str]) -> str:
    """Run the program one way; its output."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ATOLL_")}
    settings = dict(way.settings)
    if way.library:
        settings["LD_PRELOAD"] = str(options.library)
    ranks = options.ranks + way.ghosts
    if options.one_host:
        launcher, kept = [options.mpiexec, "-n", str(ranks)], kept | OPEN_MPI
    else:
        places = ranks_of_hosts((ranks,), Cluster().hosts())
        launcher, kept = command_line(options.mpiexec, places, kept)
    command, environment = started_by(launcher, settings, kept)
    priority = ["nice", "-n", "-20"] if options.priority else []
    done = subprocess.run(
        [*priority, *command, *words],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=LIMIT_SECONDS,
    )
    return done.stdout


def figures_of(text: str) -> dict[str, list[float]]:
    """Read the program's lines, each a name and numbers."""
    lines = [line.split() for line in text.splitlines()]
    return {words[0]: [float(word) for word in words[1:]] for words in lines if len(words) > 1}


def in_words(numbers: list[float] | None) -> str:
    if numbers is None:
        return "-"
    if len(numbers) == 1:
        return f"{numbers[0]:.0f} MB/s"
    return f"{numbers[1]:.3g} / {numbers[2]:.3g}"


def table_of(title: str, results: dict[str, dict[str, list[float]]]) -> str:
    """Print operations down and ways across."""
    names = list(dict.fromkeys(name for figures in results.values() for name in figures))
    rows = [f"| {title} | {' | '.join(results)} |", "|---" * (len(results) + 1) + "|"]
    for name in names:
        cells = [in_words(figures.get(name)) for figures in results.values()]
        rows.append(f"| {name.replace('_', ' ')} | {' | '.join(cells)} |")
    return "\n".join(rows)


def measure(options: argparse.Namespace, program: Path) -> None:
    """Measure each way, and print a table for busy targets and one for idle ones."""
    for kind, samples in (
        ("busy", 3 if options.quick else 20),
        ("idle", 5 if options.quick else 20),
    ):
        results: dict[str, dict[str, list[float]]] = {}
        for way in WAYS:
            if options.only and way.name not in options.only:
                continue
            if way.name == "async" and not is_mpich(options.mpiexec):
                continue
            print(f"-- {kind}, {way.name}", file=sys.stderr, flush=True)
            try:
                results[way.name] = figures_of(
                    launch(way, options, [str(program), kind, str(samples)])
                )
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as failure:
                print(f"bench/ghost.py: {way.name} failed: {failure}", file=sys.stderr)
        print(f"\n{table_of(f'{kind} target', results)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Plain MPI with atoll ghost and without.")
    parser.add_argument("--quick", action="store_true", help="few samples")
    parser.add_argument(
        "--library", type=Path, help="libatoll_ghost.so (default: the installed one)"
    )
    parser.add_argument("--only", action="append", choices=[way.name for way in WAYS])
    parser.add_argument(
        "--one-host", action="store_true", help="two ranks on this machine, no hosts"
    )
    parser.add_argument("--ranks", type=int, default=2, metavar="N", help="of a host (2)")
    parser.add_argument("--priority", action="store_true", help="put the ranks before all others")
    options = parser.parse_args()
    options.library = find_library(options.library)
    options.mpiexec = find_mpiexec()
    if not options.one_host and (reason := missing()):
        raise SystemExit(f"bench/ghost.py: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "operations"
        compiler = str(Path(options.mpiexec).parent / "mpicc")
        words = [compiler, "-std=c11", "-D_GNU_SOURCE", "-O2", str(PROGRAM), "-o", str(program)]
        subprocess.run(words, check=True)
        if options.one_host:
            measure(options, program)
            return
        cluster = Cluster()
        cluster.up(2)
        try:
            measure(options, program)
        finally:
            cluster.down()


if __name__ == "__main__":
    main()
