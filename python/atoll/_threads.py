"""A rank's share of the cores, for libraries with threads of their own: NumPy's BLAS, OpenMP.

Each would start a thread a core in every rank. What the user has set by the environment stays.
"""

from __future__ import annotations

import os

from threadpoolctl import (  # type: ignore[import-untyped]
    threadpool_info,
    threadpool_limits,
)

SETTINGS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "GOTO_NUM_THREADS",
)
# What is not the user's word: of `atoll run`, which tells Atoll the same, and of `limit`.
_run = os.environ.get("ATOLL_THREADS")
_ours: dict[str, str] = dict.fromkeys(SETTINGS, _run) if _run else {}


def _of_the_user() -> list[str]:
    return [
        f"{k}={os.environ[k]}" for k in SETTINGS if os.environ.get(k) not in (None, _ours.get(k))
    ]


def limit(threads: int) -> None:
    """Limit the pools of libraries when the World starts, for good.

    Those that are loaded already directly; those that come later, as SciPy's BLAS, read these
    variables when they are loaded.
    """
    if _of_the_user():
        return
    threadpool_limits(threads)
    _ours.update(dict.fromkeys(SETTINGS, str(threads)))
    os.environ.update(_ours)


def describe() -> str:
    """Tell how many threads each library may use on this rank, and who says so, in one line."""
    found = sorted({f"{p['internal_api']} {p['num_threads']}" for p in threadpool_info()})
    text = ", ".join(found) or "none"
    if given := _of_the_user():
        return f"{text} (set: {', '.join(given)})"
    if _run:
        return f"{text} (set: ATOLL_THREADS={_run})"
    if _ours:
        return f"{text}, those loaded later {_ours[SETTINGS[0]]}: this rank's share of the cores"
    return text
