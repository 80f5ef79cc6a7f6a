"""Settings of PySCF's that stand in many scripts and mean the same in several classes."""

from __future__ import annotations

import sys
from typing import Any


class Megabytes:
    """`max_memory`, megabytes a rank, for classes whose `memory` is bytes a rank."""

    memory: int

    @property
    def max_memory(self) -> float:
        """Megabytes a rank, as `memory` is bytes."""
        return self.memory / 1e6

    @max_memory.setter
    def max_memory(self, megabytes: float) -> None:
        self.memory = max(1, bytes_of(megabytes))


class Printed:
    """`stdout`, where the first rank prints what `verbose` asks for."""

    mol: Any
    _stdout: Any = None

    @property
    def stdout(self) -> Any:
        """Where `verbose` has lines printed to on the first rank; else where the molecule's go."""
        of_molecule = vars(self.mol).get("stdout")  # PySCF's own default is that of its import
        return self._stdout or of_molecule or sys.stdout

    @stdout.setter
    def stdout(self, stream: Any) -> None:
        self._stdout = stream


def bytes_of(megabytes: float) -> int:
    """Give the bytes that PySCF's megabytes are. Raises ValueError for less than 0."""
    if not megabytes >= 0:
        raise ValueError(f"max_memory is {megabytes!r}, expected megabytes, 0 or more")
    return int(1e6 * megabytes)
