"""Judges Atoll's chemistry by PySCF's own tests, their imports changed to Atoll's.

    .venv/bin/python scripts/conformance_pyscf.py [--tests FOLDER] [--only scf/test_rhf ...]

Each file of `FILES` runs twice, a process each: as it is, with PySCF, and with its imports from
`pyscf.scf` and the other packages that Atoll has taken from `atoll.chem`. A test that passes with
PySCF ends here in one of: passed; refused (NotImplementedError or InputError, by what is not
here); missing (a name); error (any other exception); wrong (an assertion, a number most likely).
Those of the last two kinds have to stand in tests/conformance/pyscf.tsv with a reason: else the
status is 1. The last line is the row of docs/conformance.md.

PySCF's wheels and source distributions hold no tests; its repository does. `--tests`, or
ATOLL_PYSCF_TESTS, is a folder with it, of the version that is installed; without, git fetches it.
Where that cannot be, a row says so. Nothing of it is kept.
"""

from __future__ import annotations

import argparse
import ast
import collections
import fnmatch
import importlib.metadata
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from conformance import REASONS, SECONDS, reasons

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
REPOSITORY = "https://github.com/pyscf/pyscf"
OURS = ("scf", "dft", "cc", "mp", "df", "grad")
"""Packages of PySCF's that `atoll.chem` has."""
FILES = (
    "scf/test_rhf", "scf/test_uhf", "scf/test_h2o", "scf/test_h2o_vdz", "scf/test_he",
    "scf/test_addons", "scf/test_stability", "scf/test_diis", "scf/test_jk", "scf/test_bz",
    "scf/test_diffuse_orbital", "scf/test_dispersion",
    "dft/test_h2o", "dft/test_he", "dft/test_bz", "dft/test_camb3lyp", "dft/test_grids",
    "cc/test_rccsd", "cc/test_uccsd", "cc/test_dfccsd", "cc/test_h2o", "cc/test_rhf_cc",
    "mp/test_dfmp2", "mp/test_dfump2", "mp/test_dfmp2_native", "mp/test_dfump2_native",
    "df/test_df_jk", "df/test_rhf_df", "df/test_grad", "df/test_df_grad",
    "grad/test_rhf", "grad/test_uhf", "grad/test_rks", "grad/test_uks", "grad/test_mp2",
)  # fmt: skip
"""Of what Atoll has a counterpart of; files that a version has not are left out."""
PASSED, SKIPPED = "passed", "skipped"
KINDS = (PASSED, "refused", "missing", "error", "wrong")
TO_BE_EXPLAINED = ("error", "wrong")
FILE_SECONDS = 20 * SECONDS
"""For a file; SECONDS is for a test."""
Outcomes = dict[str, tuple[str, str]]
"""Kind and message of each test, by its name."""


def with_our_imports(text: str) -> str:
    """Change a program's imports from `pyscf` to those from `atoll.chem`."""
    lines = text.splitlines(keepends=True)
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    for node in sorted(nodes, key=lambda node: -node.lineno):
        changed = _changed(node)
        if changed:
            indent = " " * node.col_offset
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = [f"{indent}{each}\n" for each in changed]
    return "".join(lines)


def _changed(node: ast.ImportFrom) -> list[str]:
    """Give the lines in the place of an import; none: it stays."""
    module = node.module or ""
    names = [ast.unparse(alias) for alias in node.names]
    if module == "pyscf":
        of_ours = [name for name in names if name.split()[0] in OURS]
        others = [name for name in names if name not in of_ours]
        lines = [f"from pyscf import {', '.join(others)}"] if others else []
        return [*lines, f"from atoll.chem import {', '.join(of_ours)}"] if of_ours else []
    top, _, rest = module.partition(".")
    if top == "pyscf" and rest.split(".")[0] in OURS:
        return [f"from atoll.chem.{rest} import {', '.join(names)}"]
    return []


def kind_of(error: BaseException) -> str:
    """Tell what an exception says of whom it was asked."""
    if isinstance(error, NotImplementedError) or type(error).__name__ == "InputError":
        return "refused"
    if isinstance(error, (ImportError, AttributeError, NameError)):
        return "missing"
    return "wrong" if isinstance(error, AssertionError) else "error"


class _Result(unittest.TestResult):
    """Writes down each test's outcome as soon as it is there."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def _write(self, name: str, kind: str, text: str = "") -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, kind, " ".join(text.split())[:300]]) + "\n")

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802  # unittest's names
        super().startTest(test)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        signal.setitimer(signal.ITIMER_REAL, 0)
        super().stopTest(test)

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        self._write(_name(test), PASSED)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        self._write(_name(test), SKIPPED, reason)

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        self._write(_name(test), kind_of(err[1]), f"{type(err[1]).__name__}: {err[1]}")

    addFailure = addError  # noqa: N815


def _name(test: Any) -> str:
    method = getattr(test, "_testMethodName", "")  # none: of the whole file
    return f"{type(test).__name__}.{method}" if method else ""


def run_file(path: Path, results: Path) -> None:
    """Run the tests of a file in this process, and write what they came to; "" is the file."""

    def too_long(number: int, frame: FrameType | None) -> NoReturn:
        del number, frame
        raise TimeoutError(f"took longer than {SECONDS:g} s")

    signal.signal(signal.SIGALRM, too_long)
    result = _Result(results)
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        result._write("", kind_of(error), f"{type(error).__name__}: {error}")
        return
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)


def tests_in(path: Path) -> list[str]:
    """Give the names of the tests of a file, each with its class."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        f"{kind.name}.{node.name}"
        for kind in tree.body if isinstance(kind, ast.ClassDef)
        for node in kind.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]  # fmt: skip


def outcomes_of(path: Path, folder: Path, tests: list[str]) -> Outcomes:
    """Run a file in a process of its own; what ends it, ends the `tests` without an outcome yet."""
    results = folder / f"{path.stem}.results"
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYSCF_TMPDIR": str(folder)}
    command = [sys.executable, __file__, "--run", str(path), str(results)]
    fate = "the process ended"
    try:
        subprocess.run(
            command, cwd=folder, env=environment, timeout=FILE_SECONDS, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        fate = f"took longer than {FILE_SECONDS:g} s"
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    found = {name: (kind, text) for name, kind, text in map(json.loads, lines)}
    of_file = found.pop("", ("error", fate))
    # Tests that a class has from another one are known by their outcomes alone.
    return {name: found.get(name, of_file) for name in (*tests, *found)}


def repository(folder: Path, version: str, given: str | None) -> Path | None:
    """Give PySCF's repository: the one that is given, or the network's; None: there is none."""
    if given:
        here = Path(given).resolve()
        return here if (here / "pyscf").is_dir() else here.parent
    there = folder / "repository"
    command = ["git", "clone", "-q", "--depth", "1", "--branch", f"v{version}", REPOSITORY]
    environment = os.environ | {"GIT_TERMINAL_PROMPT": "0"}
    try:
        subprocess.run(
            [*command, str(there)], env=environment, timeout=300, check=True, capture_output=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return there


def found_in(there: Path, chosen: list[str]) -> list[tuple[str, Path]]:
    """Give the files that a repository has, by name."""
    paths = [there / "pyscf" / file.replace("/", "/test/") for file in chosen]
    pairs = zip(chosen, [path.with_suffix(".py") for path in paths], strict=True)
    return [(file, path) for file, path in pairs if path.is_file()]


def judged(
    files: list[tuple[str, Path]], folder: Path, tests: list[str]
) -> Iterator[tuple[str, str, str]]:
    """Give name, kind and message of each test that passes with PySCF; tell how files end.

    All tests that there are go to `tests`.
    """
    for name, path in files:
        plain, ours = folder / "plain", folder / "ours"
        for place in (plain, ours):
            place.mkdir(exist_ok=True)
        text, file = path.read_text(encoding="utf-8"), f"{name.replace('/', '_')}.py"
        (plain / file).write_text(text, encoding="utf-8")
        (ours / file).write_text(with_our_imports(text), encoding="utf-8")
        before = outcomes_of(plain / file, plain, tests_in(plain / file))
        tests += [f"{name}::{test}" for test in before]
        passing = [test for test, (kind, _) in before.items() if kind == PASSED]
        after = outcomes_of(ours / file, ours, passing) if passing else {}
        counts = collections.Counter(after[test][0] for test in passing)
        told = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
        print(f"{name}: {len(before)} tests, {len(passing)} with PySCF; here {told}", flush=True)
        for test in passing:
            kind, text = after[test]
            if kind != PASSED:
                print(f"    {test}: {kind}: {text}", flush=True)
            yield f"{name}::{test}", kind, text


def report(outcomes: list[tuple[str, str, str]], tests: int, version: str) -> int:
    """Print what there is to tell; give the exit status."""
    known = reasons("pyscf")
    unexplained = []
    messages: collections.Counter[tuple[str, str]] = collections.Counter()
    for name, kind, text in outcomes:
        messages[kind, text] += kind != PASSED
        explained = any(fnmatch.fnmatch(name, pattern) for pattern, _ in known)
        if kind in TO_BE_EXPLAINED and not explained:
            unexplained.append(f"  {name}: {kind}: {text}")
    print("\nWhat ended tests, by how many:")
    for (kind, text), count in messages.most_common(60):
        if count:
            print(f"{count:5d}  {kind}: {text}")
    if unexplained:
        print(f"\nWithout a reason in {REASONS.relative_to(ROOT)}/pyscf.tsv:")
        print("\n".join(unexplained))
    counts = collections.Counter(kind for _, kind, _ in outcomes)
    others = [f"{counts[kind]} {kind}" for kind in KINDS[1:] if counts[kind]]
    why = "; ".join([*others, "tests/conformance/pyscf.tsv"])
    print(f"\n| PySCF | {version} | {tests} | {len(outcomes)} | {counts[PASSED]} | {why} |")
    return 1 if unexplained else 0


def main() -> int:
    """Judge; 0 also where there are no tests to be had."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tests", default=os.environ.get("ATOLL_PYSCF_TESTS"), metavar="FOLDER")
    parser.add_argument("--only", nargs="*", metavar="FILE", help="as scf/test_rhf")
    parser.add_argument("--run", nargs=2, type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run_file(*arguments.run)
        return 0
    version = importlib.metadata.version("pyscf")
    with tempfile.TemporaryDirectory(prefix="atoll-pyscf-") as name:
        folder = Path(name)
        there = repository(folder, version, arguments.tests)
        chosen = [file for file in FILES if arguments.only is None or file in arguments.only]
        files = found_in(there, chosen) if there else []
        if not files:
            print(f"| PySCF | {version} | - | - | - | not run: its repository is not to be had |")
            return 0
        tests: list[str] = []
        outcomes = list(judged(files, folder, tests))
        return report(outcomes, len(tests), version)


if __name__ == "__main__":
    sys.exit(main())
