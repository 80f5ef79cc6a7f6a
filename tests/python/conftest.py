"""How pytest runs under mpiexec: every rank runs the same tests.

Only rank 0 prints. A test that fails on any rank is reported by that rank, and ends the run: the
others may wait for it inside a collective call for ever.
"""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import atoll
import numpy as np
import pytest
from atoll import _core

# What algebra is compiled for, and a narrow type; all of them: test_element_types.py.
DTYPES = ["int32", "int64", "float32", "float64", "complex64", "complex128", "uint8"]
KINDS = ["blocked", "rows", "irregular", "block_cyclic", "tiled"]


@pytest.hookimpl(trylast=True)  # pytest makes its reporter in this hook too
def pytest_configure(config):
    if atoll.rank() != 0:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        reporter._tw._file = open(os.devnull, "w")  # noqa: SIM115 - for as long as pytest runs


def pytest_runtest_logreport(report):
    if not report.failed or atoll.size() == 1:
        return
    where = f"rank {atoll.rank()} of {atoll.size()}, nodes: {atoll.nodes()}"
    text = f"\nFAILED on {where}: {report.nodeid} ({report.when})\n{report.longreprtext}\n"
    os.write(sys.__stderr__.fileno(), text.encode())
    time.sleep(2)  # let other ranks that fail in the same way say so
    _core.abort(f"test failed: {report.nodeid}", 1)


@pytest.fixture(scope="session")
def world():
    return atoll.world()


@pytest.fixture
def folder():
    """A new folder that all ranks know, gone afterwards."""
    with contextlib.ExitStack() as stack:
        made = stack.enter_context(tempfile.TemporaryDirectory()) if atoll.rank() == 0 else ""
        name = np.frombuffer(made.encode(), np.uint8) if made else None
        yield Path(bytes(atoll.world().broadcast(name)).decode())
        atoll.barrier()


@pytest.fixture(autouse=True)
def _meet_after_the_test():
    yield
    atoll.sync()


@pytest.fixture(params=DTYPES)
def dtype(request):
    return np.dtype(request.param)


def _starts(extent: int, blocks: int) -> list[int]:
    """Uneven boundaries: blocks of 1, 2, 3, ... elements and the rest."""
    starts = [0]
    while len(starts) < blocks and starts[-1] + len(starts) < extent:
        starts.append(starts[-1] + len(starts))
    return starts


def _layout(kind: str, shape: tuple[int, ...]) -> atoll.Layout:
    n = len(shape)
    if kind == "blocked":
        return atoll.blocked()
    if kind == "rows":
        return atoll.blocked((0, *shape[1:]))
    if kind == "irregular":
        return atoll.irregular([_starts(shape[0], atoll.size()), *[[0]] * (n - 1)])
    block = [2 + d % 2 for d in range(n)]
    return atoll.block_cyclic(block) if kind == "block_cyclic" else atoll.tiled(block)


@pytest.fixture(params=KINDS)
def cut(request) -> Callable[[tuple[int, ...]], atoll.Layout]:
    """A distribution of each kind, for any shape."""
    return lambda shape: _layout(request.param, shape)


@pytest.fixture
def values() -> Callable[..., np.ndarray]:
    """The same random array on every rank, for any shape and dtype."""

    def make(shape, dtype, seed=0):
        rng = np.random.default_rng(seed)
        real = rng.integers(-1000, 1000, shape)
        if np.dtype(dtype).kind == "c":
            return (real + 1j * rng.integers(-1000, 1000, shape)).astype(dtype)
        return real.astype(dtype)

    return make
