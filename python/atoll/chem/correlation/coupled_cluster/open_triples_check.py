"""Whether what the (T) correction of open shells is given fits together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.correlation.coupled_cluster.open_triples_operands import Integrals
from atoll.chem.correlation.coupled_cluster.open_triples_tasks import SPINS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atoll.chem.correlation.coupled_cluster.open_triples_operands import Inputs

SINGLES = ("t1a", "t1b")
DOUBLES = ("t2aa", "t2ab", "t2bb")


def check(
    group: atoll.Group,
    inputs: Inputs,
    occupied_energies: Any,
    virtual_energies: Any,
    fock: Any,
) -> None:
    """Raise TypeError or ValueError for an array or numbers that do not fit the others."""
    for kind, given, names in (
        ("singles", inputs.singles, SINGLES),
        ("doubles", inputs.doubles, DOUBLES),
        ("integrals", inputs.integrals, Integrals._fields),
    ):
        if len(given) != len(names):
            raise ValueError(f"{kind} are {len(given)} arrays, expected {', '.join(names)}")
    for name, array in _arrays(inputs):
        _check_array(group, name, array)
    for name, array in zip(SINGLES, inputs.singles, strict=True):
        if array.ndim != 2:
            raise ValueError(
                f"{name} has shape {array.shape}, expected occupied x virtual orbitals"
            )
    _check_shapes(inputs)
    orbitals = inputs.orbitals
    occupied = [(orbitals[spin].occupied,) for spin in SPINS]
    virtual = [(orbitals[spin].virtual,) for spin in SPINS]
    _check_numbers("occupied_energies", occupied_energies, occupied)
    _check_numbers("virtual_energies", virtual_energies, virtual)
    if fock is not None:
        _check_numbers("fock", fock, [tuple(orbitals[spin]) for spin in SPINS])


def _arrays(inputs: Inputs) -> Iterator[tuple[str, Any]]:
    yield from zip(SINGLES, inputs.singles, strict=True)
    yield from zip(DOUBLES, inputs.doubles, strict=True)
    yield from zip(Integrals._fields, inputs.integrals, strict=True)


def _check_array(group: atoll.Group, name: str, array: Any) -> None:
    if not isinstance(array, atoll.Array):
        raise TypeError(f"{name} is a {type(array).__name__}, expected an Atoll array")
    if array.dtype != np.float64:
        raise TypeError(f"{name} is of {array.dtype}, expected float64")
    if array.group != group:
        raise ValueError(f"{name} is on {array.group}, expected on {group}")


def _check_shapes(inputs: Inputs) -> None:
    orbitals = inputs.orbitals
    lengths = {"o": orbitals["a"].occupied, "v": orbitals["a"].virtual}
    lengths |= {"O": orbitals["b"].occupied, "V": orbitals["b"].virtual}
    axes = dict(zip(DOUBLES, ("oovv", "oOvV", "OOVV"), strict=True))
    axes |= {name: name for name in Integrals._fields}
    for name, array in list(_arrays(inputs))[len(SINGLES) :]:
        expected = tuple(lengths[letter] for letter in axes[name])
        if array.shape != expected:
            raise ValueError(
                f"{name} has shape {array.shape}, expected {expected} as t1a has "
                f"{tuple(orbitals['a'])} and t1b {tuple(orbitals['b'])}"
            )


def _check_numbers(name: str, given: Any, shapes: Sequence[tuple[int, ...]]) -> None:
    if not isinstance(given, tuple | list) or len(given) != len(SPINS):
        what = type(given).__name__
        raise ValueError(f"{name} is a {what}, expected a pair of arrays, of alpha and beta")
    for spin, values, shape in zip(("alpha", "beta"), given, shapes, strict=True):
        if np.shape(values) != shape:
            raise ValueError(f"{name} of {spin} has shape {np.shape(values)}, expected {shape}")
        if not np.isfinite(values).all():
            raise ValueError(f"{name} of {spin} is {np.asarray(values)}, expected finite numbers")
