"""What ends a `with` block of something that is closed by all ranks together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from atoll import _agreement

if TYPE_CHECKING:
    from types import TracebackType


class Closable(Protocol):
    """Something with a collective `close`."""

    def close(self) -> None:
        """Free it. Collective."""


def leave(
    self: Closable,
    kind: type[BaseException] | None,
    value: BaseException | None,
    trace: TracebackType | None,
) -> None:
    """Close what the block was about; for use as `__exit__`."""
    # An exception may be on this rank only: nothing collective then, the object's end does. Others
    # may wait for this rank in ways that no meeting would end, so it does not wait for them; those
    # who close are told by what it calls next.
    if kind is None:
        self.close()
        _agreement.forget_leaving()
    elif value is not None:
        _agreement.remember_leaving(type(self).__name__, value, trace)
