"""The pages of the documentation open with programs that run, and print what they say."""

import contextlib
import io
import os

import atoll
import pytest
from pages import PAGES, opening

OPENINGS = {name: opening(page) for name, page in PAGES.items()}
IN_PYTHON = [name for name, found in OPENINGS.items() if found and found.language == "python"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_with_what_it_is_for_and_a_short_program(name):
    lines = PAGES[name].read_text().splitlines()
    assert lines[0].startswith("# ")
    assert lines[2][:1].isalnum() or lines[2][:1] in "`["  # a paragraph
    found = OPENINGS[name]
    assert found is not None
    assert found.language in ("python", "pycon", "c", "cpp", "console")
    assert found.output or found.language in ("pycon", "console")
    # About ten lines; what a language wants around them is not the reader's fault.
    assert len(found.code.splitlines()) <= (24 if found.language in ("c", "cpp") else 16)


@pytest.mark.parametrize("name", IN_PYTHON)
def test_programs_print_what_the_page_says_on_any_number_of_ranks(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(OPENINGS[name].code, name, "exec"), {"__name__": "__main__"})
        atoll.sync()
    os.chdir("/")  # before the folder goes
    assert printed.getvalue() == (OPENINGS[name].output if atoll.rank() == 0 else "")
