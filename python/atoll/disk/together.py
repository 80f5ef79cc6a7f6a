"""What may fail on one rank fails on all, so that nobody waits for a rank that has left."""

from __future__ import annotations

import builtins
import json
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from atoll import _core

_Result = TypeVar("_Result")


def together(group: _core.Group, work: Callable[[], _Result]) -> _Result:
    """Run what is no collective call. Collective.

    Raises:
        Exception: On all ranks, of the type and with the text of the lowest rank's that failed.

    """
    failure: Exception | None = None
    result: _Result | None = None
    try:
        result = work()
    except Exception as error:  # the others must learn of any
        failure = error
    failed = int(group.reduce(group.size if failure is None else group.rank, "min"))
    if failed == group.size:
        return cast("_Result", result)
    told = group.broadcast(_told(failure) if failed == group.rank else None, failed)
    if failure is not None and failed == group.rank:
        raise failure
    raise _from_told(bytes(told.astype(np.uint8)), failed) from failure


def _told(failure: Exception | None) -> np.ndarray:
    number = failure.errno if isinstance(failure, OSError) else None
    text = failure.strerror if number is not None else str(failure)  # type: ignore[union-attr]
    file = getattr(failure, "filename", None)
    parts = [type(failure).__name__, number, text, None if file is None else str(file)]
    return np.frombuffer(json.dumps(parts).encode(), dtype=np.uint8)


def _from_told(told: bytes, rank: int) -> Exception:
    name, number, text, file = json.loads(told)
    if number is not None:
        return OSError(number, f"{text} [on rank {rank}]", *([] if file is None else [file]))
    kind = getattr(builtins, name, None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        return RuntimeError(f"{name}: {text} [on rank {rank}]")
    try:
        return kind(f"{text} [on rank {rank}]")
    except TypeError:  # one that is made of more
        return RuntimeError(f"{name}: {text} [on rank {rank}]")
