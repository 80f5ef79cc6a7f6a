"""What scripts that judge Atoll by other projects' tests share: sources, runs, reasons and rows.

Sources come from Debian's source packages, by apt-get with settings of its own: it needs no root
and changes nothing of the system's. They lie in .deps, and nothing of them is kept elsewhere. An
exception is a line of tests/conformance/SUITE.tsv: which tests, by their names behind the way in
which they run (`thread-2-nodes/winname 2`), and why. `*` stands for anything.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
DEPS = ROOT / ".deps" / "conformance"
REASONS = ROOT / "tests" / "conformance"
SECONDS = float(os.environ.get("ATOLL_CONFORMANCE_SECONDS", "300"))
"""For a run at most."""
SUITES = ("bookworm", "trixie", "sid")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
MIRROR = "http://deb.debian.org/debian"
PASSED, NOT_OVER = "passed", "not over"
WAYS_OF_GHOST = (
    ("thread-1-node", "thread", 1),
    ("thread-2-nodes", "thread", 2),
    ("ranks-1-node", "ranks", 1),
    ("ranks-2-nodes", "ranks", 2),
)
"""Who makes progress, and on how many virtual nodes."""
PATIENT = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "100",
}
"""MPICH sleeps where it waits for long: eight ranks that spin on two cores never get anywhere."""


@dataclass(frozen=True)
class Package:
    """A source package of Debian's, with versions of it that hold the same source, best first."""

    name: str
    versions: tuple[str, ...]

    @property
    def upstream(self) -> str:
        """The version as its authors have it."""
        return self.versions[0].rpartition("-")[0]


@dataclass(frozen=True)
class Way:
    """How tests run: its name, and what runs a test's words and gives status, stdout and stderr."""

    name: str
    run: Callable[..., tuple[int | None, str, str]]


@dataclass
class Outcomes:
    """How tests ended in one way: a word for each, by its name."""

    way: str
    by_test: dict[str, str] = field(default_factory=dict)


def sources(package: Package, part: str = "") -> Path | None:
    """Give the folder of a package's sources (`part` of them), fetched where it is not there yet.

    None: they are not to be had, and a line has said why.
    """
    folder = DEPS / f"{package.name}-{package.upstream}"
    if folder.is_dir():
        return folder
    DEPS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=DEPS) as name:
        try:
            archive = _fetched(package, Path(name))
            with tarfile.open(archive) as tar:
                inside = [one for one in tar if f"/{part}/" in f"/{one.name}/" or not part]
                if hasattr(tarfile, "data_filter"):  # not in Python 3.11.2, which Debian 12 has
                    tar.extraction_filter = tarfile.data_filter
                tar.extractall(Path(name) / "unpacked", members=inside)
            [top] = (Path(name) / "unpacked").iterdir()
            found = top / part
            found.rename(folder)
        except (OSError, ValueError, subprocess.SubprocessError, tarfile.TarError) as error:
            print(f"atoll: no sources of {package.name}: {error}")
            return None
    return folder


def _fetched(package: Package, folder: Path) -> Path:
    """Have apt-get fetch a package's archive of sources into a folder."""
    apt = folder / "apt"
    for each in ("lists/partial", "cache/archives/partial"):
        (apt / each).mkdir(parents=True)
    lines = [f"deb-src [signed-by={KEYRING}] {MIRROR} {suite} main\n" for suite in SUITES]
    (apt / "sources.list").write_text("".join(lines))
    settings = {
        "Dir::Etc::sourcelist": apt / "sources.list", "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": apt / "lists", "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "root",
    }  # fmt: skip
    command = ["apt-get", "-qq"]
    for key, value in settings.items():
        command += ["-o", f"{key}={value}"]
    told = ""
    for words in (["update"], *(["source", "--tar-only", f"{package.name}={version}"]
                                for version in package.versions)):  # fmt: skip
        done = subprocess.run(
            [*command, *words], cwd=folder, capture_output=True, text=True, timeout=600, check=False
        )
        told = done.stderr
        archives = list(folder.glob(f"{package.name}_{package.upstream}.orig.tar.*"))
        if archives:
            return archives[0]
    raise ValueError(f"apt-get has no {package.name} {package.upstream}: {told.strip()[-300:]}")


def built(what: str, command: list[object], folder: Path, log: Path, **others: str) -> bool:
    """Run a command that builds something; where it fails a line says so."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        done = subprocess.run(
            [str(word) for word in command], cwd=folder, env=os.environ | others, check=False,
            stdin=subprocess.DEVNULL, stdout=file, stderr=file,
        )  # fmt: skip
    if done.returncode:
        print(f"atoll: not built: {what} ({log})")
    return done.returncode == 0


def reasons(suite: str) -> list[tuple[str, str]]:
    """Give the known exceptions of a suite: a pattern of names, and why."""
    lines = (REASONS / f"{suite}.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(pattern, reason) for pattern, reason in rows]


def outcomes_of(
    suite: str,
    way: Way,
    tests: Mapping[str, tuple[object, ...]],
    verdict: Callable[[int | None, str, str], str],
    arguments: argparse.Namespace,
) -> Outcomes:
    """Run all tests in one way, some at once, and tell of those that do not pass.

    What each came to is written down; with --resume it is taken from there, but for what was not
    over.
    """
    file = ROOT / "build" / "conformance" / "outcomes" / f"{suite}-{way.name}.tsv"
    file.parent.mkdir(parents=True, exist_ok=True)
    known: dict[str, str] = {}
    if arguments.resume and file.exists():
        lines = file.read_text(encoding="utf-8").splitlines()
        before = {name: word for name, _, word in (line.partition("\t") for line in lines)}
        known = {name: word for name, word in before.items() if word != NOT_OVER}
    began = time.monotonic()

    def ended(name: str) -> tuple[str, str]:
        if name in known:
            return known[name], "as written down before"
        status, out, err = way.run(*tests[name])
        word = verdict(status, out, err)
        return word, f"{out[-600:]}\n{err[-600:]}".strip()

    outcomes = Outcomes(way.name)
    mode = "a" if arguments.resume else "w"
    with ThreadPoolExecutor(arguments.jobs) as pool, file.open(mode, encoding="utf-8") as kept:
        for name, (word, said) in zip(tests, pool.map(ended, tests), strict=True):
            outcomes.by_test[name] = word
            if name not in known:
                print(name, word, sep="\t", file=kept, flush=True)
            if word != PASSED:
                text = said.replace("\n", "\n    ")
                print(f"{way.name}/{name}: {word}\n    {text}", flush=True)
    passed = sum(word == PASSED for word in outcomes.by_test.values())
    took = time.monotonic() - began
    print(f"{way.name}: {passed} of {len(tests)} passed in {took:.0f} s", flush=True)
    return outcomes


def those_that_pass(
    tests: Mapping[str, tuple[object, ...]], plain: Outcomes | None
) -> dict[str, tuple[object, ...]]:
    """Give the tests that can be judged: those that pass plain, where that is known."""
    return {n: test for n, test in tests.items() if not plain or plain.by_test[n] == PASSED}


def report(
    suite: str, title: str, version: str, plain: Outcomes | None, here: Iterable[Outcomes]
) -> int:
    """Print what differs from plain and a row for each way; 1 if a difference has no reason."""
    known = reasons(suite)
    rows, unexplained = [], []
    for outcomes in here:
        judged = those_that_pass(dict.fromkeys(plain.by_test if plain else outcomes.by_test, ()),
                                 plain)  # fmt: skip
        counts: collections.Counter[str] = collections.Counter()
        for name in judged:
            word = outcomes.by_test.get(name, "not run")
            if word == PASSED:
                continue
            full = f"{outcomes.way}/{name}"
            why = next((why for pattern, why in known if fnmatch.fnmatch(full, pattern)), None)
            if why is None:
                unexplained.append(f"  {full}: {word}")
            counts[why or f"not explained: {word}"] += 1
        tests = len(plain.by_test if plain else outcomes.by_test)
        before = str(len(judged)) if plain else "-"
        passes = len(judged) - counts.total()
        why = "; ".join(f"{count}: {why}" for why, count in counts.items())
        way = outcomes.way.replace("-", " ")
        rows.append(f"| {title}, {way} | {version} | {tests} | {before} | {passes} | {why} |")
    if unexplained:
        print(f"\nWithout a reason in tests/conformance/{suite}.tsv:", *unexplained, sep="\n")
    print("", *rows, sep="\n")
    return 1 if unexplained else 0


def not_run(title: str, version: str, why: str) -> int:
    """Print the row of a suite that cannot run here."""
    print(f"| {title} | {version} | - | - | - | not run: {why} |")
    return 0


def options(text: str | None) -> argparse.ArgumentParser:
    """Give a parser with what all these scripts take."""
    parser = argparse.ArgumentParser(description=(text or "").partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=["*"], metavar="TEST", help="as 'flush*'")
    parser.add_argument("--ways", nargs="*", default=["*"], metavar="WAY", help="as 'ranks*'")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="so many runs at once")
    parser.add_argument(
        "--resume", action="store_true", help="go on where a run was cut off, with what it built"
    )
    return parser


def chosen(name: str, patterns: list[str]) -> bool:
    """Tell whether a name fits one of the patterns."""
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def version_said_by(command: list[str], pattern: str) -> str:
    """Give what a pattern's first group finds in a command's words, or a question mark."""
    if shutil.which(command[0]) is None:
        return "?"
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(pattern, said.stdout + said.stderr)
    return found[1] if found else "?"
