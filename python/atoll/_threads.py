"""A rank's share of the cores, for libraries with threads of their own: NumPy's BLAS, OpenMP.

Each would start a thread a core in every rank. What the user has set by the environment stays.
"""

from __future__ import annotations

import os

from threadpoolctl import (  # type: ignore[import-untyped]
    threadpool_info,
    threadpool_limits,
)

_SETTINGS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "GOTO_NUM_THREADS",
)


def limit(threads: int) -> None:
    """Limit the pools of the libraries that are loaded, when the World starts; for good."""
    if not any(name in os.environ for name in _SETTINGS):
        threadpool_limits(threads)


def describe() -> str:
    """Tell how many threads each library may use on this rank, in one line."""
    found = {f"{p['internal_api']} {p['num_threads']}" for p in threadpool_info()}
    return ", ".join(sorted(found)) or "none"
