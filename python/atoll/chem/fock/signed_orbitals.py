"""Orbitals of a symmetric matrix that is no density of known orbitals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import atoll

LEAST_OCCUPATION = 1e-14
"""Of the largest; natural orbitals below add nothing."""


class SignedOrbitals(NamedTuple):
    """`sign` times values @ values.T is a part of the matrix."""

    values: atoll.Array
    """Functions x orbitals, one copy a node."""
    sign: float


def signed_orbitals(matrix: atoll.Array) -> list[SignedOrbitals]:
    """Give natural orbitals times roots of occupations, of each sign that there is. Collective."""
    occupations, vectors = atoll.linalg.eigh(matrix)
    least = LEAST_OCCUPATION * float(np.abs(occupations).max())
    made = []
    for sign in (1.0, -1.0):
        kept = np.flatnonzero(sign * occupations > least)
        if len(kept) == 0:
            continue
        # Eigenvalues ascend: those of one sign are neighbours.
        columns = slice(int(kept[0]), int(kept[-1]) + 1)
        shape = (vectors.shape[0], len(kept))
        with atoll.zeros(shape, group=matrix.group, name="orbitals") as chosen:
            chosen.copy_from(vectors.at[:, columns])
            roots = np.sqrt(np.abs(occupations[columns]))
            atoll.linalg.scale_columns(chosen, atoll.from_numpy(roots, group=matrix.group))
            made.append(SignedOrbitals(chosen.mirror(), sign))
    return made
