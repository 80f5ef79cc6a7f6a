"""The scripts say plainly what is missing or mixed up, and count the results they report."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from commands import ROOT


def source_and_run(
    commands: str, script: str = "common.sh", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run shell commands that see a script's functions."""
    return subprocess.run(
        ["bash", "-c", f"source scripts/{script}; {commands}"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_nothing_is_missing_where_the_tests_run() -> None:
    assert source_and_run("missing_packages").stdout == ""


def test_a_missing_compiler_is_named() -> None:
    assert source_and_run("missing_packages", CXX="/nowhere/c++").stdout == "g++\n"


def test_a_missing_or_old_python_is_named() -> None:
    result = source_and_run("missing_packages", PYTHON="/nowhere/python")
    assert result.stdout.splitlines() == ["python3-venv", "python3-dev"]


def test_without_root_one_line_says_what_to_install() -> None:
    # EUID is read-only in bash; a user namespace or another account is not always to be had.
    commands = 'eval "$(declare -f need_tools | sed s/EUID/other_user/)"; other_user=1; need_tools'
    result = source_and_run(commands, CXX="/nowhere/c++")
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "atoll: this machine lacks a tool; on Debian install it with: sudo apt-get install g++"
    ]


def make_environment(folder: Path, library: str, version: str) -> None:
    (folder / "bin").mkdir()
    (folder / "lib").mkdir()
    (folder / "lib" / library).touch()
    mpiexec = folder / "bin" / "mpiexec"
    mpiexec.write_text(f"#!/bin/sh\necho '{version}'\n")
    mpiexec.chmod(0o755)


def test_an_mpiexec_of_another_mpi_is_explained(tmp_path: Path) -> None:
    make_environment(tmp_path, "libmpi.so.12", "mpiexec (Open MPI) 5.0.11")
    result = source_and_run(f"check_launcher {tmp_path} libmpi.so.12")
    assert result.returncode == 1
    assert "is of another MPI than" in result.stderr
    assert "(it says: mpiexec (Open MPI) 5.0.11)" in result.stderr


def test_an_mpiexec_of_the_same_mpi_passes(tmp_path: Path) -> None:
    make_environment(tmp_path, "libmpi.so.40", "mpiexec (Open MPI) 5.0.11")
    result = source_and_run(f"check_launcher {tmp_path} libmpi.so.40")
    assert (result.returncode, result.stderr) == (0, "")


def test_results_of_both_test_frameworks_are_counted(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        "1: [  PASSED  ] 40 tests.\n"
        "2: [  PASSED  ] 38 tests.\n"
        "2: [  FAILED  ] 2 tests, listed below:\n"
        "2: [  FAILED  ] Group.Splits\n"
        "1 failed, 12 passed, 3 skipped in 4.20s\n"
        "7 passed in 61.00s (0:01:01)\n"
        "===== 2 errors, 1 passed in 0.10s =====\n"
    )
    result = source_and_run(f"counts {log}", "summary.sh")
    assert result.stdout == "98 5\n"
