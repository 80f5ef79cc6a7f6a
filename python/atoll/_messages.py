"""What the members of a group send each other by mpi4py: gather, scan, alltoall; groups of MPI's.

Each call begins with a meeting inside Atoll, which compares what the members give. All are in the
call then: nobody waits in MPI for somebody whose operations this rank would have to serve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective
from atoll._signatures import shortly

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OPERATIONS = {
    "sum": ("SUM", np.add),
    "product": ("PROD", np.multiply),
    "min": ("MIN", np.minimum),
    "max": ("MAX", np.maximum),
}


def _numbers(group: _core.Group, call: str, value: Any, *more: Any) -> NDArray[Any]:
    """Give what a member sends, equal everywhere in shape and type. Collective."""
    array = np.array(value, order="C", subok=False)
    if array.dtype.hasobject or array.dtype.names is not None:
        raise TypeError(f"{call} takes arrays of numbers or strings, not {array.dtype}")
    told = (array.dtype.str, array.shape, *more)
    _core.enter(group, call, "; ".join(map(str, told)).encode())
    return array


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)


def gather(group: _core.Group, value: Any, root: Any) -> NDArray[Any] | None:
    """Give the members' values to one of them; see `Group.gather`."""
    if isinstance(root, bool) or not isinstance(root, (int, np.integer)):
        raise TypeError(f"root is {shortly(root)}, expected an integer")
    if not 0 <= root < group.size:
        raise ValueError(f"root is {root}, expected a rank of {group.size}")
    mine = _numbers(group, "gather", value, int(root))
    all_values = np.empty((group.size, *mine.shape), mine.dtype) if group.rank == root else None
    into = None if all_values is None else _bytes(all_values)
    if mine.nbytes:
        group.mpi4py().Gather(_bytes(mine), into, root=int(root))
    return all_values


def allgather(group: _core.Group, value: Any) -> NDArray[Any]:
    """Give the members' values to all of them; see `Group.allgather`."""
    mine = _numbers(group, "allgather", value)
    all_values = np.empty((group.size, *mine.shape), mine.dtype)
    if mine.nbytes:
        group.mpi4py().Allgather(_bytes(mine), _bytes(all_values))
    return all_values


def scan(group: _core.Group, value: Any, op: Any) -> Any:
    """Give what the members up to this one have together; see `Group.scan`."""
    if op not in _OPERATIONS:
        raise ValueError(f"op is {shortly(op)}, expected {', '.join(_OPERATIONS)}")
    kind = np.asarray(value).dtype
    if kind.name not in _core.element_types() or (op in ("min", "max") and kind.kind == "c"):
        raise TypeError(f"scan by {op!r} does not take {kind}")
    mine = _numbers(group, "scan", value, op)
    name, ufunc = _OPERATIONS[op]
    if kind.kind not in "iufc" or kind.itemsize < 4:  # of which MPI knows no arithmetic
        parts = np.empty((group.size, *mine.shape), mine.dtype)
        if mine.nbytes:
            group.mpi4py().Allgather(_bytes(mine), _bytes(parts))
        return ufunc.reduce(parts[: group.rank + 1], axis=0, dtype=kind)
    from mpi4py import MPI

    result = np.empty_like(mine)
    if mine.size:
        group.mpi4py().Scan(mine.reshape(-1), result.reshape(-1), op=getattr(MPI, name))
    return result[()]


def alltoall(group: _core.Group, values: Any) -> NDArray[Any]:
    """Exchange rows, one for each member; see `Group.alltoall`."""
    shape = np.shape(values)
    if not shape or shape[0] != group.size:
        raise ValueError(f"values has shape {shape}, expected {group.size} rows, one for each rank")
    mine = _numbers(group, "alltoall", values)
    result = np.empty_like(mine)
    if mine.nbytes:
        group.mpi4py().Alltoall(_bytes(mine), _bytes(result))
    return result


@collective
def group_of(comm: Any) -> _core.Group | None:
    """Give the processes of an mpi4py communicator as a group; see `Group.from_mpi4py`."""
    from mpi4py import MPI

    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm is {shortly(comm)}, expected an mpi4py communicator")
    everybody = _core.default_group()
    if comm == MPI.COMM_NULL:
        colour, key, size = -1, 0, 0
    else:
        theirs, ours = comm.Get_group(), everybody.mpi4py().Get_group()
        ranks = list(MPI.Group.Translate_ranks(theirs, list(range(theirs.size)), ours))
        theirs.Free()
        ours.Free()
        if MPI.UNDEFINED in ranks:
            outside = ranks.index(MPI.UNDEFINED)
            raise ValueError(f"process {outside} of comm is not in the default group")
        colour, key, size = min(ranks), ranks.index(everybody.rank), len(ranks)
    _core.enter(everybody, "from_mpi4py", b"")  # where ranks that failed are met
    group = everybody.split(colour, key)
    members = 0 if group is None else group.size
    if int(everybody.reduce(int(members != size))):
        raise ValueError("comm has members that gave another communicator, or none")
    return group
