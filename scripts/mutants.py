"""Plant faults in the sources, one at a time, and tell how many seeds of a simulation find each.

    python scripts/mutants.py [--seeds 2000] [NAME ...]

Each fault is a patch in tests/simulation/mutants/; its first lines say what is wrong. The sources
are copied to build/mutants and built there without what the simulation does not run. A fault is
found when a run fails. Prints a table, and fails if less than 95 % are found.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import types
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
if TYPE_CHECKING:
    from atoll.simulation.runs import Program, keep_addresses, run
    from atoll.simulation.segment import Asked
else:  # without the extension, which this build does not have
    _package = types.ModuleType("atoll")
    _package.__path__ = [str(ROOT / "python/atoll")]
    sys.modules["atoll"] = _package
    from atoll.simulation.runs import Program, keep_addresses, run
    from atoll.simulation.segment import Asked

PATCHES = ROOT / "tests/simulation/mutants"
SOURCE = ROOT / "build/mutants"
# Where the release build is in this tree, and with its options: a compiler cache knows most of it.
BUILD = SOURCE / "build/release"
GOAL = 0.95
FOLDERS = [
    "scripts",
    "CMakeLists.txt",
    "CMakePresets.json",
    "cmake",
    "include",
    "src",
    "tests",
    "pyproject.toml",
]
# Ranks, nodes, what the program is given, whether nothing is lost, who serves: a seed runs one, in
# turn.
SHAPES = [
    (4, 2, ["8"], False, "thread"),
    (3, 2, ["10"], False, "thread"),
    (3, 2, ["punctual"], True, "thread"),
    (4, 4, ["6"], False, "thread"),
    (3, 1, ["16"], False, "thread"),
    (3, 2, ["10"], False, "none"),
]


@dataclass(frozen=True)
class Found:
    """What became of a fault."""

    name: str
    what: str
    seeds: int  # tried, until one has found it
    failure: str  # empty: none has
    seconds: float


def build() -> str:
    """Build what runs; what the compiler says where that fails."""
    words = ["cmake", "--build", str(BUILD), "--target", "random_program", "atoll_simulation"]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    return "" if built.returncode == 0 else built.stdout[-3000:]


def prepare() -> None:
    """Copy the sources as they are, and build them without a fault."""
    tracked = subprocess.run(
        ["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    wanted = set(tracked)
    for file in (f for folder in FOLDERS for f in (SOURCE / folder).rglob("*")):
        if file.is_file() and str(file.relative_to(SOURCE)) not in wanted:
            file.unlink()
    for name in tracked:
        there = SOURCE / name
        # Of old time stamps only what has changed is built.
        if there.is_file() and there.read_bytes() == (ROOT / name).read_bytes():
            continue
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, there)
    launcher = shutil.which("ccache")
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DATOLL_PACKS=8"]
    options += [f"-DATOLL_{part}=OFF" for part in ("PYTHON", "GA", "GHOST", "BENCHMARKS")]
    options += [f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []
    configure = ["cmake", "-G", "Ninja", "-S", str(SOURCE), "-B", str(BUILD), *options]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    if failure := build():
        raise SystemExit(f"the sources without a fault do not build:\n{failure}")


def attempt(seed: int) -> str:
    """Run one seed; what fails, in a line."""
    ranks, nodes, arguments, calm, served = SHAPES[seed % len(SHAPES)]
    words = [str(BUILD / "programs/random_program"), str(seed), *arguments]
    program = Program(
        words,
        BUILD / "libatoll_simulation.so",
        nodes,
        patience=10,
        settings={"ATOLL_PROGRESS": served},
    )
    asked = Asked(seed, ranks, no_faults=calm, full_is_wrong=True, most_steps=3_000_000)
    result = run(program, replace(asked, most_idle=8_000_000_000))
    if not result.failure:
        return ""
    said = re.findall(
        r"wrong: .*|Assertion.*|cannot go on.*", result.output.decode(errors="replace")
    )
    return (said[0] if said else result.failure.splitlines()[0]).strip()


def search(seeds: range, jobs: int) -> tuple[int, str]:
    """Run seeds until one fails; how many there were, and what has failed."""
    with ThreadPoolExecutor(jobs) as pool:
        for begin in range(0, len(seeds), jobs):
            some = seeds[begin : begin + jobs]
            for number, failure in enumerate(pool.map(attempt, some)):
                if failure:
                    return begin + number + 1, failure
    return len(seeds), ""


def try_fault(patch: Path, seeds: range, jobs: int) -> Found:
    """Plant the fault, look for it, and take it out again."""
    what = patch.read_text().split("\n---", 1)[0].strip().replace("\n", " ")
    began = time.monotonic()
    patching = ["patch", "-p1", "-s", "-d", str(SOURCE), "-i", str(patch)]
    subprocess.run(patching, check=True)
    try:
        failure = build()
        if failure:
            raise SystemExit(f"{patch.name} does not build:\n{failure}")
        count, failure = search(seeds, jobs)
    finally:
        subprocess.run([*patching, "-R"], check=True)
    return Found(patch.stem, what, count, failure, time.monotonic() - began)


def main() -> int:
    """Try all, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seeds", type=int, default=2000, help="to try for a fault (2000)")
    parser.add_argument("--first", type=int, default=1, help="of the seeds (1)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    patches = [
        p for p in sorted(PATCHES.glob("*.patch")) if not options.names or p.stem in options.names
    ]
    keep_addresses()
    prepare()
    count, failure = search(range(options.first, options.first + 60), options.jobs)
    if failure:
        raise SystemExit(f"without a fault seed {options.first + count - 1} fails: {failure}")
    found = []
    for patch in patches:
        one = try_fault(patch, seeds, options.jobs)
        found.append(one)
        how = f"seed {one.seeds}: {one.failure}" if one.failure else f"NOT FOUND in {one.seeds}"
        print(f"{one.name:34} {one.seconds:6.0f} s  {how[:110]}", flush=True)
    share = sum(1 for one in found if one.failure) / max(1, len(found))
    print(f"{sum(1 for one in found if one.failure)} of {len(found)} found, {share:.0%}")
    build()
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
