"""Runs of the programs of `bench/ghost`, plain and with `libatoll_ghost.so`; what they print."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from atoll.cluster import Cluster
from atoll.cluster.launch import command_line, ranks_of_hosts
from atoll.ghost.launch import started_by
from run import is_mpich

SOURCES = Path(__file__).parent / "ghost"
# Root may, ranks may outnumber cores, daemons lose no child, and windows make no noise.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_odls_base_max_threads": "0",
}
QUIET = {"OMPI_MCA_osc": "^ucx"}

Figures = dict[str, list[float]]


@dataclass(frozen=True)
class Way:
    """How one-sided operations make progress."""

    name: str
    settings: dict[str, str] = field(default_factory=dict)
    ghosts: int = 0  # beside the ranks of a node
    library: bool = True


WAYS = (
    Way("plain", library=False),
    Way("async", {"MPIR_CVAR_ASYNC_PROGRESS": "1"}, library=False),
    Way("thread", {"ATOLL_GHOST": "thread"}),
    Way("ranks", {"ATOLL_GHOST": "ranks", "ATOLL_GHOST_RANKS": "1"}, ghosts=1),
)


@dataclass(frozen=True)
class Places:
    """Where ranks run: so many on each of so many hosts, or on virtual nodes of this machine."""

    ranks: int
    hosts: int = 2
    virtual: bool = False


@dataclass(frozen=True)
class Bench:
    """What all runs have in common."""

    mpiexec: str
    library: Path
    ways: tuple[Way, ...]
    folder: Path  # for programs
    priority: bool = False
    limit: float = 120.0  # seconds of a run

    def program(self, name: str) -> str:
        """Build a program of `bench/ghost` with the compiler beside the launcher, once."""
        made = self.folder / name
        if not made.exists():
            launcher = Path(self.mpiexec)
            compiler = launcher.with_name(launcher.name.replace("mpiexec", "mpicc"))
            options = ["-std=c11", "-D_GNU_SOURCE", "-O2"]
            source = SOURCES / f"{name}.c"
            subprocess.run([str(compiler), *options, str(source), "-o", str(made)], check=True)
        return str(made)

    def launch(self, way: Way, places: Places, words: list[str]) -> Figures:
        """Run a program one way; its figures.

        Raises:
            CalledProcessError: it failed.
            TimeoutExpired: it took too long, and was ended; with what it had printed.

        """
        kept = {k: v for k, v in os.environ.items() if not k.startswith("ATOLL_")} | QUIET
        settings = dict(way.settings)
        if way.library:
            settings["LD_PRELOAD"] = str(self.library)
        ranks = places.ranks + way.ghosts
        if places.virtual:
            launcher, kept = [self.mpiexec, "-n", str(ranks * places.hosts)], kept | OPEN_MPI
            if places.hosts > 1 and is_mpich(self.mpiexec):
                settings["MPIR_CVAR_NUM_CLIQUES"] = str(places.hosts)
            elif places.hosts > 1 and way.library:
                settings["ATOLL_NODES"] = str(places.hosts)
        else:
            hosts = ranks_of_hosts((ranks,), Cluster().hosts()[: places.hosts])
            launcher, kept = command_line(self.mpiexec, hosts, kept)
        command, environment = started_by(launcher, settings, kept)
        if self.priority:
            command = ["nice", "-n", "-20", *command]
        return figures_of(output_of([*command, *words], environment, self.limit))

    def every_way(
        self, places: Places, words: list[str], what: str, *, unfinished: bool = False
    ) -> dict[str, Figures]:
        """Run a program all ways; the figures of those that did not fail.

        If `unfinished` ones count, of those that were not over in time what they had told until
        then, which may be nothing.
        """
        results: dict[str, Figures] = {}
        for way in self.ways:
            print(f"-- {what}, {way.name}", file=sys.stderr, flush=True)
            try:
                results[way.name] = self.launch(way, places, words)
            except subprocess.TimeoutExpired as failure:
                if unfinished:
                    results[way.name] = figures_of(failure.output or "")
                told = f"{what}, {way.name}: not over in {self.limit:.0f} s"
                print(f"bench/ghost.py: {told}", file=sys.stderr)
            except subprocess.CalledProcessError as failure:
                print(f"bench/ghost.py: {what}, {way.name} failed: {failure}", file=sys.stderr)
        return results


def output_of(command: list[str], environment: dict[str, str], limit: float) -> str:
    """Run a command; what it printed. A launcher that takes too long ends its ranks itself."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            said, _ = process.communicate(timeout=limit)
        except BaseException as failure:
            process.terminate()
            try:
                said, _ = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                said, _ = process.communicate()
            if isinstance(failure, subprocess.TimeoutExpired):
                failure.output = said
            raise
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return said


def figures_of(text: str) -> Figures:
    """Read the program's lines, each a name and numbers; a launcher may say more."""
    figures: Figures = {}
    for words in map(str.split, text.splitlines()):
        with suppress(ValueError):
            numbers = [float(word) for word in words[1:]]
            if numbers:
                figures[words[0]] = numbers
    return figures


def table_of(title: str, columns: list[str], rows: list[list[str]]) -> str:
    """Print a table in Markdown, with the names of the rows first in each."""
    lines = [[title, *columns], ["---"] * (len(columns) + 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
