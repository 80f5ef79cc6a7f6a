"""The ladder: a page for each program of examples/ladder, with what it prints."""

from __future__ import annotations

import ast
import re
from pathlib import Path


def write_all(programs: Path, into: Path, folder: str) -> list[str]:
    """Write the pages; give their paths."""
    (into / folder).mkdir(parents=True)
    names = []
    for program in sorted(programs.iterdir()):
        name = f"{folder}/{program.name}.md"
        (into / name).write_text(_page(program))
        names.append(name)
    return names


def _page(program: Path) -> str:
    """Put the introduction, which the program opens with, before the program and its output."""
    text = (program / "program.py").read_text()
    introduction = ast.get_docstring(ast.parse(text)) or ""
    title, _, prose = introduction.partition("\n")
    prose, _, ways = prose.rpartition("\n\n")
    code = text.split('"""', 2)[2].strip()
    number = program.name.partition("-")[0]
    return "\n".join(
        [
            f"# {int(number)}. {title.rstrip('.')}",
            "",
            prose.strip(),
            "",
            "```python",
            code,
            "```",
            "",
            "It prints, on any number of processes:",
            "",
            "```text",
            (program / "output.txt").read_text().rstrip(),
            "```",
            "",
            f"`atoll run -n 3 examples/ladder/{program.name}/program.py`",
            "",
            re.sub(r"(\d\d-[a-z0-9-]+)", r"[\1](\1.md)", ways),
            "",
        ]
    )
