"""Scratch arrays of the chemistry: other users cannot read them, and a killed run leaves none."""

import errno
import os
import stat

import atoll
import numpy as np
import pytest
from atoll.chem import scf
from atoll.chem.integrals.scratch import NODE, ScratchArray
from pyscf import gto

VALUES = np.arange(1200.0).reshape(40, 30)


@pytest.fixture
def folder(world, tmp_path):
    return str(world.broadcast(str(tmp_path)))


def made(world, folder):
    return ScratchArray(world, VALUES.shape, (8, 30), folder, "numbers")


def names_in(folder, world):
    """What lies there between two moments at which all ranks meet."""
    world.sync()
    found = os.listdir(folder)
    world.sync()
    return found


@pytest.mark.parametrize("where", ["", NODE])
def test_an_array_of_one_machine_has_no_name_that_a_killed_run_could_leave(where, world, folder):
    if where:
        os.makedirs(os.path.join(folder, str(world.node)), exist_ok=True)
    elif world.nodes > 1:
        pytest.skip("nodes that share a file need its name")
    place = os.path.join(folder, where)
    scratch = made(world, place)
    assert names_in(place.replace(NODE, str(world.node)), world) == []
    scratch.array.write(atoll.from_numpy(VALUES))
    np.testing.assert_array_equal(scratch.array.load()[...], VALUES)
    scratch.close()
    assert names_in(place.replace(NODE, str(world.node)), world) == []


def test_no_other_user_may_enter_its_folder_at_any_time(world, folder, monkeypatch):
    modes = []
    create = atoll.disk.create

    def look(path, *args, **options):
        modes.append(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode))
        return create(path, *args, **options)

    monkeypatch.setattr(atoll.disk, "create", look)
    before = os.umask(0)
    try:
        scratch = made(world, folder)
    finally:
        os.umask(before)
    kept = [os.path.join(folder, name) for name in names_in(folder, world)]
    assert len(kept) == (world.nodes > 1)
    modes += [stat.S_IMODE(os.stat(name).st_mode) for name in kept]
    assert set(modes) == {0o700}
    world.sync()
    scratch.close()
    assert names_in(folder, world) == []


def test_a_folder_that_is_not_there_is_told_on_all_ranks_with_what_was_to_lie_there(world, folder):
    with pytest.raises(FileNotFoundError, match=r"\(numbers, 0.0096 MB, go to a disk"):
        made(world, os.path.join(folder, "none"))


def test_ccsd_that_fails_before_it_iterates_leaves_no_scratch_file(world, folder, monkeypatch):
    from atoll.chem import cc

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    mf = scf.RHF(gto.M(atom="O; H 1 1; H 1 1 2 104", basis="6-31g", verbose=0))
    mf.kernel()
    method = cc.CCSD(mf, ladder="disk", scratch=folder)
    monkeypatch.setattr(cc, "Extrapolation", full)
    with pytest.raises(OSError, match="No space"):
        method.kernel()
    assert names_in(folder, world) == []
