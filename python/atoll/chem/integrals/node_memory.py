"""How much memory a rank may take for what is worth keeping: what the node has left, shared."""

from __future__ import annotations

from pathlib import Path

import atoll
from atoll import _core

_MEMINFO = Path("/proc/meminfo")


def share_of_node(part: int = 2) -> int:
    """Give this rank's share, in bytes, of one `part`-th of the memory that its node has left."""
    world = atoll.world()  # whatever group computes: others of the node may do so beside it
    return memory_left() // part // -(-world.size // world.nodes)


def memory_left(meminfo: Path = _MEMINFO) -> int:
    """Give the bytes that the node, or a control group of this process, has left.

    What the system can take back, as its cache of files, counts as left. `meminfo`: the kernel's
    table, for tests.
    """
    of_process, _ = _core.memory_limit()
    return min(int(of_process), _available(meminfo))


def _available(meminfo: Path) -> int:
    """Give what programs could get of the system; of no table: all that may be asked for."""
    try:
        lines = meminfo.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        lines = []
    rows = (line.split() for line in lines)
    found = [int(words[1]) << 10 for words in rows if words[:1] == ["MemAvailable:"]]
    return found[0] if found else int(_core.memory_limit()[0])
