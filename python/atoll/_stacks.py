"""What a run that is stuck says of Python: with ATOLL_TIMEOUT, the stacks of all threads."""

from __future__ import annotations

import faulthandler
import functools
import os


@functools.cache  # one file for all worlds of the process
def write_at(signal_number: int) -> int:
    """Have a signal write the stacks to a file in memory; give its number, open for good.

    No Python runs for that: a thread may sit in the library, with the interpreter's lock or not.
    """
    file = os.memfd_create("atoll-stacks")
    faulthandler.register(signal_number, file=file, all_threads=True)
    return file
