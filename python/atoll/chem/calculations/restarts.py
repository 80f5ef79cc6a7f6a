"""What the same command line, given again, goes on from: `--chkfile`, and what lies beside it."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import atoll
from atoll._agreement import leave
from atoll.chem.correlation.multireference.checkpoints import MANIFEST
from atoll.chem.molecules import InputError
from atoll.chem.self_consistency import guess

if TYPE_CHECKING:
    from atoll.chem.molecules.options import Options
    from atoll.chem.self_consistency.mean_field import MeanField

AMPLITUDES, TRIPLES, VECTORS = ".amplitudes", ".triples", ".vectors"
"""What is added to a checkpoint's name for the folders of correlated methods."""


def go_on(mean_field: MeanField, options: Options) -> None:
    """Have a mean field go on from its own `chkfile` where there is one, and tell. Collective.

    It goes before `restart`, with which the run has begun. That of another molecule, or of other
    spins, is begun anew, and what lies beside it goes.
    Raises InputError, on all ranks, for a file that cannot be read.
    """
    file, group = options.chkfile, mean_field.group
    if not file:
        return
    there = _is_there(file, group)
    if there and _is_of(file, mean_field):
        mean_field.restart_from = file
        tell(mean_field, f"goes on from {file}")
        return
    if there and os.path.realpath(file) == os.path.realpath(options.restart):
        return  # the same orbitals in another molecule, as they were asked for
    beside = [file + each for each in (AMPLITUDES, TRIPLES, VECTORS)]
    stale = [folder for folder in beside if _holds_checkpoint(folder, group)]
    if there:
        how = f"begins with {options.restart}" if options.restart else "begun anew"
        tell(mean_field, f"{file} is of another molecule, basis, charge or spin: {how}")
    elif stale:
        tell(mean_field, f"{', '.join(stale)} without {file}: begun anew")
    for folder in stale:
        remove(folder, group)


def begun(options: Options, suffix: str, group: atoll.Group) -> str | None:
    """Give the folder of an earlier run's that is to be gone on from, if it has any. Collective.

    It lies beside `chkfile`, or else beside `restart`. A run that was killed while it saved for the
    first time has left a folder without a checkpoint.
    """
    folders = [file + suffix for file in (options.chkfile, options.restart) if file]
    return next((folder for folder in folders if _holds_checkpoint(folder, group)), None)


def remove(folder: str, group: atoll.Group) -> None:
    """Remove a folder. Collective; raises OSError on all ranks."""
    failure: Exception | None = None
    if group.rank == 0:
        try:
            shutil.rmtree(folder)
        except OSError as error:
            failure = error
    leave(group, failure)


def tell(mean_field: MeanField, text: str) -> None:
    """Tell people, on the rank that has an observer."""
    if mean_field.observer is not None:
        mean_field.observer.note(text)


def _is_there(path: str, group: atoll.Group) -> bool:
    return bool(group.broadcast(float(os.path.exists(path))))


def _holds_checkpoint(folder: str, group: atoll.Group) -> bool:
    """Tell whether a folder is one of ours: others' are neither gone on from nor removed."""
    there = _has_steps(folder) or _has_steps(os.path.join(folder, MANIFEST))
    return bool(group.broadcast(float(there)))


def _has_steps(folder: str) -> bool:
    try:
        return bool(atoll.checkpoint.steps(folder))
    except (FileNotFoundError, NotADirectoryError):
        return False


def _is_of(file: str, mean_field: MeanField) -> bool:
    try:
        return guess.is_of(file, mean_field.mol, mean_field.spins, mean_field.group)
    except (OSError, ValueError) as error:
        raise InputError(f"chkfile {file} cannot be gone on from: {error}") from None
