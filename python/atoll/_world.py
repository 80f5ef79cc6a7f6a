"""The world: starting and ending Atoll, who I am, and waiting for each other."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from atoll import _core
from atoll._agreement import collective
from atoll._signatures import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def init(comm: Any = None) -> None:
    """Start Atoll, on the processes of `comm`. Collective over them.

    Needed only to choose the processes: Atoll starts by itself at its first use, on all processes
    of the run (one, without mpiexec).

    Args:
        comm: An mpi4py communicator, or the Fortran handle of one. None for all processes.

    Raises:
        RuntimeError: Atoll runs already, or mpi4py uses another MPI library.

    """
    _core.init(comm if comm is None or isinstance(comm, int) else comm.py2f())


@collective
def finalize() -> None:
    """End Atoll: complete everything and release all memory. Collective.

    Happens by itself at the end of the program. Arrays that still exist cannot be used any more.

    Raises:
        BufferError: views from `Array.local` are in use on some rank; raised on all.

    """
    _core.finalize()


def describe() -> str:
    """Tell versions, MPI, ranks, nodes and settings, one "name: value" a line."""
    return _core.describe()


def world() -> _core.Group:
    """Give the group of all ranks.

    >>> import atoll
    >>> everyone = atoll.world()
    >>> 0 <= everyone.rank < everyone.size
    True
    >>> int(everyone.reduce(1)) == everyone.size
    True
    """
    return _core.world()


def rank() -> int:
    """Give my number in the default group."""
    return _core.default_group().rank


def size() -> int:
    """Give the number of ranks of the default group."""
    return _core.default_group().size


def node() -> int:
    """Give the number of the node I am on."""
    return _core.default_group().node


def nodes() -> int:
    """Give the number of nodes that the default group lives on."""
    return _core.default_group().nodes


@collective
def barrier() -> None:
    """Wait for every rank of the default group. Collective. Completes no operation: see `sync`."""
    _core.default_group().barrier()


@collective
def sync() -> None:
    """Complete all operations of all ranks of the default group, then wait for them. Collective.

    >>> import atoll
    >>> a = atoll.zeros(4)
    >>> if atoll.rank() == 0:
    ...     a[:] = 1.0
    >>> atoll.sync()
    >>> a[:]
    array([1., 1., 1., 1.])
    """
    _core.default_group().sync()


def fence(rank: int | None = None) -> None:
    """Complete my operations at the memory of `rank`, or of all. Not collective."""
    _core.default_group().fence(rank)


def default_group() -> _core.Group:
    """Give the group that arrays are created on where none is named."""
    return _core.default_group()


@contextmanager
def use_group(group: _core.Group) -> Iterator[_core.Group]:
    """Make `group` the default group inside a `with` block, on the ranks that are its members.

    >>> import atoll
    >>> mine = atoll.world().split(colour=atoll.rank() % 2)
    >>> with atoll.use_group(mine):
    ...     a = atoll.ones(10)
    >>> a.group == mine
    True
    """
    if group is None:
        raise TypeError("this rank is in no such group: use_group(None)")
    before = _core.default_group()
    _core.set_default_group(group)
    try:
        yield group
    finally:
        if _core.running():
            _core.set_default_group(before)


@plain
def wait_all(requests: Iterable[_core.Request]) -> list[Any]:
    """Wait for requests; give what each one read (None for a write), in their order.

    >>> import numpy as np
    >>> import atoll
    >>> a = atoll.ones((4, 4))
    >>> left, right = atoll.wait_all([a.get_async(np.s_[:, :2]), a.get_async(np.s_[:, 2:])])
    >>> right.shape
    (4, 2)
    """
    waiting = list(requests)
    for i, request in enumerate(waiting):
        if not callable(getattr(request, "wait", None)):
            raise TypeError(f"requests[{i}] is {request!r}, expected a Request")
    return [request.wait() for request in waiting]
