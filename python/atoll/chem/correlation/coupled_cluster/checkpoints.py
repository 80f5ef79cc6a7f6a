"""Amplitudes saved while they are improved, to go on from on any number of ranks.

The orbitals are saved with them: those of another run of the same molecule may have other signs, or
be turned among each other, and the amplitudes are turned to them. Over the same orbitals they are
taken as they are, and final ones are final.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.amplitudes import Amplitudes
from atoll.chem.correlation.coupled_cluster.shares import Shares, own
from atoll.chem.integrals import pyscf_wheel
from atoll.chem.molecules import InputError

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.solver import Iteration
    from atoll.chem.correlation.orbitals import Correlated

    Matrix = NDArray[np.float64]

KIND = "closed-shell coupled cluster amplitudes"
SAME_SPACE = 1e-4
"""How far what turns orbitals to others may be from orthogonal."""
SAME_ORBITALS = 1e-10
"""Coefficients of the same orbitals differ by less: rounding does."""


class Last(NamedTuple):
    """What the iteration that amplitudes are of came to; hartree."""

    energy: float
    change: float
    step: float


class Begun(NamedTuple):
    """Amplitudes to begin with."""

    amplitudes: Amplitudes
    last: Last | None
    """None: they are of other orbitals, or nobody knows."""


def save(
    folder: str | os.PathLike[str],
    amplitudes: Amplitudes,
    orbitals: Correlated,
    iteration: Iteration,
) -> None:
    """Save amplitudes in a folder of checkpoints; the last two stay. Collective.

    Raises OSError on all ranks.
    """
    contents = {
        "kind": KIND,
        **told(iteration),
        "singles": amplitudes.singles,
        "occupied": orbitals.occupied,
        "virtual": orbitals.virtual,
        "doubles": amplitudes.doubles,
    }
    group = amplitudes.doubles.group
    atoll.checkpoint.save(folder, contents, keep=2, group=group)


def load(
    folder: str | os.PathLike[str], mole: Any, orbitals: Correlated, group: atoll.Group
) -> Begun:
    """Load amplitudes, turned to these orbitals. Collective, on any number of ranks.

    Raises:
        OSError: There is no checkpoint, or it is damaged.
        InputError: It is of something else, or of orbitals that span another space.

    """
    found = atoll.checkpoint.load(folder, group=group)
    if found.get("kind") != KIND:
        raise InputError(f"{folder} is a checkpoint of something else than {KIND}")
    occupied = turn(folder, "occupied", found["occupied"], mole, orbitals.occupied)
    virtual = turn(folder, "virtual", found["virtual"], mole, orbitals.virtual)
    shares = Shares(group, virtual.shape[1])
    old, singles = found["doubles"], found["singles"]
    if are_same(found["occupied"], orbitals.occupied, found["virtual"], orbitals.virtual):
        begun = Begun(Amplitudes(singles, as_they_are(old, shares)), last_of(found))
    else:
        both = occupied, virtual
        doubles = turned_doubles(old, both, both, (shares, shares))
        begun = Begun(Amplitudes(virtual.T @ singles @ occupied, doubles), None)
    old.destroy()
    return begun


def told(iteration: Iteration) -> dict[str, Any]:
    """Give what is saved of an iteration."""
    names = {"iteration": iteration.number, "energy": iteration.energy}
    return names | {"change": iteration.change, "step": iteration.step}


def last_of(found: dict[str, Any]) -> Last | None:
    """Give it of a checkpoint that has it."""
    if not all(name in found for name in Last._fields):
        return None
    return Last(*(float(found[name]) for name in Last._fields))


def are_same(*pairs: Matrix) -> bool:
    """Tell whether each second matrix is the one before it, but for rounding."""
    both = zip(pairs[::2], pairs[1::2], strict=True)
    return all(float(np.abs(old - new).max(initial=0.0)) < SAME_ORBITALS for old, new in both)


def as_they_are(old: atoll.Array, shares: Shares) -> atoll.Array:
    """Give doubles, rows ai and columns bj, distributed by a. Collective."""
    rows, columns = old.shape
    occupied = rows // max(1, shares.count)
    doubles = shares.rows(columns, occupied, "amplitudes")
    own_rows = slice(shares.own.start * occupied, shares.own.stop * occupied)
    if own_rows.start < own_rows.stop and columns > 0:
        doubles.local()[...] = old[own_rows, :]
    doubles.group.sync()
    return doubles


def turned_doubles(
    old: atoll.Array,
    left: tuple[Matrix, ...],
    right: tuple[Matrix, ...],
    shares: tuple[Shares, Shares],
) -> atoll.Array:
    """Turn doubles, rows ai and columns bj, to other orbitals. Collective.

    `left`, `right`: what turns the occupied and the virtual orbitals of each electron.
    """
    rows, columns = (each[0].shape[1] * each[1].shape[1] for each in (left, right))
    occupied = left[0].shape[1]
    doubles = shares[0].rows(columns, occupied, "amplitudes")
    if rows * columns > 0:
        first, last = _turn_of_pairs(left, shares[0]), _turn_of_pairs(right, shares[1])
        half = shares[0].rows(columns, occupied, "amplitudes, half turned")
        atoll.matmul(first, old, half)
        atoll.matmul(half, last.at[...].T, doubles)
        for array in (half, first, last):
            array.destroy()
    return doubles


def _turn_of_pairs(turn: tuple[Matrix, ...], shares: Shares) -> atoll.Array:
    """Give what turns one electron's pairs: rows are the new ones, columns those of the file."""
    occupied, virtual = turn
    o, v = occupied.shape[1], virtual.shape[1]
    made = shares.rows(v * o, o, "turn of pairs")
    mine = virtual[:, shares.own].T
    own(made, o, v, o)[...] = mine[:, None, :, None] * occupied.T[None, :, None, :]
    return made


def turn(folder: str | os.PathLike[str], name: str, old: Matrix, mole: Any, new: Matrix) -> Matrix:
    """Give the overlap of orbitals of a file (rows) with present ones, made orthogonal.

    Raises InputError where they span another space.
    """
    functions = int(mole.nao_nr())
    if old.shape != new.shape:
        raise InputError(
            f"{folder} holds {old.shape[1]} {name} orbitals of {len(old)} functions, expected "
            f"{new.shape[1]} of {functions}"
        )
    overlap = pyscf_wheel.one_electron(mole, "int1e_ovlp", (0, mole.nbas, 0, mole.nbas))
    left, lengths, right = np.linalg.svd(old.T @ overlap @ new)
    if lengths.size and np.max(np.abs(lengths - 1)) > SAME_SPACE:
        raise InputError(f"{folder} holds amplitudes of other {name} orbitals than these")
    orthogonal: Matrix = left @ right
    return orthogonal
