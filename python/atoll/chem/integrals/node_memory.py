"""How much memory a rank may take for what is worth keeping: what the node has left, shared."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import atoll

if TYPE_CHECKING:
    from collections.abc import Iterator

_V2, _V1 = ("memory.max", "anon", "shmem"), ("memory.limit_in_bytes", "total_rss", "total_shmem")
"""Of control groups: the file with the limit, and what counts of `memory.stat`."""


def share_of_node(part: int = 2) -> int:
    """Give this rank's share, in bytes, of one `part`-th of the memory that its node has left."""
    world = atoll.world()  # whatever group computes: others of the node may do so beside it
    return memory_left() // part // -(-world.size // world.nodes)


def memory_left(root: str = "/") -> int:
    """Give the bytes that the node, or a control group of this process, has left.

    What the system can take back, as its cache of files, counts as left. `root`: of the files that
    tell, for tests.
    """
    left = [_of_system(Path(root)), *_of_control_groups(Path(root))]
    return max(0, min(left))


def _of_system(root: Path) -> int:
    found = _table(root / "proc/meminfo").get("MemAvailable:")
    if found is not None:
        return found << 10
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _of_control_groups(root: Path) -> Iterator[int]:
    """Give what is left to each group that this process is in, the innermost first."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, name = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        place = root / "sys/fs/cgroup" / ("memory" if controllers else "")
        files = _V1 if controllers else _V2
        # In a container the name may be the host's: then the container's own group is at the top.
        folder = place / name.strip("/")
        for group in (folder, *folder.parents):
            if group == place.parent:
                break
            limit = _text(group / files[0]).strip()
            if limit.isdigit():
                used = _table(group / "memory.stat")
                yield int(limit) - sum(used.get(kind, 0) for kind in files[1:])


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _table(path: Path) -> dict[str, int]:
    """Give the numbers of a file by the words before them."""
    words = (line.split() for line in _text(path).splitlines())
    return {line[0]: int(line[1]) for line in words if len(line) > 1 and line[1].isdigit()}
