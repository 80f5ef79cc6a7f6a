"""The classes of the extension, made like the rest: agreement, and clear messages.

Element access is left alone, which takes any object and says itself what is wrong.
"""

from __future__ import annotations

from typing import Any

from atoll import _core
from atoll._agreement import collective, collective_over_copies
from atoll._signatures import plain

_COLLECTIVE = {
    "Group": ("barrier", "sync", "broadcast", "reduce", "create", "split"),
    "CounterBase": ("reset",),
    "LazyMirrorBase": ("refresh", "close"),
}
_OVER_COPIES = {"ArrayBase": ("destroy", "duplicate_base")}
_FAST = {
    "get",
    "get_into",
    "accumulate",
    "get_async",
    "put_async",
    "accumulate_async",
    "add",
    "add_in_place",
    "take_added",
    "wait",
    "test",
    "next",
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
            if name.startswith("_") or name in _FAST:
                continue
            if type(member).__name__ == "nb_method":
                setattr(owner, name, _guarded(kind, name, member))


install()
