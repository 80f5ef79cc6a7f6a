"""Checkpoint files as PySCF writes them: either program goes on from the other's.

Rank 0 writes and reads, rows at a time: no rank holds a matrix of all orbitals.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll
from atoll.chem.results.whole_file import whole_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

h5py: Any = importlib.import_module("h5py")  # without types

ROWS_BYTES = 16 << 20


@dataclass(frozen=True)
class Saved:
    """What a file says of orbitals, without the orbitals."""

    spins: int
    functions: int
    orbitals: int
    energy: float
    energies: NDArray[np.float64]
    """Spins x orbitals."""
    occupations: NDArray[np.float64]
    """Spins x orbitals."""
    mole: str
    """PySCF's text of the molecule."""


def write(
    path: str | Path,
    mole_text: str,
    energy: float,
    energies: Sequence[NDArray[np.float64]],
    occupations: Sequence[NDArray[np.float64]],
    coefficients: Sequence[atoll.Array],
) -> None:
    """Write a file in place of the one before, which stays until this is complete. Collective.

    Raises OSError on all ranks.
    """
    group = coefficients[0].group
    with _shared_failure(group):
        if group.rank == 0:
            _write_whole(Path(path), mole_text, energy, energies, occupations, coefficients)


def _write_whole(
    path: Path,
    mole_text: str,
    energy: float,
    energies: Sequence[NDArray[np.float64]],
    occupations: Sequence[NDArray[np.float64]],
    coefficients: Sequence[atoll.Array],
) -> None:
    spins = len(coefficients)
    with whole_path(path) as beside:
        with h5py.File(beside, "w") as file:
            file["mol"] = mole_text
            file["scf/e_tot"] = energy
            file["scf/mo_energy"] = _by_spin(energies)
            file["scf/mo_occ"] = _by_spin(occupations)
            shape = coefficients[0].shape if spins == 1 else (spins, *coefficients[0].shape)
            stored = file.create_dataset("scf/mo_coeff", shape, dtype=np.float64)
            for spin, matrix in enumerate(coefficients):
                for rows in _row_ranges(matrix.shape):
                    key: Any = rows if spins == 1 else (spin, rows)
                    stored[key] = matrix[rows]
        with open(beside, "rb") as written:
            os.fsync(written.fileno())


def read(path: str | Path, group: atoll.Group) -> Saved:
    """Read all but the orbitals. Collective.

    Raises OSError or ValueError, on all ranks, for a file that is none.
    """
    saved: Saved | None = None
    with _shared_failure(group):
        if group.rank == 0:
            saved = _read(Path(path))
    numbers = [0, 0, 0] if saved is None else [saved.spins, saved.functions, saved.orbitals]
    spins, functions, orbitals = (int(x) for x in group.broadcast(np.array(numbers)))
    return Saved(
        spins,
        functions,
        orbitals,
        float(group.broadcast(saved.energy if saved else 0.0)),
        np.asarray(group.broadcast(saved.energies if saved else 0)).reshape(spins, orbitals),
        np.asarray(group.broadcast(saved.occupations if saved else 0)).reshape(spins, orbitals),
        str(group.broadcast(saved.mole if saved else "")),
    )


def check(path: str) -> None:
    """Raise OSError or ValueError that names the file, if it holds no result. Not collective."""
    _read(Path(path))


def _read(path: Path) -> Saved:
    if path.is_file() and not h5py.is_hdf5(path):
        raise OSError(f"{path} is no checkpoint: it is not an HDF5 file")
    with h5py.File(path, "r") as file:
        if not all(name in file for name in ("mol", "scf/mo_coeff", "scf/mo_occ")):
            raise ValueError(f"{path} holds no orbitals of a self-consistent field")
        shape = file["scf/mo_coeff"].shape
        spins = 1 if len(shape) == 2 else shape[0]
        functions, orbitals = shape[-2:]
        occupations = np.asarray(file["scf/mo_occ"], dtype=np.float64).reshape(spins, orbitals)
        energies = np.zeros((spins, orbitals))
        if "scf/mo_energy" in file:
            energies[...] = np.asarray(file["scf/mo_energy"]).reshape(spins, orbitals)
        energy = float(file["scf/e_tot"][()]) if "scf/e_tot" in file else 0.0
        text = file["mol"][()]
        mole = text.decode() if isinstance(text, bytes) else str(text)
        return Saved(spins, functions, orbitals, energy, energies, occupations, mole)


def read_orbitals(path: str | Path, spin: int, into: atoll.Array) -> None:
    """Fill an array, functions x orbitals, with those of a spin (0 if there is one). Collective."""
    group = into.group
    with _shared_failure(group):
        if group.rank == 0:
            with h5py.File(path, "r") as file:
                stored = file["scf/mo_coeff"]
                for rows in _row_ranges(into.shape):
                    key: Any = rows if stored.ndim == 2 else (spin, rows)
                    into[rows] = np.asarray(stored[key], dtype=np.float64)
    group.sync()


def _by_spin(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    return values[0] if len(values) == 1 else np.array(values)


def _row_ranges(shape: Sequence[int]) -> list[slice]:
    height = max(1, ROWS_BYTES // (8 * max(1, shape[1])))
    return [slice(row, min(row + height, shape[0])) for row in range(0, shape[0], height)]


@contextlib.contextmanager
def _shared_failure(group: atoll.Group) -> Iterator[None]:
    """Raise on all ranks what rank 0 raises inside: an OSError or a ValueError."""
    error: Exception | None = None
    try:
        yield
    except (OSError, ValueError) as raised:
        error = raised
    except KeyError as raised:
        error = ValueError(f"the file lacks {raised}")
    number = getattr(error, "errno", None) or 0
    kind = "" if error is None else "O" if isinstance(error, OSError) else "V"
    told = str(group.broadcast(f"{kind}{number} {error}" if error else ""))
    if error is not None:
        raise error
    if told:
        number_text, text = told[1:].split(" ", 1)
        if told[0] == "V":
            raise ValueError(text)
        raise OSError(int(number_text), text)  # of the subclass that goes with the number
