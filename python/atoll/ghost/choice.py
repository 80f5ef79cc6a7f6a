"""What `atoll ghost --measure` has found best, in a file of the user's, for each machine and MPI.

A machine is its processors, not its name: nodes of a cluster are alike.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

MODES = ("ranks", "thread", "off")


@dataclass(frozen=True)
class Choice:
    """One measurement's outcome."""

    machine: str
    launcher: str
    mode: str
    tasks_per_second: dict[str, float]  # of every way that was measured
    measured: str  # when, on what


def file_of_choices() -> Path:
    """Name the file, which need not be there."""
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "atoll" / "ghost.json"


def this_machine() -> str:
    """Describe the processors, as in "2 x Intel(R) Xeon(R) E5-2695 v2"."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return f"{os.cpu_count()} x {names[0] if names else platform.machine()}"


def read_choices(file: Path) -> list[Choice]:
    """Read the file; nothing where there is none.

    Raises:
        ValueError: it holds something else.
        OSError: it cannot be read.

    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    unknown = f"{file}: expected what --measure writes; measure again or remove it"
    try:
        choices = [Choice(**each) for each in json.loads(text)]
    except (TypeError, ValueError):
        raise ValueError(unknown) from None
    if any(choice.mode not in MODES for choice in choices):
        raise ValueError(unknown)
    return choices


def write_choice(file: Path, choice: Choice) -> None:
    """Add a choice to the file in the place of an older one, all at once."""
    try:
        known = read_choices(file)
    except ValueError:
        known = []
    here = (choice.machine, choice.launcher)
    kept = [each for each in known if (each.machine, each.launcher) != here]
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    beside.write_text(json.dumps([asdict(each) for each in [*kept, choice]], indent=2) + "\n")
    beside.replace(file)


def chosen_mode(file: Path, launcher: str) -> str | None:
    """Return the mode found best on this machine with this launcher, if that was measured."""
    choices = read_choices(file)
    machine = this_machine() if choices else ""
    found = (each.mode for each in choices if (each.machine, each.launcher) == (machine, launcher))
    return next(found, None)
