"""The examples in docstrings and in docs/python.md run, on every rank, and print what they say."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import atoll
import numpy as np
import pytest

WITHOUT = ("_core", "__main__", "chem", "cli", "cluster")  # as parts of a module's name
MODULES = ["atoll"] + [
    module.name
    for module in pkgutil.walk_packages(atoll.__path__, "atoll.")
    if module.name.split(".")[1] not in WITHOUT
]
MANUAL = Path(__file__).resolve().parents[2] / "docs" / "python.md"


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, folder):
    module = importlib.import_module(name)
    result = doctest.testmod(
        module, optionflags=doctest.FAIL_FAST, extraglobs={"folder": str(folder), "np": np}
    )
    assert result.failed == 0
    atoll.sync()


def test_manual():
    result = doctest.testfile(
        str(MANUAL), module_relative=False, globs={}, optionflags=doctest.FAIL_FAST
    )
    assert result.attempted > 20
    assert result.failed == 0
