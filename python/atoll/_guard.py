"""The classes of the extension, made like the rest: agreement, and clear messages."""

from __future__ import annotations

from typing import Any

from atoll import _core
from atoll._agreement import collective, collective_over_copies
from atoll._signatures import plain

_COLLECTIVE = {
    "Group": (
        *("barrier", "sync", "broadcast", "reduce", "create", "split"),
        *("gather", "allgather", "scan", "alltoall", "from_mpi4py"),
    ),
    "CounterBase": ("reset",),
    "LazyMirrorBase": ("refresh", "close"),
}
_OVER_COPIES = {"ArrayBase": ("destroy", "duplicate_base")}
# These take any object and say themselves what is wrong with it: src/python/refusal.hpp.
_FAST = {
    "ArrayBase": ("get", "get_into", "accumulate", "get_async", "put_async", "accumulate_async"),
    "ViewBase": ("add", "add_in_place", "take_added"),
    "Request": ("wait", "test"),
    "CounterBase": ("next",),
}


def _guarded(kind: str, name: str, function: Any) -> Any:
    if name in _COLLECTIVE.get(kind, ()):
        return collective(function)
    if name in _OVER_COPIES.get(kind, ()):
        return collective_over_copies(function)
    return plain(function)


def install() -> None:
    """Put the guards around the methods of all classes; once, before anybody inherits them."""
    for kind, owner in vars(_core).items():
        if not isinstance(owner, type) or type(owner).__name__.startswith("Enum"):
            continue
        for name, member in list(vars(owner).items()):
            if name.startswith("_") or name in _FAST.get(kind, ()):
                continue
            if type(member).__name__ == "nb_method":
                setattr(owner, name, _guarded(kind, name, member))
            elif type(member).__name__ == "nb_func":
                setattr(owner, name, staticmethod(_guarded(kind, name, member)))


install()
