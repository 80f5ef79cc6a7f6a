"""Open-shell amplitudes saved while they are improved, to go on from on any number of ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.checkpoints import turn, turned_doubles
from atoll.chem.correlation.coupled_cluster.shares import Shares
from atoll.chem.correlation.open_shell.amplitudes import OpenShellAmplitudes
from atoll.chem.molecules import InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from atoll.chem.correlation.orbitals import Correlated

KIND = "open-shell coupled cluster amplitudes"
SPINS = ("alpha", "beta")


def save(
    folder: str | os.PathLike[str],
    amplitudes: OpenShellAmplitudes,
    spaces: Mapping[int, Correlated],
    iteration: int,
    energy: float,
) -> None:
    """Save amplitudes in a folder of checkpoints; the last two stay. Collective.

    Raises OSError on all ranks.
    """
    contents: dict[str, Any] = {"kind": KIND, "iteration": iteration, "energy": energy}
    contents["spins"] = np.array(list(spaces))
    for spin, space in spaces.items():
        contents[f"singles_{spin}"] = amplitudes.singles[spin]
        contents[f"occupied_{spin}"] = space.occupied
        contents[f"virtual_{spin}"] = space.virtual
    for (s, t), array in amplitudes.doubles.items():
        contents[f"doubles_{s}{t}"] = array
    group = next(iter(amplitudes.doubles.values())).group
    atoll.checkpoint.save(folder, contents, keep=2, group=group)


def load(
    folder: str | os.PathLike[str],
    mole: Any,
    spaces: Mapping[int, Correlated],
    group: atoll.Group,
) -> OpenShellAmplitudes:
    """Load amplitudes, turned to these orbitals. Collective, on any number of ranks.

    Raises:
        OSError: There is no checkpoint, or it is damaged.
        InputError: It is of something else, or of orbitals that span another space.

    """
    found = atoll.checkpoint.load(folder, group=group)
    if found.get("kind") != KIND:
        raise InputError(f"{folder} is a checkpoint of something else than {KIND}")
    if list(found["spins"]) != list(spaces):
        held = " and ".join(SPINS[spin] for spin in found["spins"])
        expected = " and ".join(SPINS[spin] for spin in spaces)
        raise InputError(f"{folder} holds amplitudes of {held} electrons, expected {expected}")
    turns = {}
    for spin, space in spaces.items():
        turns[spin] = tuple(
            turn(folder, f"{SPINS[spin]} {name}", found[f"{name}_{spin}"], mole, orbitals)
            for name, orbitals in (("occupied", space.occupied), ("virtual", space.virtual))
        )
    amplitudes = OpenShellAmplitudes({}, {})
    for spin, (occupied, virtual) in turns.items():
        amplitudes.singles[spin] = virtual.T @ found[f"singles_{spin}"] @ occupied
    for s, t in ((s, t) for s in spaces for t in spaces if s <= t):
        old = found[f"doubles_{s}{t}"]
        shares = Shares(group, turns[s][1].shape[1]), Shares(group, turns[t][1].shape[1])
        amplitudes.doubles[s, t] = turned_doubles(old, turns[s], turns[t], shares)
        old.destroy()
    return amplitudes
