"""Run clang-tidy on every source file of a build, two things aware: cores and what passed before.

A file that passed is not looked at again until it, a header or the rules change: the first run
takes minutes, the next seconds. Usage: python scripts/tidy.py BUILD_FOLDER [PATH_PART...]
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypedDict

import packs

ROOT = Path(__file__).resolve().parent.parent
OWN_FOLDERS = ("src", "tests", "bench")
FILES_IN_A_PACK = 8
OF_GCC_ALONE = re.compile(r" -mmem(set|cpy)-strategy=\S+")  # options that Clang refuses


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
            commands[path] = OF_GCC_ALONE.sub("", entry["command"])
    return commands


def state_of_rules(clang_tidy: str) -> str:
    """Digest of what every file's verdict depends on: the rules, the tool, our headers."""
    digest = hashlib.sha256()
    for rules in [ROOT / ".clang-tidy", *sorted(ROOT.glob("*/.clang-tidy"))]:
        digest.update(rules.read_bytes())
    digest.update(subprocess.run([clang_tidy, "--version"], capture_output=True).stdout)
    for folder in ("include", *OWN_FOLDERS):
        for header in sorted((ROOT / folder).rglob("*.h*")):
            digest.update(header.read_bytes())
    return digest.hexdigest()


def rules_for(path: Path) -> Path:
    """Name the .clang-tidy that holds for a file."""
    return next(file for folder in path.parents if (file := folder / ".clang-tidy").exists())


def packs_to_check(commands: dict[Path, str]) -> list[list[Path]]:
    """Put files together that are compiled alike and that the same rules hold for."""
    kinds = {
        path: command.replace(str(path), "").split(" -o ")[0] + str(rules_for(path))
        for path, command in commands.items()
    }
    return packs.packs_of(kinds, FILES_IN_A_PACK)


class Checker:
    """clang-tidy on files of one build."""

    def __init__(self, build: Path, commands: dict[Path, str]) -> None:
        self.tool = str(Path(sysconfig.get_path("scripts")) / "clang-tidy")
        self.commands = commands
        self.passed_before = ROOT / "build" / "tidy"
        self.passed_before.mkdir(parents=True, exist_ok=True)
        self.build = build
        entries = [
            {"directory": str(build.resolve()), "file": str(path), "command": command}
            for path, command in commands.items()
        ]
        (self.passed_before / "compile_commands.json").write_text(json.dumps(entries))
        self.rules = state_of_rules(self.tool).encode()

    def stamp(self, path: Path) -> Path:
        """Where it is noted that a file has passed."""
        text = self.rules + self.commands[path].encode() + path.read_bytes()
        return self.passed_before / hashlib.sha256(text).hexdigest()

    def run(self, database: Path, path: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """Run clang-tidy on one file of a compilation database."""
        # The build is GCC's: clang need not know all its flags nor like its library's insides.
        quiet = ["--extra-arg=-Wno-unknown-warning-option"]
        quiet += ["--extra-arg=-Wno-deprecated-declarations", "--extra-arg=-Wno-ignored-gch"]
        # Declarations with an Integer of no size (ATOLL_GA_ANY_INTEGER).
        quiet += ["--extra-arg=-Wno-return-type-c-linkage"]
        command = [self.tool, "--quiet", "-p", str(database), *options, *quiet, str(path)]
        return subprocess.run(command, capture_output=True, text=True)

    def check_alone(self, path: Path) -> bool:
        """Check one file and print what is found."""
        result = self.run(self.passed_before, path)
        if result.returncode == 0:
            self.stamp(path).touch()
            return True
        print(result.stdout, end="")
        if not result.stdout.strip():
            print(result.stderr, end="")
        return False

    def check_together(self, files: list[Path]) -> bool:
        """Check files in one; quietly, as what is found may come from their being together."""
        with tempfile.TemporaryDirectory(dir=self.passed_before) as name:
            all_of_them = Path(name) / f"pack{files[0].suffix}"
            all_of_them.write_text("".join(f'#include "{path}"\n' for path in files))
            shutil.copy(rules_for(files[0]), name)
            command = self.commands[files[0]].replace(str(files[0]), str(all_of_them))
            entry = {"directory": str(self.build), "file": str(all_of_them), "command": command}
            (Path(name) / "compile_commands.json").write_text(json.dumps([entry]))
            options = [
                r"--header-filter=((include/atoll|src)/.*\.hpp|\.c|\.cpp)$",
                "--checks=-bugprone-suspicious-include",
                "--extra-arg=-Wno-shadow",  # GCC's warnings are errors, for each file alone
            ]
            return self.run(Path(name), all_of_them, *options).returncode == 0

    def check(self, files: list[Path]) -> list[bool]:
        """Verdicts of a pack: together, and by halves where that finds something."""
        if all(self.stamp(path).exists() for path in files):
            return [True] * len(files)
        if len(files) == 1:
            return [self.check_alone(files[0])]
        if self.check_together(files):
            for path in files:
                self.stamp(path).touch()
            return [True] * len(files)
        middle = len(files) // 2
        return self.check(files[:middle]) + self.check(files[middle:])


def main() -> int:
    """Check all files; return 1 when clang-tidy found something in any of them."""
    build = Path(sys.argv[1]).resolve()
    commands = own_commands(build, sys.argv[2:])
    if not commands:
        print(f"no source file of ours in {build}/compile_commands.json")
        return 1
    checker = Checker(build, commands)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        verdicts = [v for pack in pool.map(checker.check, packs_to_check(commands)) for v in pack]
    print(f"clang-tidy: {verdicts.count(True)} of {len(verdicts)} files are clean")
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
