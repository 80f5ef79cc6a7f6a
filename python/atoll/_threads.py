"""A rank's share of the cores, for libraries with threads of their own: NumPy's BLAS, OpenMP.

Each would start a thread a core in every rank. What the user has set by the environment stays.
"""

from __future__ import annotations

import os

from threadpoolctl import threadpool_info, threadpool_limits

_SETTINGS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "GOTO_NUM_THREADS",
)


def limit(ranks: int) -> None:
    """Limit the pools of this rank's libraries, where so many ranks share the cores it may use."""
    if ranks > 1 and not any(name in os.environ for name in _SETTINGS):
        threadpool_limits(max(1, len(os.sched_getaffinity(0)) // ranks))


def describe() -> str:
    """Tell how many threads each library may use on this rank, in one line."""
    found = {f"{p['internal_api']} {p['num_threads']}" for p in threadpool_info()}
    return ", ".join(sorted(found)) or "none"
