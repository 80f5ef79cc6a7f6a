"""Agreement: what fails on one rank inside a collective call is raised on all ranks.

The library's own calls meet, and compare what they were given. Code in Python that prepares such a
call may fail before: then this rank joins the meeting that the others' call begins with, and tells
them. So nobody waits, and an agreement costs nothing while all is well.
"""

from __future__ import annotations

import functools
import os
import sys
import traceback
import warnings
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from atoll import _core, _signatures
from atoll._signatures import shortly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType, TracebackType

    Meeting = _core.Group | _core.ArrayBase
    MeetingOf = Callable[[Iterable[Any]], Meeting | None]

P = ParamSpec("P")
R = TypeVar("R")

_HERE = os.path.dirname(os.path.abspath(__file__))

# Something is destroyed, or the world has ended, or cannot start: on all ranks alike.
_NO_WORLD = (RuntimeError, OSError, ValueError, MemoryError)
_CALLS: set[Any] = set()
_LEFT: list[str] = []  # by which error this rank has left a block, until the others know
_LONGEST = 160


def _wrapped(function: Callable[P, R], meeting: MeetingOf, *, named: bool = True) -> Callable[P, R]:
    first = 1 if function.__name__ == "__init__" else 0  # an object that is not there yet

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if is_failure_of_start(error):
                raise
            clearer = _signatures.clear(error, function, args, kwargs)
            if named:
                _signatures.name_arguments(clearer, function, args, kwargs)
            raise_everywhere(clearer, meeting((*args[first:], kwargs)))
            raise

    _CALLS.add(getattr(call, "__code__"))  # noqa: B009
    return call


def collective(function: Callable[P, R]) -> Callable[P, R]:
    """Make Python code a collective call: what it raises on one rank, it raises on all.

    They are the ranks of the group of its first argument that has one. The code may fail before
    its first meeting, or between two, and not behind the last.
    """
    return _wrapped(function, group_of)


def collective_among(group: MeetingOf) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """As `collective`, of the ranks that `group` gives: it takes the arguments, options last."""
    return lambda function: _wrapped(function, group)


def collective_in(group: MeetingOf) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """As `collective`, of operators, whose ranks `group` gives: it takes arguments, options last.

    Their errors name operands by themselves, not by the names of parameters.
    """
    return lambda function: _wrapped(function, group, named=False)


def collective_merge(function: Callable[P, R]) -> Callable[P, R]:
    """As `collective`, of merges of mirrored arrays."""
    return _wrapped(function, merge_of)


def collective_over_copies(function: Callable[P, R]) -> Callable[P, R]:
    """As `collective`, of calls that the ranks of all copies of a mirrored array make."""
    return _wrapped(function, whole_group_of)


def is_failure_of_start(error: BaseException) -> bool:
    """Tell whether an error says why no world has started: then there is nobody to meet."""
    failure = _core.failure_of_start()
    return bool(failure) and str(error) == failure and not _core.running()


def raise_everywhere(error: Exception, meeting: Meeting | None) -> None:
    """Raise an error of this rank on all ranks of a meeting; one that they raise already as it is.

    A meeting is a group, or a mirrored array that is merged.
    """
    if meeting is None or getattr(error, _core.RAISED_EVERYWHERE, False):
        raise error
    if isinstance(meeting, _core.ArrayBase):
        _core.leave_merge(meeting, error)
    else:
        _core.leave(meeting, error)


def leave(group: _core.Group, failure: Exception | None = None) -> None:
    """End a collective call: raise on all ranks what failed on one."""
    if failure is not None and getattr(failure, _core.RAISED_EVERYWHERE, False):
        raise failure
    _core.leave(group, failure)


def group_of(values: Iterable[Any]) -> _core.Group | None:
    """Give the ranks that take part in a call with these arguments; None: nobody can say."""
    try:
        return _group_in(values) or _core.default_group()
    except _NO_WORLD:
        return None


def whole_group_of(values: Iterable[Any]) -> _core.Group | None:
    """As `group_of`; of a mirrored array the ranks of all its copies."""
    try:
        return _group_in(values, whole=True) or _core.default_group()
    except _NO_WORLD:
        return None


def merge_of(values: Iterable[Any]) -> Meeting | None:
    """Give what a merge with these arguments meets in."""
    try:
        for value in values:
            base = value.base if isinstance(value, _core.ViewBase) else value
            if isinstance(base, _core.ArrayBase) and base.mirrored:
                return base if base.whole_group.nodes > 1 else base.whole_group
        return group_of(values)
    except _NO_WORLD:
        return None


def _group_in(values: Iterable[Any], whole: bool = False) -> _core.Group | None:
    values = list(values)
    options = values[-1] if values and isinstance(values[-1], dict) else {}
    for value in (options.get("group"), *values):
        if isinstance(value, _core.Group):
            return value
        base = value.base if isinstance(value, _core.ViewBase) else value
        if isinstance(base, _core.ArrayBase):
            return base.whole_group if whole else base.group
        if isinstance(group := getattr(value, "_group", None), _core.Group):
            return group
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(value, (tuple, list, dict)) and (found := _group_in(inner, whole)):
            return found
    return None


def remember_leaving(block: str, error: BaseException, trace: TracebackType | None) -> None:
    """Remember that this rank leaves a block of something collective by an error of its own.

    The others, who end the block together, learn of it from `caller` when that goes wrong.
    """
    if getattr(error, _core.RAISED_EVERYWHERE, False):
        return
    line = ""
    while trace is not None:
        if not is_inside(trace.tb_frame):
            line = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    text = str(error)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    _LEFT[:] = [f"having left the block of a {block} by {type(error).__name__}{line}: {text}"]


def forget_leaving() -> None:
    """Forget it: the others know, or do the same as this rank again."""
    _LEFT.clear()


def caller() -> str:
    """Say which call this rank is in, with what, and from which line of the program.

    And by which error it came there instead of closing what the others close.
    """
    parts = [_call(sys._getframe(1)), *_LEFT]
    forget_leaving()
    return ", ".join(filter(None, parts))


def _call(frame: FrameType | None) -> str:
    call = ""
    while frame is not None and is_inside(frame):
        if frame.f_code in _CALLS:
            local = frame.f_locals
            call = _text(local["function"].__name__, local["args"], local["kwargs"])
        frame = frame.f_back
    if frame is None:
        return call
    line = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
    return f"{call} at {line}".strip()


def warn(text: str) -> None:
    """Warn of the line of the program that called into this package."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and is_inside(frame):
        frame = frame.f_back
        level += 1
    warnings.warn(text, RuntimeWarning, stacklevel=level)


def is_inside(frame: FrameType) -> bool:
    """Tell whether a frame is of this package."""
    return frame.f_code.co_filename.startswith(_HERE + os.sep)


def _text(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    if name == "apply":  # of ufuncs and operators
        name, args = args[0].__name__, args[1]
    if name == "__init__":  # the object is not one yet
        name, args = type(args[0]).__name__, args[1:]
    shown = [shortly(value) for value in args]
    shown += [f"{key}={shortly(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(shown)})"


def line_of(frame: FrameType | None) -> str:
    """Give the line of the program, with its text, that called into this package."""
    while frame is not None and is_inside(frame):
        frame = frame.f_back
    return "".join(traceback.format_stack(frame)[-1:]).strip() if frame is not None else ""
