"""Files that are there whole, or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

BESIDE = ".being-written"
LONGEST_SILENCE = 3600.0
"""Seconds without a write after which nobody is writing a file any more."""


@contextlib.contextmanager
def whole_path(path: str | Path) -> Iterator[Path]:
    """Give the path of a file that takes the place of `path` when all went well. Not collective.

    What a link points to is replaced, not the link. Raises OSError for a device, a pipe or a
    folder, which nothing is to take the place of.
    """
    path = Path(path).resolve()
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "no regular file", str(path))
    _remove_what_kills_left(path)
    beside = _new_beside(path)
    try:
        yield beside
        mask = os.umask(0)
        os.umask(mask)
        beside.chmod(0o666 & ~mask)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[TextIO]:
    """Open a text file to write that takes the place of `path` when all went well."""
    with whole_path(path) as beside, beside.open("w", encoding="utf-8") as file:
        yield file


def try_beside(path: Path) -> None:
    """Find out whether `whole_path` can begin. Raises OSError."""
    _new_beside(path.resolve()).unlink()


def _new_beside(path: Path) -> Path:
    handle, name = tempfile.mkstemp(BESIDE, f".{path.name}.", path.parent)
    os.close(handle)
    return Path(name)


def _remove_what_kills_left(path: Path) -> None:
    for beside in path.parent.iterdir():
        if not (beside.name.startswith(f".{path.name}.") and beside.name.endswith(BESIDE)):
            continue
        with contextlib.suppress(FileNotFoundError):  # another program does the same
            if time.time() - beside.stat().st_mtime > LONGEST_SILENCE:
                beside.unlink()
