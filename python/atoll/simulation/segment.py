"""The memory that the processes of a run share, as `src/simulation/segment.hpp` has it."""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass
from typing import Final

MAGIC: Final = 0x4C4F4F50544F4C41
VERSION: Final = 1
BYTES: Final = 1 << 34  # of addresses: memory is what is written
_ENDED: Final = 512
_REPORT: Final = 1024
_MAPPED: Final = 16384
_ENDS: Final = (
    "running",
    "finished",
    "deadlock",
    "idle",
    "aborted",
    "misuse",
    "killed",
    "left",
    "endless",
    "left over",
)


@dataclass(frozen=True)
class Asked:
    """What a run is asked to be."""

    seed: int
    ranks: int
    killed_rank: int = -1
    killed_at_step: int = -1
    most_steps: int = 100_000_000
    most_idle: int = 30_000_000_000  # virtual nanoseconds in which nothing moves
    trace: int = -1  # a file's descriptor
    no_faults: bool = False  # nothing is delayed, lost or stalled
    all_steps: bool = False  # in the trace
    full_is_wrong: bool = False  # a connection whose 64 messages nobody has asked for


@dataclass(frozen=True)
class Ended:
    """How a run has ended, or how far it has come."""

    end: str
    code: int
    rank: int
    steps: int
    hash: int
    nanoseconds: int
    messages: int
    bytes: int
    most_unexpected: int
    switches: int
    report: str


class Segment:
    """The segment of one run; ranks inherit its file."""

    def __init__(self, asked: Asked) -> None:
        self.descriptor = os.memfd_create("atoll-simulation")
        os.truncate(self.descriptor, BYTES)
        self._memory = mmap.mmap(self.descriptor, _MAPPED)
        struct.pack_into(
            "<qqqQqqqqqqqqq",
            self._memory,
            0,
            MAGIC,
            VERSION,
            BYTES,
            asked.seed % (1 << 64),
            asked.ranks,
            asked.killed_rank,
            asked.killed_at_step,
            asked.most_steps,
            asked.most_idle,
            asked.trace,
            asked.no_faults,
            asked.all_steps,
            asked.full_is_wrong,
        )

    def steps(self) -> int:
        """Say how far the run is; any number that grows with it."""
        return int(struct.unpack_from("<Q", self._memory, _ENDED + 4 * 8)[0])

    def ended(self) -> Ended:
        """Read the end."""
        words: tuple[int, ...] = struct.unpack_from("<qqqqQqqqqq", self._memory, _ENDED)
        end, code, rank, steps, digest, time, messages, size, most, switches = words
        report = self._memory[_REPORT:_MAPPED].split(b"\0", 1)[0].decode(errors="replace")
        return Ended(
            _ENDS[end], code, rank, steps, digest, time, messages, size, most, switches, report
        )

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
        os.close(self.descriptor)
