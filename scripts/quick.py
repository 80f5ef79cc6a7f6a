"""Which tests a change needs: for `scripts/test.sh quick`. Prints a filter for GoogleTest.

A file under src/ or include/ concerns its own layer and all above it (docs/architecture.md), a test
file only itself. Layers of tests are told by the names of their files.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

# A layer and how the files of its tests begin; what begins otherwise belongs to the array layer,
# and so do mpi, world and transport, of which every array is made.
LAYERS = {
    "algebra": "algebra_|bins|block_matmul|line_search|mat|scan",
    "solvers": "solvers",
    "disk": "checkpoint|device|disk_|hostile|private_file|shared_file",
}
ABOVE = {"algebra": ["algebra", "solvers"], "solvers": ["solvers"], "disk": ["disk"]}
SUITE = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+),", re.MULTILINE)


def git(*arguments: str) -> list[str]:
    """Lines of git's answer; none where this is no checkout."""
    run = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return run.stdout.splitlines()


def changed_files(since: str) -> list[str]:
    """List what differs from `since`, and what git does not track yet."""
    return git("diff", "--name-only", since) + git("ls-files", "--others", "--exclude-standard")


def layer_of_test(file: Path) -> str:
    """Tell the layer that a test file belongs to."""
    for layer, beginnings in LAYERS.items():
        if re.match(beginnings, file.name):
            return layer
    return "array"


def wanted_tests(changed: list[str], tests: list[Path]) -> list[Path]:
    """Choose the test files that the changed files concern."""
    wanted: set[Path] = set()
    for name in changed:
        path = Path(name)
        if name.startswith("tests/cpp/"):
            wanted.update([path] if path in tests else tests)
        elif name.startswith("src/") and path.parts[1] in ABOVE:
            wanted.update(t for t in tests if layer_of_test(t) in ABOVE[path.parts[1]])
        elif name.startswith(
            ("src/mpi", "src/world", "src/transport", "src/array", "include/atoll")
        ):
            wanted.update(tests)
    return sorted(wanted)


def main() -> None:
    """Print the filter; nothing where the change concerns no C++ test."""
    tests = sorted(Path("tests/cpp").glob("*_test.cpp"))
    files = wanted_tests(changed_files(sys.argv[1] if len(sys.argv) > 1 else "HEAD"), tests)
    suites = sorted({suite for file in files for suite in SUITE.findall(file.read_text())})
    # Of suites over types and parameters GoogleTest puts more before and behind the name.
    print(":".join(f"{s}.*:{s}/*:*/{s}.*:*/{s}/*" for s in suites))


if __name__ == "__main__":
    main()
