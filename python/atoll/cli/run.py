"""`atoll run -n 4 script.py`: programs on ranks, by the launcher that belongs to Atoll's MPI."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from atoll._exit import is_first_process
from atoll._threads import SETTINGS
from atoll.cluster.launch import spread
from atoll.launch.command import (
    Placing,
    command_line,
    root_settings,
    thread_settings,
    threads_of_ranks,
    with_binding,
)
from atoll.launch.launchers import Launcher, LaunchError, Library, find_launcher, library
from atoll.launch.surroundings import Job, job_around, ranks_around

FAILED = 2


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "run",
        help="run a program on several ranks",
        description="Start a program on several ranks, by the launcher of the MPI that Atoll "
        "runs with: a script in Python (*.py) by this Python, any other program as it is. In a "
        "job of Slurm, PBS or LSF on the hosts of the job; started by mpiexec or srun itself, it "
        "steps aside. The exit status is the launcher's.",
        epilog="examples:\n  atoll run -n 4 script.py --its-own options\n"
        "  atoll run --hosts a:8,b:8 ./program\n  atoll run -v script.py    in a job script",
        usage="%(prog)s [-n N] [--hosts HOST[:N],...] [--threads T] [--bind WHAT] [-v] PROGRAM ...",
    )
    parser.add_argument(
        "-n",
        type=_positive,
        dest="ranks",
        metavar="N",
        help="ranks (those of the job, of the hosts; else one a core)",
    )
    parser.add_argument(
        "--hosts",
        type=_hosts,
        default=[],
        metavar="HOST[:N],...",
        help="where, with the ranks of each, or the ranks are shared out",
    )
    parser.add_argument(
        "--threads",
        type=_positive,
        metavar="T",
        help="threads of BLAS and OpenMP on each rank (what OMP_NUM_THREADS or the job says, or 1)",
    )
    parser.add_argument(
        "--bind",
        choices=("core", "numa", "none"),
        help="what each rank stays on (the cores beside one memory, where there are several and "
        "no more ranks than cores)",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="tell what was chosen")
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="PROGRAM ...", help="and its arguments"
    )
    parser.set_defaults(alone=_run)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}': expected a number from 1 on")
    return int(text)


def _hosts(text: str) -> list[tuple[str, int | None]]:
    hosts: list[tuple[str, int | None]] = []
    for part in text.split(","):
        host, colon, count = part.partition(":")
        if not host or (colon and not (count.isdecimal() and int(count) > 0)):
            raise argparse.ArgumentTypeError(f"'{text}': expected hosts like a,b or a:4,b:4")
        hosts.append((host, int(count) if colon else None))
    if len({count is None for _, count in hosts}) > 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected ranks of each host, or of none")
    return hosts


def _program(words: list[str]) -> list[str]:
    """Give the words of the program, the file of it found. LaunchError where there is none."""
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        raise LaunchError("what is to be started? Expected: [-n N] PROGRAM ...")
    if words[0].endswith(".py"):
        if not Path(words[0]).is_file():
            raise LaunchError(f"'{words[0]}': expected a script that is there")
        return [sys.executable, *words]
    found = shutil.which(words[0])
    if found is None:
        raise LaunchError(f"'{words[0]}': expected a program, by its path or in PATH")
    return [found, *words[1:]]


def _cores() -> int:
    """Count the cores that this process may use, one for all hardware threads of each."""
    cores = set()
    for number in os.sched_getaffinity(0):
        file = Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list")
        try:
            cores.add(file.read_text())
        except OSError:
            cores.add(str(number))
    return len(cores)


def _domains() -> int:
    """Count the memories of this machine that cores are near to (NUMA)."""
    return len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or 1


def _placing(options: argparse.Namespace, job: Job | None, threads: int) -> Placing:
    """Say how many ranks there are, and where. LaunchError where that cannot be told."""
    hosts: list[tuple[str, int | None]] = options.hosts
    given = [(host, count) for host, count in hosts if count is not None]
    ranks: int | None = options.ranks
    if given:
        ranks = ranks or sum(count for _, count in given)
        if ranks != sum(count for _, count in given):
            text = ",".join(f"{host}:{count}" for host, count in given)
            raise LaunchError(f"-n {ranks}: expected the ranks of --hosts {text} together")
    elif hosts:
        if ranks is None:
            raise LaunchError("--hosts without ranks of each: expected -n N, or HOST:N")
        names = [host for host, _ in hosts]
        given = list(zip(names, spread(ranks, len(names)), strict=False))
    ranks = ranks or (job.ranks if job else max(1, _cores() // threads))
    room = job.ranks if job else None if hosts else _cores() // threads
    crowded = room is not None and ranks > room
    bind = options.bind or ("numa" if _domains() > 1 and not crowded else "none")
    host_file = job.host_file if job and not given else ""
    return Placing(ranks, given, host_file, crowded, bind, threads)


def _launcher(mpi: Library, job: Job | None) -> Launcher:
    try:
        return find_launcher(mpi)
    except LaunchError:
        if job is not None and job.system == "Slurm" and (srun := shutil.which("srun")):
            return Launcher(srun, "srun")
        raise


def _threads(options: argparse.Namespace) -> tuple[int, dict[str, str]]:
    """Give the threads of each rank, and the variables by which it is told."""
    threads = options.threads or threads_of_ranks(os.environ)
    return threads, thread_settings(threads, {} if options.threads else os.environ)


def _step_aside(options: argparse.Namespace, program: list[str], ranks: int) -> None:
    """Become the program: this process is a rank already. LaunchError if others are asked for."""
    for asked, name in ((options.hosts, "--hosts"), (options.bind, "--bind")):
        if asked:
            raise LaunchError(f"{name}: the ranks are started already, by what started this one")
    if options.ranks not in (None, ranks):
        number = f"{ranks} {'rank is' if ranks == 1 else 'ranks are'}" if ranks else "ranks are"
        unknown = "" if ranks else ", which does not tell how many"
        raise LaunchError(
            f"-n {options.ranks}: {number} started already, by what started this one{unknown}"
        )
    _tell(options, f"one of {ranks or 'several'} ranks already: {shlex.join(program)}")
    _become(program, _threads(options)[1])


def _become(words: list[str], settings: dict[str, str]) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(words[0], words, {**os.environ, **settings})


def _tell(options: argparse.Namespace, text: str) -> None:
    if options.verbose and is_first_process():
        print(f"atoll run: {text}", file=sys.stderr)


def _start(options: argparse.Namespace, program: list[str]) -> None:
    job = job_around(os.environ)
    mpi = library()
    threads, settings = _threads(options)
    placing = _placing(options, job, threads)
    if placing.ranks == 1 and job is None and not placing.hosts and options.bind in (None, "none"):
        _tell(options, f"one rank, which needs no launcher: {shlex.join(program)}")
        _become(program, settings)
    launcher = _launcher(mpi, job)
    placing = with_binding(launcher, placing, options.bind)
    of_the_user = (k for k in os.environ if k in SETTINGS or k.startswith(("ATOLL_", "PYTHONPATH")))
    handed_on = list(dict.fromkeys([*settings, *of_the_user]))
    words = [*command_line(launcher, mpi, placing, handed_on), *program]
    where = (
        f"in a job of {job.system}" if job else "on the hosts named" if options.hosts else "here"
    )
    _tell(options, f"{mpi.words} ({mpi.path}): started by {launcher.path} ({launcher.words})")
    kept = "as the environment says" if not settings else f"{threads} a rank"
    bound = {"none": "bound to nothing", "": "bound as the launcher does"}
    _tell(
        options,
        f"{placing.ranks} {'rank' if placing.ranks == 1 else 'ranks'} {where}, threads {kept}, "
        + bound.get(placing.bind, f"bound to {placing.bind}"),
    )
    _tell(options, shlex.join(words))
    _become(words, settings | root_settings(launcher))


def _run(options: argparse.Namespace) -> int:
    try:
        program = _program(options.program)
        ranks = ranks_around(os.environ)
        if ranks is not None and (ranks != 1 or options.ranks in (None, 1)):
            _step_aside(options, program, ranks)
        _start(options, program)
    except (OSError, ValueError) as error:
        if is_first_process():
            print(f"atoll run: {error}", file=sys.stderr)
        else:
            time.sleep(1.0)  # some launchers kill all at the first end: not before the other spoke
    return FAILED
