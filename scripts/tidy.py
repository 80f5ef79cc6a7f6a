"""Run clang-tidy on every source file of a build, two things aware: cores and what passed before.

A file that passed is not looked at again until it, a header or the rules change: the first run
takes minutes, the next seconds. Usage: python scripts/tidy.py BUILD_FOLDER [PATH_PART...]
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parent.parent
OWN_FOLDERS = ("src", "tests", "bench")


class CompileCommand(TypedDict):
    """One entry of compile_commands.json, as far as it is used here."""

    file: str
    command: str


def own_commands(build: Path, parts: list[str]) -> dict[Path, str]:
    """Map each of our source files that was compiled to its compile command."""
    entries: list[CompileCommand] = json.loads((build / "compile_commands.json").read_text())
    commands = {}
    for entry in entries:
        path = Path(entry["file"]).resolve()
        inside = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in OWN_FOLDERS
        ours = inside and path.suffix in (".c", ".cpp")  # not Fortran
        if ours and (not parts or any(part in str(path) for part in parts)):
            commands[path] = entry["command"]
    return commands


def state_of_rules(clang_tidy: str) -> str:
    """Digest of what every file's verdict depends on: the rules, the tool, our headers."""
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    digest.update(subprocess.run([clang_tidy, "--version"], capture_output=True).stdout)
    for folder in ("include", *OWN_FOLDERS):
        for header in sorted((ROOT / folder).rglob("*.h*")):
            digest.update(header.read_bytes())
    return digest.hexdigest()


def main() -> int:
    """Check all files; return 1 when clang-tidy found something in any of them."""
    build = Path(sys.argv[1]).resolve()
    clang_tidy = str(Path(sysconfig.get_path("scripts")) / "clang-tidy")
    commands = own_commands(build, sys.argv[2:])
    if not commands:
        print(f"no source file of ours in {build}/compile_commands.json")
        return 1
    rules = state_of_rules(clang_tidy)
    passed_before = ROOT / "build" / "tidy"
    passed_before.mkdir(parents=True, exist_ok=True)

    def check(path: Path) -> bool:
        text = rules.encode() + commands[path].encode() + path.read_bytes()
        stamp = passed_before / hashlib.sha256(text).hexdigest()
        if stamp.exists():
            return True
        # The build is GCC's: clang need not know all its flags nor like its library's insides.
        quiet = ["--extra-arg=-Wno-unknown-warning-option"]
        quiet += ["--extra-arg=-Wno-deprecated-declarations", "--extra-arg=-Wno-ignored-gch"]
        # Declarations with an Integer of no size (ATOLL_GA_ANY_INTEGER).
        quiet += ["--extra-arg=-Wno-return-type-c-linkage"]
        command = [clang_tidy, "--quiet", "-p", str(build), *quiet, str(path)]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode == 0:
            stamp.touch()
            return True
        print(result.stdout, end="")
        if not result.stdout.strip():
            print(result.stderr, end="")
        return False

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        verdicts = list(pool.map(check, sorted(commands)))
    print(f"clang-tidy: {verdicts.count(True)} of {len(verdicts)} files are clean")
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
