"""Which program made a result, when, where and over which MPI."""

from __future__ import annotations

import datetime
import platform
import re
from dataclasses import dataclass
from typing import Any

import atoll
from atoll._texts import texts_of_all


@dataclass(frozen=True)
class Provenance:
    """Of one run, for the head of a report and for files.

    Attributes:
        version: Of Atoll.
        started: ISO 8601 with the offset from UTC, to seconds.
        hosts: Names, that of rank 0 first.
        mpi: The MPI library and its version.

    """

    version: str
    started: str
    hosts: tuple[str, ...]
    mpi: str

    def headline(self) -> str:
        """Give a line for people: "Atoll 0.1.0, 2026-11-27 05:30:11+00:00"."""
        return f"Atoll {self.version}, {self.started.replace('T', ' ')}"

    def place(self) -> str:
        """Give hosts and MPI for people."""
        others = len(self.hosts) - 1
        more = f" and {others} more host{'' if others == 1 else 's'}" if others else ""
        return f"{self.hosts[0]}{more}, {self.mpi}"

    def fields(self) -> dict[str, Any]:
        """Give it for JSON."""
        return {
            "program": "atoll",
            "version": self.version,
            "started": self.started,
            "hosts": list(self.hosts),
            "mpi": self.mpi,
        }


def provenance(group: atoll.Group) -> Provenance | None:
    """Find it out; None on all ranks but the first. Collective."""
    hosts = texts_of_all(group, platform.node() or "unknown")
    if group.rank != 0:
        return None
    now = datetime.datetime.now(datetime.timezone.utc).astimezone()
    told = dict(line.split(": ", 1) for line in atoll.describe().splitlines() if ": " in line)
    return Provenance(
        told["Atoll"],
        now.isoformat(timespec="seconds"),
        tuple(dict.fromkeys(hosts)),
        _library(told["MPI library"]),
    )


def _library(text: str) -> str:
    """Give "MPICH 5.0.2" or "Open MPI 5.0.11" of what the library calls itself."""
    name = " ".join(text.split(",")[0].split())
    return re.sub(r" (?:Version: |v)", " ", name)
