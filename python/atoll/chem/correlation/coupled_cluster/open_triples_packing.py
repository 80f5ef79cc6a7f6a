"""The parts of a task of the (T) correction of open shells, packed as products read them.

Orbitals c of the task's third tile lie side by side in lanes: four, or a multiple of eight. What
is behind the last orbital is zero. All rows of one product are of one length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from atoll.chem.correlation.coupled_cluster.open_triples_tasks import Spin, Task

    Values: TypeAlias = NDArray[np.float64]
    Get: TypeAlias = Callable[..., Values]
    """Gives a part of the operands by its name and tiles."""


@dataclass(frozen=True)
class Packed:
    """Operands, for o occupied orbitals of the spin of a and b and O of that of c; n lanes.

    Left rows are of p pairs of occupied orbitals: of one spin, or of both in the mixed case.
    """

    left_a: Values
    """a, p, row; and so b"""
    left_b: Values
    left_c: Values
    """p, n, row"""
    right_bc: Values
    """b, o, n, row; and so ac"""
    right_ac: Values
    right_ab: Values
    """a, b, o, row and more"""
    pairs: tuple[Values, Values, Values, Values] | None
    """For the mixed case pairs of one spin of a and b: a, p, row; b, p, row; and the right rows of
    cb and ca: b, O, n, row; a, O, n, row."""
    partners: tuple[Values, Values, Values]
    """What singles go with, of one or two kinds x, of bc, ac and ab: x, b, o, O, n; x, a, o, O, n;
    x, a, b, o, o."""
    singles: tuple[Values, Values, Values]
    """x, a, o; x, b, o; x, O, n"""


def pack(task: Task, get: Get, fock: dict[Spin, list[Values]] | None) -> Packed:
    """Pack the parts of a task, with blocks f_ia by spin and tile if there are any."""
    s, t = task.spin, task.spin_c
    kinds = 1 if fock is None else 2
    left_a, left_b = (_rows(get(f"left {s}{t}", x)) for x in (task.a, task.b))
    left_c = get(f"left {t}{s}", task.c)
    lanes = lanes_of(len(left_c))
    depth, depth_c = left_a.shape[-1], left_c.shape[-1]
    right_bc, right_ac = (get(f"right {s}{t}", x, task.c) for x in (task.b, task.a))
    right_ab = get(f"right {s}{s}", task.a, task.b)
    singles_a, singles_b = (_singles(get, fock, s, x).swapaxes(1, 2) for x in (task.a, task.b))
    singles_c = _singles(get, fock, t, task.c)
    o, occupied_c = singles_a.shape[2], singles_c.shape[1]
    sign = -1 if s == t else 1  # of the amplitudes in right rows
    pairs = None
    if s != t:
        left_c = left_c.swapaxes(1, 2)
        pairs_a, pairs_b = (get(f"left {s}{s}", x) for x in (task.a, task.b))
        right_cb, right_ca = (
            _in_lanes(get(f"right {t}{s}", task.c, x)[..., :depth_c], 0, -2, lanes)
            for x in (task.b, task.a)
        )
        pairs = pairs_a, pairs_b, right_cb, right_ca
    return Packed(
        left_a,
        left_b,
        _in_lanes(left_c, 0, -2, lanes),
        _in_lanes(right_bc[..., :depth], 1, -2, lanes),
        _in_lanes(right_ac[..., :depth], 1, -2, lanes),
        right_ab,
        pairs,
        (
            _in_lanes(_partners(right_bc, occupied_c, sign, kinds), 2, -1, lanes),
            _in_lanes(_partners(right_ac, occupied_c, sign, kinds), 2, -1, lanes),
            _partners(right_ab, o, -1, kinds),
        ),
        (singles_a, singles_b, _in_lanes(singles_c, 2, -1, lanes)),
    )


def lanes_of(orbitals: int) -> int:
    """Give the number of lanes for so many orbitals."""
    return 4 if orbitals <= 4 else -(-orbitals // 8) * 8


def _in_lanes(values: Values, axis: int, place: int, lanes: int) -> Values:
    """Move an axis to a place, -1 or -2, filled with zeros up to the number of lanes."""
    moved = np.moveaxis(values, axis, place)
    shape = list(moved.shape)
    count, shape[place] = shape[place], lanes
    result = np.zeros(shape)
    np.moveaxis(result, place, -1)[..., :count] = np.moveaxis(moved, place, -1)
    return result


def _rows(left: Values) -> Values:
    """Take two occupied orbitals of different spins as a pair."""
    return left.reshape(len(left), -1, left.shape[-1])


def _partners(right: Values, occupied: int, sign: int, kinds: int) -> Values:
    """Give the ends of right rows: integrals go with t_ia, and amplitudes with f_ia."""
    amplitudes, integrals = right[..., -2 * occupied : -occupied], right[..., -occupied:]
    return np.array([integrals, sign * amplitudes][:kinds])


def _singles(get: Get, fock: dict[Spin, list[Values]] | None, spin: Spin, tile: int) -> Values:
    """Give amplitudes, and f_ia if there is one: kinds x occupied x tile."""
    kinds = [get(f"singles {spin}", tile)]
    if fock is not None:
        kinds.append(fock[spin][tile])
    return np.array(kinds)
