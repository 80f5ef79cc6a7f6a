"""How much memory a rank may take for what is worth keeping: what the node has left, shared."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import atoll
from atoll import _core

_MEMINFO = Path("/proc/meminfo")
_STATM = Path("/proc/self/statm")
_LIMITS = ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5))
"""Limits of a process, and where in `_STATM` stands how many pages it has that count for each."""


def share_of_node(part: int = 2) -> int:
    """Give this rank's share, in bytes, of one `part`-th of the memory that its node has left."""
    world = atoll.world()  # whatever group computes: others of the node may do so beside it
    return min(memory_left() // part // -(-world.size // world.nodes), process_left() // 2)


def memory_left(meminfo: Path = _MEMINFO) -> int:
    """Give the bytes that the node, or a control group of this process, has left.

    What the system can take back, as its cache of files, counts as left. `meminfo`: the kernel's
    table, for tests.
    """
    of_process, _ = _core.memory_limit()
    return min(int(of_process), _available(meminfo))


def process_left() -> int:
    """Give the bytes that limits of this process alone (`ulimit -v`, `ulimit -d`) leave it."""
    try:
        pages = [int(word) for word in _STATM.read_text(encoding="ascii").split()]
    except (OSError, ValueError):
        pages = []
    size, left = os.sysconf("SC_PAGE_SIZE"), sys.maxsize
    for limit, place in _LIMITS:
        most, _ = resource.getrlimit(limit)
        used = pages[place] * size if place < len(pages) else 0
        if most != resource.RLIM_INFINITY:
            left = min(left, max(0, most - used))
    return left


def _available(meminfo: Path) -> int:
    """Give what programs could get of the system; of no table: all that may be asked for."""
    try:
        lines = meminfo.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        lines = []
    rows = (line.split() for line in lines)
    found = [int(words[1]) << 10 for words in rows if words[:1] == ["MemAvailable:"]]
    return found[0] if found else int(_core.memory_limit()[0])
