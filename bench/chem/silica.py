"""A fragment of silica, Si8O7H18: two silicon atoms that share an oxygen, each with three O-SiH3.

Built from bond lengths and angles as they are in zeolites; `quick` gives the smaller Si2O7H6,
(HO)3Si-O-Si(OH)3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SILICON_OXYGEN, SILICON_HYDROGEN, OXYGEN_HYDROGEN = 1.62, 1.48, 0.96  # angstrom
BRIDGE, TETRAHEDRON, WATER = 147.0, 109.47, 115.0  # degrees

Position = NDArray[np.float64]
Atoms = list[tuple[str, Position]]


def bonded(
    to: Position,
    angle_with: Position,
    turn_from: Position,
    length: float,
    angle: float,
    turn: float,
) -> Position:
    """Place an atom: bond length, angle with a second atom, dihedral angle with a third."""
    axis = (angle_with - to) / np.linalg.norm(angle_with - to)
    aside = turn_from - angle_with
    aside -= axis * (aside @ axis)
    aside /= np.linalg.norm(aside)
    third = np.cross(axis, aside)
    bend, round_axis = np.radians(angle), np.radians(turn)
    across = np.cos(round_axis) * aside + np.sin(round_axis) * third
    return to + length * (np.cos(bend) * axis + np.sin(bend) * across)


def fragment(quick: bool = False) -> Atoms:
    """Give the atoms with their positions in angstrom."""
    bridge = np.zeros(3)
    half = np.radians(BRIDGE / 2)
    silicons = [
        SILICON_OXYGEN * np.array([side * np.sin(half), np.cos(half), 0.0]) for side in (-1, 1)
    ]
    atoms: Atoms = [("O", bridge), ("Si", silicons[0]), ("Si", silicons[1])]
    for own, other in (silicons, silicons[::-1]):
        for turn in (60.0, 180.0, 300.0):
            oxygen = bonded(own, bridge, other, SILICON_OXYGEN, TETRAHEDRON, turn)
            atoms.append(("O", oxygen))
            if quick:
                end = bonded(oxygen, own, bridge, OXYGEN_HYDROGEN, WATER, 180.0)
                atoms.append(("H", end))
                continue
            end = bonded(oxygen, own, bridge, SILICON_OXYGEN, BRIDGE, 180.0)
            atoms.append(("Si", end))
            atoms += [
                ("H", bonded(end, oxygen, own, SILICON_HYDROGEN, TETRAHEDRON, around))
                for around in (60.0, 180.0, 300.0)
            ]
    return atoms
