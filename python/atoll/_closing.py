"""What ends a `with` block of something that is closed by all ranks together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from types import TracebackType


class Closable(Protocol):
    """Something with a collective `close`."""

    def close(self) -> None:
        """Free it. Collective."""


def leave(
    self: Closable,
    kind: type[BaseException] | None,
    value: BaseException | None,  # noqa: ARG001
    trace: TracebackType | None,  # noqa: ARG001
) -> None:
    """Close what the block was about; for use as `__exit__`."""
    # An exception may be on this rank only: nothing collective then, the object's end does.
    if kind is None:
        self.close()
