"""Open-shell amplitudes saved while they are improved, to go on from on any number of ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.checkpoints import (
    are_same,
    as_they_are,
    last_of,
    told,
    turn,
    turned_doubles,
)
from atoll.chem.correlation.coupled_cluster.shares import Shares
from atoll.chem.correlation.open_shell.amplitudes import OpenShellAmplitudes
from atoll.chem.correlation.same_problem import span_the_same
from atoll.chem.molecules import InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.checkpoints import Last
    from atoll.chem.correlation.coupled_cluster.solver import Iteration
    from atoll.chem.correlation.orbitals import Correlated

    Matrix = NDArray[np.float64]

KIND = "open-shell coupled cluster amplitudes"
SPINS = ("alpha", "beta")


class Begun(NamedTuple):
    """Amplitudes to begin with."""

    amplitudes: OpenShellAmplitudes
    last: Last | None
    """None: they are of other orbitals, or nobody knows."""


def save(
    folder: str | os.PathLike[str],
    amplitudes: OpenShellAmplitudes,
    spaces: Mapping[int, Correlated],
    iteration: Iteration,
) -> None:
    """Save amplitudes in a folder of checkpoints; the last two stay. Collective.

    Raises OSError on all ranks.
    """
    contents: dict[str, Any] = {"kind": KIND, **told(iteration)}
    contents["spins"] = np.array(list(spaces))
    for spin, space in spaces.items():
        contents[f"singles_{spin}"] = amplitudes.singles[spin]
        contents[f"occupied_{spin}"] = space.occupied
        contents[f"virtual_{spin}"] = space.virtual
    for (s, t), array in amplitudes.doubles.items():
        contents[f"doubles_{s}{t}"] = array
    group = next(iter(amplitudes.doubles.values())).group
    atoll.checkpoint.save(folder, contents, keep=2, group=group)


def read(folder: str | os.PathLike[str], group: atoll.Group) -> dict[str, Any]:
    """Give what a folder holds. Collective, on any number of ranks.

    Raises:
        OSError: There is no checkpoint, or it is damaged.
        InputError: It is of something else.

    """
    found = atoll.checkpoint.load(folder, group=group)
    if found.get("kind") != KIND:
        raise InputError(f"{folder} is a checkpoint of something else than {KIND}")
    return found


def adopted(
    found: dict[str, Any], mole: Any, spaces: Mapping[int, Correlated]
) -> dict[int, Correlated]:
    """Give the orbitals that were saved instead of others that span the same spaces."""

    def saved_or(new: Matrix, name: str) -> Matrix:
        old = np.asarray(found.get(name, new))
        return old if span_the_same(mole, old, new) else new

    return {
        spin: space._replace(
            occupied=saved_or(space.occupied, f"occupied_{spin}"),
            virtual=saved_or(space.virtual, f"virtual_{spin}"),
        )
        for spin, space in spaces.items()
    }


def begun_with(
    folder: str | os.PathLike[str],
    found: dict[str, Any],
    mole: Any,
    spaces: Mapping[int, Correlated],
    group: atoll.Group,
) -> Begun:
    """Give amplitudes of what was read, turned to these orbitals, and free it. Collective.

    Raises InputError where they are of orbitals that span another space.
    """
    if list(found["spins"]) != list(spaces):
        held = " and ".join(SPINS[spin] for spin in found["spins"])
        expected = " and ".join(SPINS[spin] for spin in spaces)
        raise InputError(f"{folder} holds amplitudes of {held} electrons, expected {expected}")
    turns, same = {}, True
    for spin, space in spaces.items():
        pairs = {"occupied": space.occupied, "virtual": space.virtual}
        turns[spin] = tuple(
            turn(folder, f"{SPINS[spin]} {name}", found[f"{name}_{spin}"], mole, orbitals)
            for name, orbitals in pairs.items()
        )
        same &= all(are_same(found[f"{name}_{spin}"], each) for name, each in pairs.items())
    amplitudes = OpenShellAmplitudes({}, {})
    for spin, (occupied, virtual) in turns.items():
        singles = found[f"singles_{spin}"]
        amplitudes.singles[spin] = singles if same else virtual.T @ singles @ occupied
    for s, t in ((s, t) for s in spaces for t in spaces if s <= t):
        old = found[f"doubles_{s}{t}"]
        shares = Shares(group, turns[s][1].shape[1]), Shares(group, turns[t][1].shape[1])
        if same:
            amplitudes.doubles[s, t] = as_they_are(old, shares[0])
        else:
            amplitudes.doubles[s, t] = turned_doubles(old, turns[s], turns[t], shares)
        old.destroy()
    return Begun(amplitudes, last_of(found) if same else None)
