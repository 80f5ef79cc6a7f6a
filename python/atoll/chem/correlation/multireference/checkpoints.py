"""The best vectors so far, saved while Davidson's method goes on, for any number of ranks.

A folder has two files of vectors, of which one is written anew while the other is whole, and in
`manifest` the checkpoint (`atoll.checkpoint`) that says which, what they are of, and what the sums
over their bytes are. Vectors are moved segment by segment: no rank ever holds one.
"""

from __future__ import annotations

import errno
import os
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import atoll
from atoll._agreement import collective, leave
from atoll.chem.correlation.multireference.linear_algebra import read_mine, weighted
from atoll.chem.correlation.same_problem import OtherCalculationError
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules.agreed import are_same

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from atoll.chem.correlation.multireference.davidson import Iteration
    from atoll.chem.correlation.multireference.vectors import Store, Vector

KIND = "MRCI vectors"
MANIFEST = "manifest"
"""The checkpoint in a folder of vectors."""
_FILES = ("0.vectors", "1.vectors")


class Saved(NamedTuple):
    """What an earlier run has saved, but for the vectors."""

    folder: str
    segment_bytes: int
    coefficients: NDArray[np.float64]
    """Of all orbitals, functions x orbitals."""
    values: NDArray[np.float64]
    """Energies without the constant, hartree."""
    file: int
    sums: atoll.Array
    """Roots x segments."""
    searched: bool
    """Whether states below these were looked for, and there were none."""


def read(
    folder: str | os.PathLike[str], mole: Any, problem: Mapping[str, Any], group: atoll.Group
) -> Saved:
    """Give what a folder holds. Collective.

    Raises:
        OSError: On all ranks: there is nothing, or it is damaged.
        OtherCalculationError: It is of another problem.

    """
    place = os.fspath(folder)
    found = atoll.checkpoint.load(os.path.join(place, MANIFEST), group=group)
    if found.get("kind") != KIND:
        raise OtherCalculationError(f"{place} is a checkpoint of something else than {KIND}")
    if not are_same(pyscf_wheel.molecule_of(str(found["molecule"])), mole):
        raise OtherCalculationError(f"{place} has vectors of another molecule or basis")
    for name, expected in problem.items():
        if found["problem"].get(name) != expected:
            raise OtherCalculationError(
                f"{place} has vectors of another calculation: {name} is "
                f"{found['problem'].get(name)}, expected {expected}"
            )
    return Saved(
        place,
        int(found["segment_bytes"]),
        np.asarray(found["coefficients"]),
        np.asarray(found["values"]),
        int(found["file"]),
        found["sums"],
        bool(found.get("searched", False)),
    )


@collective
def load(store: Store, saved: Saved) -> list[Vector]:
    """Read the vectors. Collective; OSError on all ranks if they are damaged."""
    path = os.path.join(saved.folder, _FILES[saved.file])
    expected = saved.sums[...]
    made = [store.new() for _ in saved.values]

    def fill(file: atoll.disk.SharedFile) -> None:
        for segment in store.mine:
            for root, vector in enumerate(made):
                at = 8 * (root * store.space.size + segment.offset)
                values = file.read(segment.shape, at, np.float64)
                if _sum(values) != expected[root, segment.number]:
                    raise OSError(errno.EBADMSG, "these vectors are damaged", path)
                vector.write(segment, values)

    _with_file(path, "r", store.group, fill)
    return made


class Keeper:
    """Saves the best vectors of each iteration. All of it is collective.

    Args:
        folder: Where, seen by all ranks; made if it is not there.
        store: Of the vectors.
        mole: PySCF's `Mole` that they are of.
        problem: What else they are of, as JSON can tell.
        segment_bytes: What the segments were made by.
        coefficients: Of all orbitals, functions x orbitals.
        last: The file that was read; the other one is written first.

    Raises:
        OSError: On all ranks: it cannot be made.

    """

    @collective
    def __init__(
        self,
        folder: str | os.PathLike[str],
        store: Store,
        mole: Any,
        problem: Mapping[str, Any],
        segment_bytes: int,
        coefficients: NDArray[np.float64],
        last: int = 1,
    ) -> None:
        self._folder, self._store, self._group = os.fspath(folder), store, store.group
        self._state = {
            "kind": KIND,
            "molecule": mole.dumps(),
            "problem": dict(problem),
            "segment_bytes": segment_bytes,
            "coefficients": coefficients,
        }
        self._last = last
        self._kept: dict[str, Any] | None = None
        failure: Exception | None = None
        if self._group.rank == 0:
            try:
                os.makedirs(self._folder, exist_ok=True)
            except OSError as error:
                failure = error
        leave(self._group, failure)

    @collective
    def keep(self, basis: list[Vector], weights: NDArray[np.float64], iteration: Iteration) -> None:
        """Save the sums of vectors times each column of `weights`. OSError on all ranks."""
        space, roots = self._store.space, weights.shape[1]
        number = 1 - self._last
        sums = atoll.zeros((roots, len(space.segments)), np.int64, group=self._group)
        path = os.path.join(self._folder, _FILES[number])

        def write(file: atoll.disk.SharedFile) -> None:
            for segment, blocks in read_mine(self._store, basis):
                for root in range(roots):
                    values = weighted(blocks, weights[:, root])
                    file.write(values, 8 * (root * space.size + segment.offset))
                    sums[root, segment.number] = _sum(values)
            file.sync()

        _with_file(path, "a", self._group, write)
        contents = {**self._state, "values": iteration.values, "file": number, "sums": sums}
        manifest = os.path.join(self._folder, MANIFEST)
        atoll.checkpoint.save(manifest, contents, keep=1, group=self._group)
        if self._kept is not None:
            self._kept["sums"].destroy()
        self._kept = contents
        self._last = number

    @collective
    def finish(self) -> None:
        """Say of what was saved last that there are no states below. Collective; OSError on all."""
        if self._kept is None:
            return
        manifest = os.path.join(self._folder, MANIFEST)
        atoll.checkpoint.save(manifest, {**self._kept, "searched": True}, keep=1, group=self._group)


def _with_file(
    path: str,
    mode: str,
    group: atoll.Group,
    step: Callable[[atoll.disk.SharedFile], None],
) -> None:
    """Have each rank do something with a file; raise on all what fails on one. Collective."""
    file = atoll.disk.shared(path, mode, group=group)
    failure: Exception | None = None
    try:
        step(file)
    except Exception as error:  # told to all when the file is closed, which all do together
        failure = error
    file.close()
    leave(group, failure)


def _sum(values: NDArray[np.float64]) -> int:
    return zlib.crc32(np.ascontiguousarray(values).data)
