"""The examples in docstrings and in docs/python.md run, on every rank, and print what they say."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import atoll
import numpy as np
import pytest

MODULES = [
    "atoll",
    "atoll.algebra",
    "atoll.checkpoint",
    "atoll.disk",
    "atoll.linalg",
    *(f"atoll.{m.name}" for m in pkgutil.iter_modules(atoll.__path__) if m.name.startswith("_")),
]
MODULES = [name for name in MODULES if name not in ("atoll._core", "atoll.__main__")]
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
