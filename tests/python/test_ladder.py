"""The programs of examples/ladder print what stands beside them, on any number of ranks."""

import contextlib
import io
import re

import atoll
import pytest
from pages import ROOT

LADDER = sorted((ROOT / "examples" / "ladder").iterdir())


@pytest.mark.parametrize("folder", LADDER, ids=lambda folder: folder.name)
def test_a_program_prints_what_stands_beside_it(folder):
    printed = io.StringIO()
    text = (folder / "program.py").read_text()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, str(folder / "program.py"), "exec"), {"__name__": "__main__"})
        atoll.sync()
    expected = (folder / "output.txt").read_text() if atoll.rank() == 0 else ""
    assert printed.getvalue() == expected


def test_each_says_what_comes_next_and_what_it_builds_on():
    names = [folder.name for folder in LADDER]
    assert len(names) >= 24
    for here, name in enumerate(names):
        text = (LADDER[here] / "program.py").read_text().split('"""')[1]
        for told in re.findall(r"\d\d-[a-z0-9-]+", text):
            assert told in names, f"{name} tells of {told}"
        assert f"Next: {names[here + 1]}." in text if here + 1 < len(names) else "Builds on" in text
