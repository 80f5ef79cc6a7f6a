"""A C++ program outside the tree builds against an installed Atoll, with CMake and pkg-config."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from commands import ROOT, Compiler, run

SOURCE = ROOT / "examples" / "cpp"


def with_path(tools: Path) -> dict[str, str]:
    return {"PATH": f"{tools}:{os.environ['PATH']}"}


def test_find_package_gives_a_program_that_runs_on_any_number_of_ranks(
    installation: Path, tools: Path, tmp_path: Path
) -> None:
    prefix = f"-DCMAKE_PREFIX_PATH={installation}"
    run(tools / "cmake", "-G", "Ninja", "-S", SOURCE, "-B", tmp_path, prefix, **with_path(tools))
    run(tools / "cmake", "--build", tmp_path, **with_path(tools))
    printed = {name: run(tmp_path / name) for name in ("mandelbrot", "laplace")}
    assert "@@@" in printed["mandelbrot"]
    assert "steps in all: " in printed["mandelbrot"]
    errors = [float(line.split()[-1]) for line in printed["laplace"].splitlines()]
    assert len(errors) == 2  # two and three dimensions; of second order in the mesh width
    assert errors[0] < 0.5 / 25**2
    assert errors[1] < 0.5 / 13**2
    for name, alone in printed.items():
        for ranks, nodes in (2, 1), (3, 2):
            command = (tools / "mpiexec", "-n", str(ranks), tmp_path / name)
            started = run(*command, ATOLL_NODES=str(nodes))
            assert started == alone, f"{name}: {ranks} ranks on {nodes} nodes differ"
    for ranks, nodes in (2, 1), (3, 2):
        command = (tools / "mpiexec", "-n", str(ranks), tmp_path / "mirrored_multiply")
        assert run(*command, ATOLL_NODES=str(nodes)) == "200 x 200: correct\n"
        command = (tools / "mpiexec", "-n", str(ranks), tmp_path / "lookup")
        assert run(*command, ATOLL_NODES=str(nodes)) == (
            f"400000 entries, 0 of {ranks * 60000} lookups wrong, nine in ten on the node\n"
        )


def test_find_package_refuses_another_minor_version(
    installation: Path, tools: Path, tmp_path: Path
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\n"
        "find_package(atoll 99.0 REQUIRED)\n"
    )
    result = subprocess.run(
        [
            tools / "cmake",
            "-S",
            tmp_path,
            "-B",
            tmp_path / "build",
            "-G",
            "Ninja",
            f"-DCMAKE_PREFIX_PATH={installation}",
        ],
        capture_output=True,
        text=True,
        env={**os.environ, **with_path(tools)},
    )
    assert result.returncode != 0
    assert "99.0" in result.stderr


def test_pkg_config_gives_the_same_program(compiled: Compiler, tools: Path) -> None:
    program = compiled(SOURCE / "mandelbrot.cpp")
    assert run(tools / "mpiexec", "-n", "2", program, "12") == run(program, "12")


def test_installed_headers_are_the_public_ones_only(installation: Path) -> None:
    installed = {path.name for path in (installation / "include" / "atoll").iterdir()}
    assert installed == {path.name for path in (ROOT / "include" / "atoll").iterdir()}
    installed = {path.name for path in (installation / "include" / "ga").iterdir()}
    assert installed == {path.name for path in (ROOT / "include" / "ga").iterdir()}
    names = ["atoll", "ga", "ga-wapi.h"]  # where NWChem looks for the last
    assert sorted(path.name for path in (installation / "include").iterdir()) == names
    assert "wnga_set_property" in (installation / "include" / "ga-wapi.h").read_text()
