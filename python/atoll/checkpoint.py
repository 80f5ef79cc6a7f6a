"""Checkpoints: the arrays and the state of a run, to go on later on any number of processes.

A checkpoint is there as a whole or not at all, whatever happens while it is saved. They lie in a
folder, one folder a step; the last few are kept. Each array is a file that h5py and zarr open.

>>> import atoll
>>> a = atoll.full((4, 3), 2.5)
>>> atoll.checkpoint.save(folder + "/run", {"a": a, "iteration": 7})
>>> found = atoll.checkpoint.load(folder + "/run")
>>> found["iteration"], float(found["a"][0, 0])
(7, 2.5)
"""

from __future__ import annotations

import base64
import io
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from atoll import _core
from atoll._agreement import collective
from atoll._array import Array
from atoll._core import CheckpointRequest
from atoll._creation import empty
from atoll._signatures import plain
from atoll.disk.arrays import DiskArray

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CheckpointRequest", "load", "save", "save_async", "steps"]

_NUMPY = "__numpy__"  # the one key of what stands for a NumPy array
_SINGLE = "__numpy__single"  # of the arrays without dimensions, which lie in files as vectors
_ESCAPED = "__numpy__="  # what a key of the user's begins with that begins with that


@collective
def save(
    folder: str | os.PathLike[str],
    contents: Mapping[str, Any],
    *,
    step: int | None = None,
    keep: int = 2,
    group: _core.Group | None = None,
) -> None:
    """Save arrays and plain state. Collective.

    Args:
        folder: Where the checkpoints of a run lie; made if it is not there.
        contents: By name: Atoll arrays (of mirrored ones each node's copy is as good as another's),
            and what JSON can tell, NumPy arrays and numbers among it; of these the first rank's
            count, and nobody looks at the others'. Tuples come back as lists; keys are strings.
        step: The checkpoint's number, an iteration say; None: one more than the last. One that is
            there under this number is replaced.
        keep: How many are kept, this one among them: the last that were saved.
        group: Whose arrays they are; None: the default group.

    Raises:
        OSError: On all ranks, if the system refused; those before are as they were.
        TypeError: On all ranks: state of the first one that is neither an array nor plain, or a
            key that is no string.
        ValueError: A bad argument.

    """
    _begin(folder, contents, step, keep, group, snapshot=False).wait()


@collective
def save_async(
    folder: str | os.PathLike[str],
    contents: Mapping[str, Any],
    *,
    step: int | None = None,
    keep: int = 2,
    snapshot: bool = True,
    group: _core.Group | None = None,
) -> CheckpointRequest:
    """Begin to save, while the program goes on; the request's `wait` ends it. Collective.

    What is saved is what the arrays hold now: they are copied first, in memory. With
    `snapshot=False` they are not, and must stay as they are until `wait` has returned.
    """
    return _begin(folder, contents, step, keep, group, snapshot=snapshot)


@collective
def load(
    folder: str | os.PathLike[str],
    *,
    step: int | None = None,
    into: Mapping[str, Array] | None = None,
    group: _core.Group | None = None,
) -> dict[str, Any]:
    """Load what `save` was given. Collective, on any number of ranks and nodes.

    Args:
        folder: As for `save`.
        step: Which one; None: the last that was saved.
        into: Arrays to read into, by name, however distributed; others are made, mirrored if they
            were.
        group: Whose arrays they will be; None: the default group.

    Raises:
        FileNotFoundError: There is no checkpoint.
        OSError: With `errno.EBADMSG`, if it is damaged; `steps` tells of others. With
            `errno.ESTALE`, if another one was saved under its number meanwhile.
        ValueError: `into` names an array that it does not have.

    """
    members = _core.default_group() if group is None else group
    found = _core.CheckpointBase.open(members, os.fspath(folder), -1 if step is None else step)
    told: dict[str, Any] = json.loads(found.state())
    single = told.pop(_SINGLE, [])  # before keys of the program's own could look like it
    contents: dict[str, Any] = json.loads(json.dumps(told), object_hook=_decoded)
    names = found.names()
    _check_into(into or {}, names)
    for name in names:
        with DiskArray(found.open_array(name), members) as disk:
            if into is not None and name in into:
                array = into[name]
            else:
                shape = () if name in single else disk.shape
                array = empty(shape, disk.dtype, mirrored=found.mirrored(name), group=members)
            disk.read(array)
        contents[name] = array
    return contents


@plain
def steps(folder: str | os.PathLike[str]) -> list[int]:
    """Give the numbers of the checkpoints in a folder, in the order of saving. Not collective."""
    return _core.checkpoint_steps(os.fspath(folder))


def _begin(
    folder: str | os.PathLike[str],
    contents: Mapping[str, Any],
    step: int | None,
    keep: int,
    group: _core.Group | None,
    *,
    snapshot: bool,
) -> CheckpointRequest:
    members = _core.default_group() if group is None else group
    if step is not None and step < 0:
        raise ValueError(f"step is {step}, expected 0 or more")
    _check_keys(contents, "contents")
    arrays = {name: value for name, value in contents.items() if isinstance(value, Array)}
    state = b""
    if members.rank == 0:  # its state counts: there is nothing to tell of the others'
        plain = {name: value for name, value in contents.items() if name not in arrays}
        told = _encoded(plain, "contents")
        if single := [name for name, array in arrays.items() if array.shape == ()]:
            told[_SINGLE] = single
        state = json.dumps(told).encode()
    number = -1 if step is None else step
    return _core.save_checkpoint(members, os.fspath(folder), arrays, state, number, keep, snapshot)


def _check_into(into: Mapping[str, Array], names: list[str]) -> None:
    for name, array in into.items():
        if name not in names:
            raise ValueError(f"into has {name!r}; the checkpoint has: {', '.join(names) or 'none'}")
        if not isinstance(array, Array):
            raise TypeError(f"into[{name!r}] is a {type(array).__name__}, expected an Atoll array")


def _check_keys(value: Mapping[Any, Any], where: str) -> None:
    for key in value:
        if not isinstance(key, str):
            raise TypeError(
                f"{where} has the key {key!r}, expected a str: JSON would make it one, and it "
                "would come back as that"
            )


def _encoded(value: Any, where: str) -> Any:
    """Give what JSON tells so that `_decoded` gives the value again."""
    if isinstance(value, dict):
        _check_keys(value, where)
        return {
            _ESCAPED + key[len(_NUMPY) :] if key.startswith(_NUMPY) else key: _encoded(
                item, f"{where}[{key!r}]"
            )
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_encoded(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic | np.ndarray):
        file = io.BytesIO()
        np.save(file, np.asarray(value), allow_pickle=False)
        return {_NUMPY: base64.b64encode(file.getvalue()).decode()}
    raise TypeError(
        f"{where} is a {type(value).__name__}, which cannot be saved: expected an Atoll array, a "
        "NumPy array or number, or what JSON can tell"
    )


def _decoded(value: dict[str, Any]) -> Any:
    if list(value) == [_NUMPY]:
        array = np.load(io.BytesIO(base64.b64decode(value[_NUMPY])), allow_pickle=False)
        return array[()] if array.ndim == 0 else array
    return {
        _NUMPY + key[len(_ESCAPED) :] if key.startswith(_ESCAPED) else key: item
        for key, item in value.items()
    }
