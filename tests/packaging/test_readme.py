"""The code that the README shows runs as it stands."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from commands import ROOT, Compiler, run


def code_block(language: str) -> str:
    (code,) = re.findall(
        rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S
    )
    return str(code)


def test_python_tour_runs_alone_and_on_several_ranks(tools: Path, tmp_path: Path) -> None:
    script = tmp_path / "tour.py"
    script.write_text(code_block("python"))
    for ranks in 1, 2, 3:
        output = run(tools / "mpiexec", "-n", str(ranks), sys.executable, script)
        # The identity's trace, the tile's ten ones added by each rank or before another's
        # accumulate doubled them, and one half for every element.
        name, total = output.strip().split(" processes: ")
        assert int(name) == ranks
        assert int(total) >= 500 + 10 * ranks + 500_000
    assert run(sys.executable, script).startswith("1 processes: 500510")


def test_cpp_tour_compiles_and_runs(compiled: Compiler, tools: Path, tmp_path: Path) -> None:
    source = tmp_path / "tour.cpp"
    source.write_text(code_block("cpp"))
    program = compiled(source)
    # Per rank 25 x 25 ones at one half; one column of a thousand.
    assert run(program) == "1 processes: 11312.5\n"
    assert run(tools / "mpiexec", "-n", "2", program) == "2 processes: 11625\n"
