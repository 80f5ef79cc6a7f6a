"""The examples in docstrings of the chemistry run, on every rank, and print what they say."""

import doctest
import importlib
from pathlib import Path

import atoll.chem
import pytest

ROOT = Path(atoll.chem.__file__).parent
MODULES = [
    ".".join(["atoll.chem", *path.relative_to(ROOT).with_suffix("").parts])
    for path in sorted(ROOT.rglob("*.py"))
    if ">>>" in path.read_text() and path.name != "__init__.py"
]


@pytest.mark.parametrize("name", ["atoll.chem", *MODULES])
def test_docstrings(name, world):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.FAIL_FAST)
    assert (result.failed, result.attempted > 0) == (0, True)
