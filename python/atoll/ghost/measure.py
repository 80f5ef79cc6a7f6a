"""Which way of progress does most: the same tasks by as many processes, each way in turn."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from atoll.ghost.choice import Choice, this_machine
from atoll.ghost.launch import launcher_in_words, started_by

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 2.0  # of a run
TURNS = 2
LIMIT_SECONDS = 120.0
# Ghost ranks change the size of a program's world: they must be better by this to be chosen.
WORTH = 1.05
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Measurement:
    """Runs of the tasks with the words of a launcher, as programs are started later."""

    def __init__(self, command: list[str], library: Path) -> None:
        self.command = command
        self.library = library
        kept = {name: text for name, text in os.environ.items() if not name.startswith("ATOLL_")}
        self.environment = kept | _ONE_THREAD

    def run(self, settings: dict[str, str], seconds: float) -> dict[str, Any]:
        """Run the tasks; what they said.

        Raises:
            ValueError: they failed, with the end of what was said then.

        """
        program = [sys.executable, str(Path(__file__).with_name("tasks.py")), str(seconds)]
        words, environment = started_by([*self.command, *program], settings, self.environment)
        # The launcher has the time to end its ranks.
        words = ["timeout", "-k", "10", str(LIMIT_SECONDS), *words]
        done = subprocess.run(
            words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode != 0 or not lines:
            end = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing was said"]
            raise ValueError(f"status {done.returncode}: {end[0]}")
        said: dict[str, Any] = json.loads(lines[-1])
        return said

    def ways(self, plain: dict[str, Any]) -> dict[str, dict[str, str]]:
        """Give the settings of each way that this MPI allows and that can be told from others.

        On one host operations between virtual nodes are measured: inside a node nobody is needed.
        """
        common = {"LD_PRELOAD": str(self.library)}
        if plain["hosts"] == 1:
            common["ATOLL_NODES"] = "2"
        ways = {"ranks": {**common, "ATOLL_GHOST": "ranks", "ATOLL_GHOST_RANKS": "1"}}
        if plain["threads"]:
            ways = {"thread": {**common, "ATOLL_GHOST": "thread"}, **ways}
        return ways if plain["hosts"] == 1 else {"off": {}, **ways}


def best_of(rates: dict[str, float]) -> str:
    """Choose: without anybody, if that is no worse; ghost ranks where they are worth it."""
    best = max(rates, key=lambda mode: rates[mode])
    for modest in ("off", "thread"):
        if modest in rates and rates[modest] * WORTH >= rates[best]:
            return modest
    return best


def measure(command: list[str], library: Path, tell: Callable[[str], None]) -> Choice:
    """Measure all ways with a launcher and its words; `tell` gets a line of each.

    Raises:
        ValueError: the tasks do not run, or there are too few processes.

    """
    measurement = Measurement(command, library)
    try:
        plain = measurement.run({}, 0.1)
    except ValueError as error:
        raise ValueError(f"the measurement does not run without the library: {error}") from None
    where = f"{plain['ranks']} processes on {plain['hosts']} host{'s' * (plain['hosts'] != 1)}"
    least = 4 if plain["hosts"] == 1 else 2 * plain["hosts"]
    if plain["ranks"] < least:
        raise ValueError(
            f"--measure with {where}: expected at least {least} processes, as mpiexec -n {least}"
        )
    tell(f"{plain['library']}, {where}")
    rates: dict[str, list[float]] = {}
    ways = measurement.ways(plain)
    for _ in range(TURNS):
        for mode, settings in list(ways.items()):
            try:
                said = measurement.run(settings, SECONDS)
            except ValueError as error:
                tell(f"{mode}: failed ({error})")
                del ways[mode]
                rates.pop(mode, None)
                continue
            rates.setdefault(mode, []).append(said["tasks_per_second"])
    if not rates:
        raise ValueError("no way of progress works with this MPI")
    means = {mode: fmean(each) for mode, each in rates.items()}
    for mode, rate in means.items():
        tell(f"{mode}: {rate:.0f} tasks a second")
    now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    return Choice(
        this_machine(),
        launcher_in_words(command[0]),
        best_of(means),
        means,
        f"{now}, {where}, {plain['library']}",
    )
