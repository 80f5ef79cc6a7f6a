"""`atoll simulate --ranks 4 --seed 17 program`: a run that its seed replays."""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shlex
import shutil
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atoll.simulation.diagram import diagram
from atoll.simulation.runs import Program, Result, end_all, keep_addresses, library, run
from atoll.simulation.segment import Asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FAILED = 1
WRONG = 2
MOST_OUTPUT = 20_000


def add_command(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "simulate",
        help="run a program on ranks whose every step a seed decides",
        description="Start a program on ranks of this machine with a simulated MPI. One thread of "
        "one rank goes on at a time; who, when messages arrive and what the clock says is decided "
        "by the seed alone, so that the same seed gives the same run again. Tells deadlocks, wrong "
        "uses of MPI and messages that are left over. The exit status is 1 if a run fails.",
        epilog="{seed} among the program's arguments stands for the seed.\n\nexamples:\n"
        "  atoll simulate --ranks 4 --nodes 2 --seed 17 script.py\n"
        "  atoll simulate --ranks 4 --nodes 2 --seeds 1:2000 ./program {seed}\n"
        "  atoll simulate --ranks 3 --seed 17 --kill 1@2500 --trace ./program",
    )
    parser.add_argument("--ranks", type=int, default=2, metavar="N", help="processes (2)")
    parser.add_argument("--nodes", type=int, default=1, metavar="N", help="virtual nodes (1)")
    parser.add_argument("--seed", type=int, metavar="S", help="of the run (any)")
    parser.add_argument(
        "--seeds",
        type=_seeds,
        metavar="N|A:B",
        help="many runs, until one fails: N of any seeds, or of those from A to B",
    )
    parser.add_argument(
        "--kill", type=_kill, metavar="RANK@STEP", help="the rank dies (SIGKILL) at that step"
    )
    parser.add_argument("--trace", action="store_true", help="draw messages and calls")
    parser.add_argument(
        "--calm", action="store_true", help="nothing is delayed, lost, overtaken or stalled"
    )
    parser.add_argument(
        "--bounded",
        action="store_true",
        help="a run fails where 64 messages of a rank to another one are unread",
    )
    parser.add_argument(
        "--twice", action="store_true", help="each run is made again, and must be the same"
    )
    parser.add_argument("--all", action="store_true", help="go on after a run that fails")
    parser.add_argument("--jobs", type=int, metavar="J", help="runs at a time (the cores)")
    parser.add_argument("--library", type=Path, help=argparse.SUPPRESS)
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="PROGRAM ...", help="and its arguments"
    )
    parser.set_defaults(alone=simulate)


def _seeds(text: str) -> range | int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    if found := re.fullmatch(r"(\d+):(\d+)", text):
        first, last = map(int, found.groups())
        if first <= last:
            return range(first, last + 1)
    raise argparse.ArgumentTypeError(f"'{text}': expected a number, or two like 1:2000")


def _kill(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)@(\d+)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}': expected RANK@STEP, like 1@2500")
    return int(found[1]), int(found[2])


def _words(words: list[str]) -> list[str]:
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        raise ValueError("what is to be run? Expected a PROGRAM")
    if words[0].endswith(".py"):
        return [sys.executable, *words]
    found = shutil.which(words[0])
    if found is None:
        raise ValueError(f"'{words[0]}': expected a program, by its path or in PATH")
    return [found, *words[1:]]


def _all_seeds(options: argparse.Namespace) -> Iterable[int]:
    if isinstance(options.seeds, range):
        return options.seeds
    if options.seeds is not None:
        return [secrets.randbits(48) for _ in range(options.seeds)]
    return [options.seed if options.seed is not None else secrets.randbits(48)]


def _replay(options: argparse.Namespace, seed: int) -> str:
    words = ["atoll", "simulate", "--ranks", str(options.ranks), "--nodes", str(options.nodes)]
    words += ["--seed", str(seed)]
    if options.kill:
        words += ["--kill", f"{options.kill[0]}@{options.kill[1]}"]
    words += ["--calm"] if options.calm else []
    words += ["--bounded"] if options.bounded else []
    return shlex.join([*words, *options.program])


def _one(program: Program, options: argparse.Namespace, seed: int) -> Result:
    words = [word.replace("{seed}", str(seed)) for word in program.words]
    program = replace(program, words=words)
    rank, step = options.kill or (-1, -1)
    asked = Asked(
        seed, options.ranks, rank, step, no_faults=options.calm, full_is_wrong=options.bounded
    )
    result = run(program, asked, options.trace)
    if not options.twice or result.failure:
        return result
    again = run(program, asked)
    if again.ended.hash == result.ended.hash and not again.failure:
        return result
    difference = again.failure or f"{again.ended.steps} steps, hash {again.ended.hash:016x}"
    failure = (
        f"the same seed gives another run: {result.ended.steps} steps, hash "
        f"{result.ended.hash:016x}; then {difference}"
    )
    return Result(result.asked, result.ended, failure, result.output, result.trace)


def _results(program: Program, options: argparse.Namespace) -> Iterator[Result]:
    """Give results in the order of the seeds, several runs at a time."""
    seeds = iter(_all_seeds(options))
    jobs = options.jobs or len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(jobs) as pool:
        waiting: list[Future[Result]] = []
        while True:
            while len(waiting) < 2 * jobs and (seed := next(seeds, None)) is not None:
                waiting.append(pool.submit(_one, program, options, seed))
            if not waiting:
                return
            try:
                yield waiting.pop(0).result()
            except BaseException:  # enough has been seen, or somebody interrupts
                for future in waiting:
                    future.cancel()
                end_all()
                raise


def _tell(options: argparse.Namespace, result: Result, alone: bool) -> None:
    ended = result.ended
    if result.trace:
        print("\n".join(diagram(result.trace, options.ranks)))
    if alone or result.failure:
        sys.stdout.flush()
        sys.stdout.buffer.write(result.output[-MOST_OUTPUT:])
        sys.stdout.flush()
    if not alone and not result.failure:
        return
    how = "FAILED" if result.failure else "killed as asked" if ended.end == "killed" else "ended"
    print(
        f"atoll simulate: seed {result.asked.seed} {how} after {ended.steps} steps, "
        f"{ended.nanoseconds / 1e6:.3f} ms of its clock, {ended.messages} messages; "
        f"trace {ended.hash:016x}"
    )
    if result.failure:
        print(result.failure)
        print("replay: " + _replay(options, result.asked.seed), flush=True)


def simulate(options: argparse.Namespace) -> int:
    """Run what is asked for; the exit status."""
    try:
        if not 1 <= options.nodes <= options.ranks:
            raise ValueError(f"--nodes {options.nodes}: expected 1 to {options.ranks}, the ranks")
        if options.kill and options.kill[0] >= options.ranks:
            raise ValueError(f"--kill: expected a rank below {options.ranks}")
        program = Program(
            _words(options.program), (options.library or library()).resolve(), options.nodes
        )
    except (OSError, ValueError) as error:
        print(f"atoll simulate: {error}", file=sys.stderr)
        return WRONG
    if not keep_addresses():
        print("atoll simulate: addresses differ from run to run here", file=sys.stderr)
    alone = options.seeds is None
    began = time.monotonic()
    runs = failed = steps = 0
    for result in _results(program, options):
        runs += 1
        steps += result.ended.steps
        failed += 1 if result.failure else 0
        _tell(options, result, alone)
        if result.failure and not options.all:
            break
    if not alone:
        seconds = time.monotonic() - began
        print(f"atoll simulate: {runs} runs, {failed} failed, {steps} steps, {seconds:.1f} s")
    return FAILED if failed else 0
