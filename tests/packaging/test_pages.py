"""The programs in C and C++, and the commands, that pages of the documentation open with."""

from __future__ import annotations

import doctest
import os
import shlex
from pathlib import Path

import pytest
from commands import ROOT, Compiler, run
from pages import PAGES, commands, opening

OPENINGS = {name: opening(page) for name, page in PAGES.items()}


def pages_in(language: str) -> list[str]:
    return [name for name, found in OPENINGS.items() if found and found.language == language]


def check_on_one_rank_and_three(program: Path, tools: Path, expected: str) -> None:
    assert run(program) == expected
    assert run(tools / "mpiexec", "-n", "3", program, ATOLL_NODES="2") == expected


@pytest.mark.parametrize("name", pages_in("cpp"))
def test_programs_in_cpp(name: str, compiled: Compiler, tools: Path, tmp_path: Path) -> None:
    source = tmp_path / "page.cpp"
    source.write_text(OPENINGS[name].code)
    check_on_one_rank_and_three(compiled(source), tools, OPENINGS[name].output)


@pytest.mark.parametrize("name", pages_in("c"))
def test_programs_in_c(name: str, installation: Path, tools: Path, tmp_path: Path) -> None:
    source, program = tmp_path / "page.c", tmp_path / "page"
    source.write_text(OPENINGS[name].code)
    config = installation / "bin" / "ga-config"
    before = shlex.split(run(config, "--cppflags"))
    behind = shlex.split(run(config, "--ldflags", "--libs"))
    run("cc", "-std=c99", "-D_GNU_SOURCE", *before, source, "-o", program, *behind)
    check_on_one_rank_and_three(program, tools, OPENINGS[name].output)


@pytest.mark.parametrize("name", pages_in("console"))
def test_commands(name: str, tools: Path, tmp_path: Path) -> None:
    path = f"{tools}:{os.environ['PATH']}"
    folder = tmp_path / "here"  # commands may leave files, and see those of the repository
    folder.mkdir()
    for entry in ROOT.iterdir():
        (folder / entry.name).symlink_to(entry)
    for command, expected in commands(OPENINGS[name].code):
        text = run("bash", "-c", f"cd {shlex.quote(str(folder))} && {command}", PATH=path)
        matches = doctest.OutputChecker().check_output(expected, text, doctest.ELLIPSIS)
        assert matches, f"{command} printed\n{text}"
