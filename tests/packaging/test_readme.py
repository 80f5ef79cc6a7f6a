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


# Rows of 0 to 999, and ten times 990 to 999: what the README says that both programs print.
TOTAL = str(1000 * sum(range(1000)) + 10 * sum(range(990, 1000)))


def test_python_tour_prints_the_same_number_on_any_number_of_ranks(
    tools: Path, tmp_path: Path
) -> None:
    script = tmp_path / "tour.py"
    script.write_text(code_block("python"))
    for ranks in 1, 2, 3:
        output = run(tools / "mpiexec", "-n", str(ranks), sys.executable, script)
        assert output == f"{TOTAL}\n"
    assert run(sys.executable, script) == f"{TOTAL}\n"
    assert TOTAL in code_block("python")


def test_cpp_tour_compiles_and_prints_the_same_number(
    compiled: Compiler, tools: Path, tmp_path: Path
) -> None:
    source = tmp_path / "tour.cpp"
    source.write_text(code_block("cpp"))
    program = compiled(source)
    assert run(program) == f"{TOTAL}\n"
    assert run(tools / "mpiexec", "-n", "2", program) == f"{TOTAL}\n"
    assert TOTAL in code_block("cpp")
