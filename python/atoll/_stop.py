"""Stopping in time: saving and ending before a batch system ends the run."""

from __future__ import annotations

from atoll import _core
from atoll._agreement import collective
from atoll._signatures import plain


class Stopped(SystemExit):  # no error: the program did what it was asked to
    """Raised on all ranks by work that was asked to stop, when its state is saved if it has one.

    Uncaught, it ends the program with exit status 75, EX_TEMPFAIL: start it again to go on. In a
    thread other than the main one it does so at once, whatever the others are doing.

    Attributes:
        reason: What it was asked by: "SIGTERM", "SIGUSR1" or "the time limit".
        saved: Whether there is a state to go on from.

    """

    def __init__(self, reason: str, *, saved: bool) -> None:
        super().__init__(_core.STOPPED_STATUS)
        self.reason, self.saved = reason, saved

    def __str__(self) -> str:
        """Say so."""
        return f"stopped by {self.reason}, {'its state is' if self.saved else 'nothing was'} saved"


@plain
def heed_stop_signals(time_limit: float | None = None) -> None:
    """Remember SIGTERM and SIGUSR1 from here on, by which the process would end. Not collective.

    Calculations of `atoll.chem` then save their state, where they have somewhere to, and raise
    `Stopped`; other programs ask `stop_requested` between two steps of their work. Handlers of the
    program's own, also Python's, are replaced. A child that the process forks later is ended by
    them, as it would be without this.

    Args:
        time_limit: Seconds from now after which it is to stop, too; None: never.

    Raises:
        ValueError: `time_limit` is not above 0.

    """
    if time_limit is not None:
        _core.set_time_limit(time_limit)
    _core.heed_stop_signals()


@collective
def stop_requested(group: _core.Group | None = None) -> str:
    """Tell by what any rank was asked to stop, the same on all; empty: by nothing. Collective.

    By the time limit a rank is, when that would not last until the next question, if the next step
    takes as long as the last one.

    Args:
        group: Who asks; None: the default group.

    >>> import atoll
    >>> for iteration in range(3):
    ...     pass  # a step of the work
    ...     if atoll.stop_requested():
    ...         raise SystemExit(75)  # after saving, and on all ranks

    """
    return _core.stop_requested(_core.default_group() if group is None else group)


def stop_point(group: _core.Group, *, saved: bool = False) -> None:
    """Raise `Stopped` on all ranks if any was asked to stop. Collective.

    `saved`: whether the state of the work is.
    """
    if reason := _core.stop_requested(group):
        raise Stopped(reason, saved=saved)
