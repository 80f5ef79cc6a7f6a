"""One run: its processes started, watched, and its end told."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from atoll.simulation.segment import Asked, Ended, Segment

_NO_RANDOM_ADDRESSES: Final = 0x0040000  # ADDR_NO_RANDOMIZE of personality(2)
_PATIENCE: Final = 60.0  # real seconds of a rank that takes no step
# Of what decides nothing by the seed, once and for all: threads that are not ours, the order of
# sets of strings, files read by the kernel's threads.
_SETTINGS: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "ATOLL_DISK": "threads",
    "ATOLL_THREADS": "1",
}


@dataclass(frozen=True)
class Program:
    """What each rank runs, and with what."""

    words: list[str]
    library: Path
    nodes: int
    patience: float = _PATIENCE
    settings: dict[str, str] = field(default_factory=dict)  # more of the environment


@dataclass(frozen=True)
class Result:
    """How a run went."""

    asked: Asked
    ended: Ended
    failure: str  # in words; empty: none
    output: bytes
    trace: list[str]


def keep_addresses() -> bool:
    """Let the processes that this one starts have the same addresses each time, where allowed."""
    libc = ctypes.CDLL(None)
    now = libc.personality(0xFFFFFFFF)
    return bool(libc.personality(now | _NO_RANDOM_ADDRESSES) >= 0)


_under_way: list[list[subprocess.Popen[bytes]]] = []


def _start(
    program: Program, segment: Segment, asked: Asked, output: IO[bytes]
) -> list[subprocess.Popen[bytes]]:
    files = [segment.descriptor, *([asked.trace] if asked.trace >= 0 else [])]
    environment = {**_SETTINGS, **os.environ, **program.settings}
    environment["LD_PRELOAD"] = str(program.library)
    environment["ATOLL_NODES"] = str(program.nodes)
    started: list[subprocess.Popen[bytes]] = []
    try:
        for rank in range(asked.ranks):
            # Of one length: what lies behind the environment in memory moves with it.
            environment["ATOLL_SIMULATE"] = f"{segment.descriptor:06}:{rank:06}"
            started.append(
                subprocess.Popen(
                    program.words,
                    env=environment,
                    pass_fds=files,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
            )
    except BaseException:
        _kill(started)
        raise
    return started


def _watch(
    ranks: list[subprocess.Popen[bytes]], segment: Segment, patience: float, killed_rank: int
) -> str:
    """Wait for all; give what is wrong with the processes, in words."""
    waiting = {os.pidfd_open(process.pid): rank for rank, process in enumerate(ranks)}
    poll = select.poll()
    for descriptor in waiting:
        poll.register(descriptor, select.POLLIN)
    failure = ""
    steps, since = segment.steps(), time.monotonic()
    while waiting:
        ended = poll.poll(1000)
        for descriptor, _ in ended:
            poll.unregister(descriptor)
            os.close(descriptor)
            status = ranks[rank := waiting.pop(descriptor)].wait()
            if rank == killed_rank and status == -signal.SIGKILL:
                continue  # the others go on for a while
            if status != 0 and segment.ended().end in ("running", "finished") and not failure:
                name = signal.Signals(-status).name if status < 0 else f"status {status}"
                failure = f"rank {rank} ends by {name}"
            if status < 0 or (failure and segment.ended().end == "running"):
                _kill(ranks)  # as launchers do
        if segment.steps() != steps:
            steps, since = segment.steps(), time.monotonic()
        elif waiting and time.monotonic() - since > patience:
            failure = failure or f"no rank takes a step for {patience:g} s of real time"
            _kill(ranks)
            since = time.monotonic()
    return failure


def _kill(ranks: list[subprocess.Popen[bytes]]) -> None:
    for process in ranks:
        if process.returncode is None:
            process.kill()


def end_all() -> None:
    """End the ranks of all runs that other threads of this process have under way."""
    for ranks in list(_under_way):
        _kill(ranks)


def _in_words(ended: Ended) -> str:
    """Say what is wrong with how a run has ended; empty: nothing."""
    what = {
        "finished": "",
        "killed": "",
        "running": "the run ends in its midst",
        "deadlock": "deadlock: all wait, and nothing is under way",
        "idle": "nothing has moved for long: all look again and again",
        "aborted": f"rank {ended.rank} calls MPI_Abort with {ended.code}",
        "misuse": f"rank {ended.rank} uses MPI wrongly",
        "left": f"rank {ended.rank} ends without MPI_Finalize",
        "endless": "the run takes too many steps",
        "left over": "messages are left over at the end",
    }[ended.end]
    return what + (":\n" + ended.report.rstrip() if what and ended.report else "")


def run(program: Program, asked: Asked, traced: bool = False) -> Result:
    """Run the program once; the ranks' output is kept, not shown."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as trace:
        if traced:
            os.set_blocking(trace.fileno(), True)
            asked = Asked(**{**asked.__dict__, "trace": trace.fileno()})
        segment = Segment(asked)
        try:
            ranks = _start(program, segment, asked, output)
            _under_way.append(ranks)
            try:
                failure = _watch(ranks, segment, program.patience, asked.killed_rank)
            finally:
                _kill(ranks)  # also where somebody interrupts this
                _under_way.remove(ranks)
            ended = segment.ended()
        finally:
            segment.close()
        output.seek(0)
        trace.seek(0)
        said = _in_words(ended)
        # The kill of a rank that was asked for ends the others; the end says more than statuses.
        if ended.end == "killed" or (said and ended.end != "running"):
            failure = said
        return Result(
            asked,
            ended,
            failure or said,
            output.read(),
            trace.read().decode(errors="replace").splitlines(),
        )


def library() -> Path:
    """Find libatoll_simulation.so: of the build that this package is of, or installed with it.

    Raises:
        FileNotFoundError: There is none.

    """
    name = "libatoll_simulation.so"
    builds = Path(__file__).resolve().parents[3] / "build"
    there = [place for place in builds.glob(f"*/{name}") if place.is_file()]
    if there:
        return max(there, key=lambda place: place.stat().st_mtime)
    installed = Path(sys.prefix) / "lib" / name
    if installed.is_file():
        return installed
    raise FileNotFoundError(f"{name} is neither in {installed.parent} nor in a build of this tree")
