"""What happens when a rank fails: its traceback is printed and the whole run ends.

Without this the other ranks would wait for the failed one for ever. An exit status other than zero
(`sys.exit(2)`, `raise SystemExit(2)`) ends the run too, in src/python/world_bindings.cpp: Python
does not tell its own exit handlers the status.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, NoReturn

from atoll import _agreement, _core, _traces
from atoll._stop import Stopped
from atoll.launch.surroundings import speaks

if TYPE_CHECKING:
    from types import TracebackType

INTERRUPTED = 130  # exit status
one_line_of_interrupts = False  # of commands, whose lines are nobody's program
_LET_THE_FIRST_SPEAK = 1.0  # seconds
_PATIENCE = 0.3  # seconds from an interrupt to the end of a run that does not notice

_previous_hook = sys.excepthook
_previous_thread_hook = threading.excepthook


def end_before_mpi4py() -> None:
    """Let `Finalize` of mpi4py, where that is loaded, end Atoll first, whose threads are in MPI.

    Inside MPI's own end, where Atoll ends otherwise, MPICH takes no locks.
    """
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or hasattr(mpi.Finalize, "__wrapped__"):
        return

    @functools.wraps(mpi.Finalize)
    def finalize() -> None:
        if _core.running():
            _core.finalize()
        finalize.__wrapped__()

    setattr(mpi, "Finalize", finalize)  # noqa: B010


def is_first_process() -> bool:
    """Tell whether this is the process that speaks for all, also while MPI does not run yet."""
    if _core.ranks_of_run() > 1:
        return _core.rank_of_run() == 0
    return speaks(os.environ)


def _rank_and_size() -> tuple[int, int]:
    """Ask MPI, or where it does not run yet, what mpiexec has put into the environment."""
    if (size := _core.ranks_of_run()) > 1:
        return _core.rank_of_run(), size
    for rank_name, size_name in (
        ("PMI_RANK", "PMI_SIZE"),
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ):
        rank, size_text = os.environ.get(rank_name, ""), os.environ.get(size_name, "")
        if rank.isdecimal() and size_text.isdecimal():
            return int(rank), int(size_text)
    return 0, 1


def _end_run(kind: type[BaseException]) -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # closed, or none at all
            continue
    if _core.ranks_of_run() == 1:
        # MPI does not run here yet, while other ranks may be about to wait for this one. MPICH's
        # mpiexec lets them wait when a rank just exits, and ends them when it dies by a signal.
        os.kill(os.getpid(), signal.SIGKILL)
    rank, size = _rank_and_size()
    status = INTERRUPTED if issubclass(kind, KeyboardInterrupt) else 1
    _core.abort(f"rank {rank} of {size} failed ({kind.__name__}); the run ends", status)


def _print_traceback(
    kind: type[BaseException],
    value: BaseException,
    trace: TracebackType | None,
    thread: str = "",
) -> None:
    """Print in one piece, so that the tracebacks of several ranks do not mix."""
    rank, size = _rank_and_size()
    everywhere = getattr(value, _core.RAISED_EVERYWHERE, False)
    if rank > 0:  # who else fails so is ended before it repeats what the first says
        time.sleep(_LET_THE_FIRST_SPEAK if everywhere else _LET_THE_FIRST_SPEAK / 3)
    others = ", and on all that made the call" if everywhere else ""
    text = f"Exception on rank {rank} of {size}{thread}{others}:\n"
    text += _traces.lines(kind, value, trace)
    try:
        sys.stderr.flush()
        os.write(sys.stderr.fileno(), text.encode(errors="backslashreplace"))
    except (AttributeError, OSError, ValueError):  # no real file behind it
        print(text, file=sys.stderr)


def tell_failure_of_start(failure: BaseException) -> None:
    """Tell in a line why no world has started, and end the run if others may wait for this process.

    Once for all processes where they know it of each other; else each tells it.
    """
    alone, first = _core.start_failed_alone(), is_first_process()
    if not first:
        time.sleep(1.0)  # some launchers kill all at the first end: not before the other spoke
    if first or alone:
        print(f"atoll: {failure}", file=sys.stderr, flush=True)
    if alone and (_core.ranks_of_run() > 1 or _others_wait_in_mpich()):
        time.sleep(0.2)  # a launcher that is told to end all reads no more: let it have the line
        _end_run(type(failure))


def _others_wait_in_mpich() -> bool:
    """Tell whether a launcher of MPICH's kind lets others wait for a process that just ends."""
    by_hydra = "PMI_FD" in os.environ or "PMI_PORT" in os.environ
    return by_hydra and os.environ.get("PMI_SIZE") != "1"


def _hook(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
    if _core.is_forked_child():  # it ends alone
        _previous_hook(kind, value, trace)
        return
    if _agreement.is_failure_of_start(value) and not hasattr(sys, "ps1"):
        tell_failure_of_start(value)
        return
    if _rank_and_size()[1] == 1 or hasattr(sys, "ps1"):  # ps1: a prompt goes on after errors
        if _previous_hook is sys.__excepthook__ and _traces.are_shorter(kind, trace):
            print(_traces.lines(kind, value, trace), end="", file=sys.stderr)
        else:
            _previous_hook(kind, value, trace)
        return
    if _previous_hook is sys.__excepthook__:
        _print_traceback(kind, value, trace)
    else:
        _previous_hook(kind, value, trace)
    _end_run(kind)


def _thread_hook(args: threading.ExceptHookArgs) -> None:
    if _core.is_forked_child():
        _previous_thread_hook(args)
        return
    kind, value = args.exc_type, args.exc_value
    name = args.thread.name if args.thread is not None else "unknown"
    if isinstance(value, Stopped) and not hasattr(sys, "ps1"):
        # On all ranks alike; the first speaks. The main thread would go on as if all were done.
        if not is_first_process():
            time.sleep(1.0)
        _core.abort(f"{value} (thread {name}); the run ends", _core.STOPPED_STATUS)
    if _rank_and_size()[1] == 1 or value is None or issubclass(kind, SystemExit):
        _previous_thread_hook(args)
        return
    _print_traceback(kind, value, args.exc_traceback, f", thread {name}")
    _end_run(kind)


def tell_interrupt() -> NoReturn:
    """End a command of several ranks that Ctrl-C has interrupted, with one line of them all."""
    if not is_first_process():
        time.sleep(1.0)
    _core.abort("interrupted; the run ends", INTERRUPTED)


def _watch_interrupts() -> None:
    """Have Ctrl-C end a run whose ranks wait inside the library, where Python cannot look."""
    if (
        _rank_and_size()[1] == 1
        or hasattr(sys, "ps1")
        or threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    # The pipe is the parent's, too: a child's interrupt is not its.
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    main = threading.get_ident()
    threading.Thread(
        target=_watch, args=(reader, main), name="atoll-interrupts", daemon=True
    ).start()


def _watch(reader: int, main: int) -> None:
    while signals := os.read(reader, 64):
        if signal.SIGINT not in signals:
            continue
        calls = _core.call_count()
        time.sleep(_PATIENCE)
        # Otherwise Python has raised KeyboardInterrupt by now.
        if calls % 2 == 1 and _core.call_count() == calls:
            if one_line_of_interrupts:
                tell_interrupt()
            rank, size = _rank_and_size()
            where = _agreement.line_of(sys._current_frames().get(main))
            text = f"rank {rank} of {size} was interrupted; the run ends\n  {where}"
            _core.abort(text, INTERRUPTED)


def install() -> None:
    """Put the hooks in place; once."""
    if sys.excepthook is not _hook:
        sys.excepthook = _hook
        threading.excepthook = _thread_hook
        _watch_interrupts()
