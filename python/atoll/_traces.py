"""Tracebacks of the program's own lines, without what went on inside the package.

All is shown with `python -X dev`, and of errors that look like a fault of the package.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LIBRARIES = tuple(
    os.path.join(sysconfig.get_path(name), "")
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_OF_FAULTS = (AssertionError, AttributeError, ImportError, NameError, RecursionError)


def lines(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> str:
    """Give the text of a traceback, as far as it is the program's."""
    shown = traceback.TracebackException(kind, value, trace)
    if not (sys.flags.dev_mode or issubclass(kind, _OF_FAULTS)):
        _leave_out(shown)
    return "".join(shown.format())


def are_shorter(kind: type[BaseException], trace: TracebackType | None) -> bool:
    """Tell whether something of a traceback is left out."""
    if sys.flags.dev_mode or issubclass(kind, _OF_FAULTS):
        return False
    return any(frame.filename.startswith(_HERE) for frame in traceback.extract_tb(trace))


def _leave_out(shown: traceback.TracebackException) -> None:
    stack = shown.stack
    if any(frame.filename.startswith(_HERE) for frame in stack):
        last = max((i for i, f in enumerate(stack) if _is_of_program(f.filename)), default=-1)
        behind = stack[last + 1 :]
        inside = bool(behind) and behind[0].filename.startswith(_HERE)
        kept = stack[: last + 1] + ([] if inside else list(behind))
        kept = [frame for frame in kept if not frame.filename.startswith(_HERE)]
        if kept:
            shown.stack = traceback.StackSummary.from_list(kept)
            if inside and shown.__cause__ is None:
                shown.__suppress_context__ = True  # what was raised on the way, inside
    for earlier in (shown.__cause__, shown.__context__):
        if earlier is not None:
            _leave_out(earlier)


def _is_of_program(filename: str) -> bool:
    return not filename.startswith((_HERE, *_LIBRARIES))
